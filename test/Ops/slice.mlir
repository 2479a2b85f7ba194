// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @bounds(
// CHECK: clika.slice %arg0 {ends = array<i64: -9, 100>, starts = array<i64: -1, 1>, steps = array<i64: -2, 2>}
func.func @bounds(%x: tensor<4x6xf32>, %n: tensor<?x4xf32, #clika.dims<2 * n + 3, 4>>) -> tensor<2x3xf32> {
  %r = clika.slice %x {starts = array<i64: -1, 1>, ends = array<i64: -9, 100>, steps = array<i64: -2, 2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %s = clika.slice %n {starts = array<i64: 1>, ends = array<i64: 9223372036854775807>} : (tensor<?x4xf32, #clika.dims<2 * n + 3, 4>>) -> tensor<?x4xf32, #clika.dims<n * 2 + 2, 4>>
  return %r : tensor<2x3xf32>
}

// -----

// C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{slice: starts has 1 entry, ends has 0}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.slice %x {starts = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{slice: a step is 0}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 2>, steps = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// axes
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{slice: 2 entries are given for 1 dimension}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.slice %x {starts = array<i64: 0, 0>, ends = array<i64: 2, 2>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
