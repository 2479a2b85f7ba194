// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @ones(
// CHECK: clika.squeeze %arg0 :
func.func @ones(%x: tensor<1x4x1xf32>) -> tensor<4xf32> {
  %r = clika.squeeze %x : (tensor<1x4x1xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// C2
func.func @unknown(%x: tensor<1x?x1xf32, #clika.dims<1, n, 1>>) {
  // expected-error @below {{squeeze: without axes each dimension of size 1 goes, and of [1, n, 1] the size of dimension 1 is not known before a run; give axes}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.squeeze %x : (tensor<1x?x1xf32, #clika.dims<1, n, 1>>) -> tensor<?xf32, #clika.dims<n>>
  return
}

// -----

// C1
func.func @bad(%x: tensor<1x3xf32>) {
  // expected-error @below {{squeeze: dimension 1 of [1, 3] has size 3, not 1}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.squeeze %x {axes = array<i64: 1>} : (tensor<1x3xf32>) -> tensor<1xf32>
  return
}
