// RUN: clika-opt %s -convert-clika-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @per_axis(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<2x3xf32>, tensor<3xf32>, tensor<3xi8>)
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK: arith.fptosi
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @per_axis(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<3xui8>) -> tensor<2x3xui8> {
  %r = clika.quantize %x, %s, %z : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8>) -> tensor<2x3xui8>
  return %r : tensor<2x3xui8>
}

// -----

// Both in 64 bits, where the difference does not wrap.
// CHECK-LABEL: func.func @wide(
// CHECK: arith.subi %{{.*}} : i64
// CHECK: arith.sitofp %{{.*}} : i64 to f32
// CHECK: arith.mulf
func.func @wide(%x: tensor<3xi32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<3xf32> {
  %r = clika.dequantize %x, %s, %z : (tensor<3xi32>, tensor<f32>, tensor<i32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Bytes less their zero points are multiplied, and one factor a column makes numbers of the sums.
// CHECK-LABEL: func.func @product(
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<2x8xi32>, tensor<8x3xi32>) outs(%{{.*}} : tensor<2x3xi32>)
// CHECK: arith.mulf
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK-NEXT: arith.mulf
func.func @product(%x: tensor<2x8xui8>, %w: tensor<8x3xi8>, %s: tensor<f32>, %z: tensor<ui8>, %t: tensor<3xf32>) -> tensor<2x3xf32> {
  %a = clika.dequantize %x, %s, %z : (tensor<2x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<2x8xf32>
  %b = clika.dequantize %w, %t : (tensor<8x3xi8>, tensor<3xf32>) -> tensor<8x3xf32>
  %r = clika.matmul %a, %b : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// A step for each of what is summed.
// CHECK-LABEL: func.func @summed_axis(
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<2x8xf32>, tensor<8x3xf32>)
func.func @summed_axis(%x: tensor<2x8xui8>, %w: tensor<8x3xi8>, %s: tensor<f32>, %t: tensor<8xf32>) -> tensor<2x3xf32> {
  %a = clika.dequantize %x, %s : (tensor<2x8xui8>, tensor<f32>) -> tensor<2x8xf32>
  %b = clika.dequantize %w, %t {axis = 0 : i64} : (tensor<8x3xi8>, tensor<8xf32>) -> tensor<8x3xf32>
  %r = clika.matmul %a, %b : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
