// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @batches(
// CHECK: clika.gather_nd %arg0, %arg1 {batch_dims = 1 : i64}
func.func @batches(%x: tensor<2x3x4xf32>, %i: tensor<2x5x1xi64>) -> tensor<2x5x4xf32> {
  %r = clika.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x5x1xi64>) -> tensor<2x5x4xf32>
  return %r : tensor<2x5x4xf32>
}

// -----

// C1
func.func @bad(%x: tensor<3xf32>, %i: tensor<2x1xi64>) {
  // expected-error @below {{gather_nd: batch_dims is 1; it must be 0 or more and below the ranks, 1 and 2}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<3xf32>, %i: tensor<2x?xi64>) {
  // expected-error @below {{gather_nd: indices is int64[2, ?]; its last dimension, the length of a position, must be known and lie in [1, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.gather_nd %x, %i : (tensor<3xf32>, tensor<2x?xi64>) -> tensor<2xf32>
  return
}

// -----

// C3
func.func @bad(%x: tensor<2x3xf32>, %i: tensor<4x1xi64>) {
  // expected-error @below {{gather_nd: x [2, 3] and indices [4, 1] differ in dimension 0, which batch_dims says they share}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}
