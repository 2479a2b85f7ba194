// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @lengths(
// CHECK: clika.range {delta = 2 : i64, limit = 7 : i64}
func.func @lengths(%n: tensor<i64>) -> tensor<?xi64> {
  %a = clika.range {limit = 7 : i64, delta = 2 : i64} : () -> tensor<4xi64>
  %b = clika.range {start = 0.5 : f64, limit = 2 : i64, delta = 0.25 : f64} : () -> tensor<6xf32>
  %c = clika.range limit %n : (tensor<i64>) -> tensor<?xi64>
  return %c : tensor<?xi64>
}

// -----

// C1
func.func @bad(%n: tensor<i32>) {
  // expected-error @below {{range: limit is int32[]; it must hold one element of int64}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.range limit %n {dtype = i64} : (tensor<i32>) -> tensor<?xi64>
  return
}

// -----

// C2
func.func @bad() {
  // expected-error @below {{range: limit is 0.5, which does not fit a tensor of int64, which holds integers; give a whole number}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.range {limit = 0.5 : f64, dtype = i64} : () -> tensor<1xi64>
  return
}

// -----

// C3
func.func @bad() {
  // expected-error @below {{range: limit is missing}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.range : () -> tensor<1xi64>
  return
}

// -----

// C4
func.func @bad() {
  // expected-error @below {{range: delta is 0}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.range {limit = 3 : i64, delta = 0 : i64} : () -> tensor<1xi64>
  return
}

// -----

// C2
func.func @bad() {
  %a = clika.range {limit = 255 : i64, delta = 100.0 : f64, dtype = ui8} : () -> tensor<3xui8>
  // expected-error @below {{range: limit is 300, which does not fit a tensor of uint8, whose range it leaves; give a value of the type's range}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.range {limit = 300 : i64, delta = 100 : i64, dtype = ui8} : () -> tensor<3xui8>
  return
}
