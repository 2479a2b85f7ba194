// RUN: clika-opt %s --clika-tile-and-vectorize --split-input-file | FileCheck %s

// The rows of a sum are divided among threads, in blocks of whole tiles; a row's sum never is.
module attributes {clika.threads = 2 : i64} {
  // CHECK-LABEL: func.func @main
  // CHECK: call @clika_kernel_0(%{{.*}}, %{{.*}}) : (memref<1000x500xf32>, memref<1000xf32>) -> ()
  func.func @main(%x: memref<1000x500xf32>, %y: memref<1000xf32>) {
    linalg.reduce {arith.addf} ins(%x : memref<1000x500xf32>) outs(%y : memref<1000xf32>) dimensions = [1]
    return
  }
}
// CHECK: func.func private @clika_kernel_0(%[[X:.*]]: memref<1000x500xf32>, %[[Y:.*]]: memref<1000xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[BLOCKS:.*]] = arith.constant 250 : index
// CHECK: call @clika_kernel_0_range(%[[X]], %[[Y]], %[[ZERO]], %[[BLOCKS]], %{{.*}}) {clika.parallel = 0 : i64}
// CHECK: func.func private @clika_kernel_0_range
// CHECK-SAME: %[[FIRST:[^:]*]]: index, %[[LAST:[^:]*]]: index, %{{[^:]*}}: index)
// CHECK-DAG: %[[FROM:.*]] = arith.muli %[[FIRST]], %{{.*}}
// CHECK-DAG: %[[TO:.*]] = arith.muli %[[LAST]], %{{.*}}
// CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %[[FROM]]
// CHECK: %[[HIGH:.*]] = arith.minsi %{{.*}}, %[[TO]]
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]] step

// -----

// Little work stays whole, and so does a sum without other loops.
module attributes {clika.threads = 2 : i64} {
  // CHECK-LABEL: func.func @little
  func.func @little(%x: memref<10x50xf32>, %y: memref<10xf32>, %z: memref<500000xf32>, %s: memref<f32>) {
    linalg.reduce {arith.addf} ins(%x : memref<10x50xf32>) outs(%y : memref<10xf32>) dimensions = [1]
    linalg.reduce {arith.addf} ins(%z : memref<500000xf32>) outs(%s : memref<f32>) dimensions = [0]
    return
  }
}
// CHECK-NOT: clika.parallel

// -----

// Without threads nothing is made for them.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: clika.parallel
func.func @alone(%x: memref<1000x500xf32>, %y: memref<1000xf32>) {
  linalg.reduce {arith.addf} ins(%x : memref<1000x500xf32>) outs(%y : memref<1000xf32>) dimensions = [1]
  return
}

// -----

// Of sizes that only a run knows the number of blocks follows then.
module attributes {clika.threads = 2 : i64} {
  // CHECK-LABEL: func.func @unknown
  func.func @unknown(%x: memref<?x?xf32>, %y: memref<?xf32>) {
    linalg.reduce {arith.addf} ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
    return
  }
}
// CHECK: func.func private @clika_kernel_0(
// CHECK: %[[ROWS:.*]] = memref.dim
// CHECK: %[[PADDED:.*]] = arith.addi %[[ROWS]], %{{.*}}
// CHECK: %[[COUNT:.*]] = arith.divui %[[PADDED]], %{{.*}}
// CHECK: call @clika_kernel_0_range(%{{.*}}, %{{.*}}, %{{.*}}, %[[COUNT]], %{{.*}}) {clika.parallel = 0 : i64}
