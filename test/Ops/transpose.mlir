// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @reversed(
// CHECK: clika.transpose %arg0 :
func.func @reversed(%x: tensor<2x?x4xui8, #clika.dims<2, n, 4>>) -> tensor<4x?x2xui8, #clika.dims<4, n, 2>> {
  %r = clika.transpose %x : (tensor<2x?x4xui8, #clika.dims<2, n, 4>>) -> tensor<4x?x2xui8, #clika.dims<4, n, 2>>
  return %r : tensor<4x?x2xui8, #clika.dims<4, n, 2>>
}

// -----

// C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @below {{transpose: perm has 1 entry for 2 dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.transpose %x {perm = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @below {{transpose: axis -2 stands twice in axes}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.transpose %x {perm = array<i64: 0, -2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// axis
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @below {{transpose: axis 2 is out of range for 2 dimensions; it lies in [-2, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.transpose %x {perm = array<i64: 0, 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
