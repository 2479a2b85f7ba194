// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @ones(
// CHECK: clika.unsqueeze %arg0 {axes = array<i64: 0, -1>}
func.func @ones(%x: tensor<3xf32>) -> tensor<1x3x1xf32> {
  %r = clika.unsqueeze %x {axes = array<i64: 0, -1>} : (tensor<3xf32>) -> tensor<1x3x1xf32>
  return %r : tensor<1x3x1xf32>
}

// -----

// axis
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{unsqueeze: axis 2 is out of range for 2 dimensions; it lies in [-2, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.unsqueeze %x {axes = array<i64: 2>} : (tensor<3xf32>) -> tensor<1x3xf32>
  return
}
