// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @depth(
// CHECK: clika.one_hot %arg0, %arg1 {axis = 0 : i64, depth = 5 : i64}
func.func @depth(%i: tensor<?xi32, #clika.dims<n>>, %v: tensor<2xf32>, %d: tensor<i64>) -> tensor<5x?xf32, #clika.dims<5, n>> {
  %r = clika.one_hot %i, %v {depth = 5 : i64, axis = 0 : i64} : (tensor<?xi32, #clika.dims<n>>, tensor<2xf32>) -> tensor<5x?xf32, #clika.dims<5, n>>
  %s = clika.one_hot %i, %v depth %d : (tensor<?xi32, #clika.dims<n>>, tensor<2xf32>, tensor<i64>) -> tensor<?x?xf32, #clika.dims<n, ?>>
  return %r : tensor<5x?xf32, #clika.dims<5, n>>
}

// -----

// C1
func.func @bad(%i: tensor<3xi64>, %v: tensor<3xf32>) {
  // expected-error @below {{one_hot: values is float32[3]; it must be a 1-d tensor of two elements}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.one_hot %i, %v {depth = 2 : i64} : (tensor<3xi64>, tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// C2
func.func @bad(%i: tensor<3xi64>, %v: tensor<2xf32>) {
  // expected-error @below {{one_hot: depth is -2; it must be 0 or more}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.one_hot %i, %v {depth = -2 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// missing
func.func @bad(%i: tensor<3xi64>, %v: tensor<2xf32>) {
  // expected-error @below {{one_hot: depth is missing}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.one_hot %i, %v : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x2xf32>
  return
}
