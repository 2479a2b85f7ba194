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
func.func @of_any_size(%x: memref<f32>, %y: memref<f32>, %n: index) {
  %from = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32>
  %to = memref.reinterpret_cast %y to offset: [0], sizes: [%n, 8], strides: [8, 1] : memref<f32> to memref<?x8xf32>
  memref.copy %from, %to : memref<?x8xf32> to memref<?x8xf32>
  return
}

// The cast says what is not so.
// CHECK-LABEL: llvm.func @with_gaps_that_no_type_tells
// CHECK-NOT: memcpy
// CHECK: llvm.store
func.func @with_gaps_that_no_type_tells(%x: memref<f32>, %y: memref<f32>, %n: index) {
  %all = memref.reinterpret_cast %x to offset: [0], sizes: [%n, %n], strides: [%n, 1] : memref<f32> to memref<?x?xf32>
  %half = arith.shrui %n, %n : index
  %part = memref.subview %all[0, 0] [%n, %half] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  %from = memref.cast %part : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  %to = memref.reinterpret_cast %y to offset: [0], sizes: [%n, %half], strides: [%half, 1] : memref<f32> to memref<?x?xf32>
  linalg.copy ins(%from : memref<?x?xf32>) outs(%to : memref<?x?xf32>)
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
