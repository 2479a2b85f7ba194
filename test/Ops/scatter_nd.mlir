// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK: clika.scatter_nd %arg0, %arg1, %arg2 :
func.func @rows(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %r = clika.scatter_nd %x, %i, %u : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// shape
func.func @bad(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{scatter_nd: updates has shape [2]; it must be [2, 4]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.scatter_nd %x, %i, %u : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3x4xf32>
  return
}
