// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @axes(
// CHECK: clika.flip %arg0 {axes = array<i64: -1>}
func.func @axes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = clika.flip %x {axes = array<i64: -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// axis
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{flip: axis 1 is out of range for 1 dimension; it lies in [-1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.flip %x {axes = array<i64: 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
