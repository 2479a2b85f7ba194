// RUN: clika-opt %s --clika-lower-to-llvm | FileCheck %s

// One call copies what has no gaps.
// CHECK-LABEL: llvm.func @whole
// CHECK: llvm.intr.memcpy
// CHECK-NOT: llvm.store
// CHECK: llvm.return
func.func @whole(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  linalg.copy ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}

// CHECK-LABEL: llvm.func @of_any_size
// CHECK: llvm.intr.memcpy
func.func @of_any_size(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  memref.copy %x, %y : memref<?x8xf32> to memref<?x8xf32>
  return
}

// CHECK-LABEL: llvm.func @with_gaps
// CHECK-NOT: memcpy
// CHECK: llvm.store
func.func @with_gaps(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// CHECK-LABEL: llvm.func @converts
// CHECK-NOT: memcpy
// CHECK: llvm.fpext
func.func @converts(%x: memref<8xf16>, %y: memref<8xf32>) {
  linalg.copy ins(%x : memref<8xf16>) outs(%y : memref<8xf32>)
  return
}
