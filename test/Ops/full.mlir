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

// -----

// C4
func.func @bad() {
  %a = clika.full {shape = array<i64: 1>, value = 255.0 : f64, dtype = ui8} : () -> tensor<1xui8>
  %b = clika.full {shape = array<i64: 1>, value = 0x7FF0000000000000 : f64, dtype = f16} : () -> tensor<1xf16>
  %c = clika.full {shape = array<i64: 1>, value = 1 : i64, dtype = i1} : () -> tensor<1xi1>
  // expected-error @below {{full: value is 256, which does not fit a tensor of uint8, whose range it leaves; give a value of the type's range}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.full {shape = array<i64: 1>, value = 256 : i64, dtype = ui8} : () -> tensor<1xui8>
  return
}

// -----

// C4
func.func @bad() {
  // expected-error @below {{full: value is 2, which does not fit a tensor of bool, which holds 0 and 1; give true or false}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.full {shape = array<i64: 1>, value = 2 : i64, dtype = i1} : () -> tensor<1xi1>
  return
}
