// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @values(
// CHECK: clika.full shape %{{.*}} value %arg1 :
func.func @values(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %v: tensor<f16>) -> tensor<?x3xf16, #clika.dims<n, 3>> {
  %s = clika.shape %x : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<2xi64>
  %r = clika.full shape %s value %v : (tensor<2xi64>, tensor<f16>) -> tensor<?x3xf16, #clika.dims<n, 3>>
  %t = clika.full {shape = array<i64: 2>, value = true} : () -> tensor<2xi1>
  %u = clika.full {shape = array<i64: 2>, value = 7, dtype = ui8} : () -> tensor<2xui8>
  return %r : tensor<?x3xf16, #clika.dims<n, 3>>
}

// -----

// C1
func.func @bad() {
  // expected-error @below {{full: size -2 is negative}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.full {shape = array<i64: -2>} : () -> tensor<2xf32>
  return
}

// -----

// C2
func.func @bad(%v: tensor<2xf32>) {
  // expected-error @below {{full: value is float32[2]; it must hold one element}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.full value %v {shape = array<i64: 2>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// C3
func.func @bad(%v: tensor<f32>) {
  // expected-error @below {{full: value has dtype float32, the result int8; cast value}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.full value %v {shape = array<i64: 2>, dtype = i8} : (tensor<f32>) -> tensor<2xi8>
  return
}
