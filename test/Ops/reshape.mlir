// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @names(
// CHECK: clika.reshape %arg0 {shape = array<i64: 0, 0, 12, -1>}
func.func @names(%x: tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>> {
  %r = clika.reshape %x {shape = array<i64: 0, 0, 12, -1>} : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>>
  return %r : tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>>
}
// CHECK-LABEL: func.func @tensor(
// CHECK: clika.reshape %arg0 shape %arg1 {allow_zero = true}
func.func @tensor(%x: tensor<2x3xi1>, %s: tensor<3xi64>) -> tensor<?x?x?xi1> {
  %r = clika.reshape %x shape %s {allow_zero = true} : (tensor<2x3xi1>, tensor<3xi64>) -> tensor<?x?x?xi1>
  return %r : tensor<?x?x?xi1>
}

// -----

// C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @below {{reshape: [-1, -1] has -1 twice; only one size can be left out}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x {shape = array<i64: -1, -1>} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

// C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @below {{reshape: size -2 is negative; only -1, for one dimension, may be}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x {shape = array<i64: -2>} : (tensor<2x3xf32>) -> tensor<?xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<6xf32>) {
  // expected-error @below {{reshape: size 0 at 1 copies a dimension that [6] does not have}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x {shape = array<i64: 6, 0>} : (tensor<6xf32>) -> tensor<6x?xf32>
  return
}

// -----

// C3
func.func @bad(%x: tensor<4x6xf32>) {
  // expected-error @below {{reshape: [4, 6] does not divide into [5, -1]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x {shape = array<i64: 5, -1>} : (tensor<4x6xf32>) -> tensor<5x?xf32>
  return
}

// -----

// C4
func.func @bad(%x: tensor<4x6xf32>) {
  // expected-error @below {{reshape: [4, 6] has 24 elements, [5, 5] has 25}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x {shape = array<i64: 5, 5>} : (tensor<4x6xf32>) -> tensor<5x5xf32>
  return
}

// -----

// one of both
func.func @bad(%x: tensor<4xf32>, %s: tensor<1xi64>) {
  // expected-error @below {{reshape: shape is given as a literal and as a tensor; give one of them}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x shape %s {shape = array<i64: 4>} : (tensor<4xf32>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

// known length
func.func @bad(%x: tensor<4xf32>, %s: tensor<?xi64>) {
  // expected-error @below {{reshape: shape is int64[?]; it must be a 1-d tensor of known length}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.reshape %x shape %s : (tensor<4xf32>, tensor<?xi64>) -> tensor<4xf32>
  return
}
