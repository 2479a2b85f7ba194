// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @repeats(
// CHECK: clika.tile %arg0 {repeats = array<i64: 2, 1>}
func.func @repeats(%x: tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n * 2, 3>> {
  %r = clika.tile %x {repeats = array<i64: 2, 1>} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n * 2, 3>>
  return %r : tensor<?x3xf32, #clika.dims<n * 2, 3>>
}

// -----

// C1
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{tile: repeats has 2 entries for 1 dimension}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.tile %x {repeats = array<i64: 1, 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{tile: repeat -1 is negative}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.tile %x {repeats = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
