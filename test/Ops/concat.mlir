// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @names(
// CHECK: clika.concat %arg0, %arg1 :
func.func @names(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %y: tensor<2x3xf32>) -> tensor<?x3xf32, #clika.dims<n + 2, 3>> {
  %r = clika.concat %x, %y : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<2x3xf32>) -> tensor<?x3xf32, #clika.dims<n + 2, 3>>
  return %r : tensor<?x3xf32, #clika.dims<n + 2, 3>>
}

// -----

// C2
func.func @bad(%x: tensor<2xf32>, %y: tensor<2xf16>) {
  // expected-error @below {{concat: the tensors have dtypes float32 and float16; cast one of them}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.concat %x, %y : (tensor<2xf32>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

// C3
func.func @bad(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{concat: tensor 1 of shape [2, 4] does not fit tensor 0 of [2, 3] outside axis 0}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.concat %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

// axis
func.func @bad(%x: tensor<f32>) {
  // expected-error @below {{concat: axis 0 is given, but the tensor has no dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.concat %x : (tensor<f32>) -> tensor<f32>
  return
}
