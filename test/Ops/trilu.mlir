// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @lower(
// CHECK: clika.trilu %arg0 {k = 1 : i64, upper = false}
func.func @lower(%x: tensor<2x3x3xf32>, %k: tensor<i64>) -> tensor<2x3x3xf32> {
  %r = clika.trilu %x {upper = false, k = 1 : i64} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %s = clika.trilu %x k %k : (tensor<2x3x3xf32>, tensor<i64>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

// -----

// C1
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{trilu: x is float32[3]; it must have rank 2 or more}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.trilu %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// integer
func.func @bad(%x: tensor<3x3xf32>) {
  // expected-error @below {{trilu: k must be an integer}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.trilu %x {k = 1.5 : f64} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}
