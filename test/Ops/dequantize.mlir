// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @steps(
// CHECK: clika.dequantize %arg0, %arg1 {block_size = 2 : i64}
func.func @steps(%x: tensor<2x4xi8>, %s: tensor<2x2xf16>) -> tensor<2x4xf16> {
  %r = clika.dequantize %x, %s {block_size = 2 : i64} : (tensor<2x4xi8>, tensor<2x2xf16>) -> tensor<2x4xf16>
  return %r : tensor<2x4xf16>
}

// -----

// C3
func.func @bad(%x: tensor<2xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @below {{dequantize: x has dtype int8, zero_point uint8; cast one of them}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.dequantize %x, %s, %z : (tensor<2xi8>, tensor<f32>, tensor<ui8>) -> tensor<2xf32>
  return
}
