// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @steps(
// CHECK: clika.quantize %arg0, %arg1 :
func.func @steps(%x: tensor<2x3xf32>, %s: tensor<f32>, %c: tensor<3xf32>, %z: tensor<3xi8>) -> tensor<2x3xi8> {
  %q = clika.quantize %x, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xui8>
  %r = clika.quantize %x, %c, %z : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3xi8>
  return %r : tensor<2x3xi8>
}

// -----

// C1
func.func @bad(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{quantize: scale has shape [2], which fits neither all of x [2, 3] nor its axis 1}}
  // expected-error @below {{failed to infer returned types}}
  %q = clika.quantize %x, %s : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xui8>
  return
}

// -----

// C2
func.func @bad(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<3xi8>) {
  // expected-error @below {{quantize: scale has shape [], zero_point [3]; they must be equal}}
  // expected-error @below {{failed to infer returned types}}
  %q = clika.quantize %x, %s, %z : (tensor<2x3xf32>, tensor<f32>, tensor<3xi8>) -> tensor<2x3xi8>
  return
}

// -----

// C3
func.func @bad(%x: tensor<2x3xf32>, %s: tensor<f16>) {
  // expected-error @below {{quantize: x has dtype float32, scale float16; cast one of them}}
  // expected-error @below {{failed to infer returned types}}
  %q = clika.quantize %x, %s : (tensor<2x3xf32>, tensor<f16>) -> tensor<2x3xui8>
  return
}

// -----

// C4
func.func @bad(%x: tensor<2x3xf32>, %s: tensor<f32>) {
  // expected-error @below {{quantize: dtype int64 is none of int8, uint8, int16, uint16, int32}}
  // expected-error @below {{failed to infer returned types}}
  %q = clika.quantize %x, %s {dtype = i64} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi8>
  return
}
