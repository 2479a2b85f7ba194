// RUN: clika-opt %s -split-input-file --clika-tile-and-vectorize | FileCheck %s

// Six rows of four vectors.
// CHECK-LABEL: func.func @wide
// CHECK: %[[N:.*]] = arith.constant 64 : index
// CHECK: scf.for {{.*}} step %[[N]]
// CHECK: %[[M:.*]] = arith.constant 6 : index
// CHECK: scf.for {{.*}} step %[[M]]
// CHECK: :24 = scf.for
// CHECK-COUNT-24: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
func.func @wide(%a: memref<48x100xf32>, %b: memref<100x128xf32>, %c: memref<48x128xf32>) {
  linalg.matmul ins(%a, %b : memref<48x100xf32>, memref<100x128xf32>) outs(%c : memref<48x128xf32>)
  return
}

// -----

// Neither four, five nor six rows leave none over, but seven of two vectors do.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[N:.*]] = arith.constant 32 : index
// CHECK: scf.for {{.*}} step %[[N]]
// CHECK: %[[M:.*]] = arith.constant 7 : index
// CHECK: scf.for {{.*}} step %[[M]]
// CHECK: :14 = scf.for
// CHECK-COUNT-14: math.fma {{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
func.func @narrow(%a: memref<49x100xf32>, %b: memref<100x128xf32>, %c: memref<49x128xf32>) {
  linalg.matmul ins(%a, %b : memref<49x100xf32>, memref<100x128xf32>) outs(%c : memref<49x128xf32>)
  return
}

// -----

// Rows 16 KiB apart, a panel of 256 KiB: it is copied, even for 16 rows.
// CHECK-LABEL: func.func @packed
// CHECK: memref.alloc() : memref<65536xf32>
func.func @packed(%a: memref<16x1024xf32>, %b: memref<1024x4096xf32>, %c: memref<16x4096xf32>) {
  linalg.matmul ins(%a, %b : memref<16x1024xf32>, memref<1024x4096xf32>) outs(%c : memref<16x4096xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @not_packed
// CHECK-NOT: memref.alloc
func.func @not_packed(%a: memref<16x512xf32>, %b: memref<512x4096xf32>, %c: memref<16x4096xf32>) {
  linalg.matmul ins(%a, %b : memref<16x512xf32>, memref<512x4096xf32>) outs(%c : memref<16x4096xf32>)
  return
}
