// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @both_ways(
// CHECK: clika.expand %arg0 {shape = array<i64: 2, 1, 6>}
func.func @both_ways(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> tensor<2x3x6xf32> {
  %r = clika.expand %x {shape = array<i64: 2, 1, 6>} : (tensor<3x1xf32>) -> tensor<2x3x6xf32>
  %t = clika.expand %x shape %s : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  return %r : tensor<2x3x6xf32>
}

// -----

// C1
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{expand: size -1 is negative; 1 keeps x's size}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.expand %x {shape = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<3xf32>) {
  // expected-error @below {{expand: [3] does not broadcast with [2]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.expand %x {shape = array<i64: 2>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
