// What is left to plain loops says why; what is emitted is gone.
// RUN: clika-opt %s --clika-tile-and-vectorize | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: linalg.generic
// CHECK-SAME: clika.fallback = "it reads or writes single bits, or memory of no known rank"
// CHECK: linalg.generic
// CHECK-SAME: clika.fallback = "its body holds arith.addui_extended, which has no form for vectors"
// CHECK-NOT: linalg.generic
func.func @main(%bits: memref<8xi1>, %words: memref<8xi32>, %floats: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%bits : memref<8xi1>) outs(%words : memref<8xi32>) {
  ^bb0(%x: i1, %y: i32):
    %0 = arith.extui %x : i1 to i32
    linalg.yield %0 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%words : memref<8xi32>) {
  ^bb0(%x: i32):
    %sum, %carry = arith.addui_extended %x, %x : i32, i1
    linalg.yield %sum : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%floats : memref<8xf32>) {
  ^bb0(%x: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0 : f32
  }
  return
}
