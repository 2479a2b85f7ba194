// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @along(
// CHECK: clika.gather_elements %arg0, %arg1 {axis = 1 : i64}
func.func @along(%x: tensor<3x4xf32>, %i: tensor<2x9xi64>) -> tensor<2x9xf32> {
  %r = clika.gather_elements %x, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<2x9xi64>) -> tensor<2x9xf32>
  return %r : tensor<2x9xf32>
}

// -----

// rank
func.func @bad(%x: tensor<3xf32>, %i: tensor<i64>) {
  // expected-error @below {{gather_elements: indices has rank 0, x rank 1; they must be equal}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.gather_elements %x, %i : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
  return
}

// -----

// size
func.func @bad(%x: tensor<3x4xf32>, %i: tensor<4x4xi64>) {
  // expected-error @below {{gather_elements: indices [4, 4] is larger than x [3, 4] outside axis 1}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.gather_elements %x, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<4x4xi64>) -> tensor<4x4xf32>
  return
}
