// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // CHECK: clika.argmax %{{.*}} {axis = 1 : i64, keepdims = true}
  %0 = clika.argmax %x {axis = 1 : i64, keepdims = true} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x1xi64, #clika.dims<n, 1>>
  return
}

// -----

func.func @all(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<i64>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.argmax %x : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<1xi64>
  return
}

// -----

func.func @nothing(%x: tensor<3x0xf32>) {
  // expected-error @+2 {{argmax: dimension 1 of x [3, 0] has no elements}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.argmax %x {axis = -1 : i64} : (tensor<3x0xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @range(%x: tensor<3x2xf32>) {
  // expected-error @+2 {{argmax: axis -3 is out of range, x has 2 dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.argmax %x {axis = -3 : i64} : (tensor<3x2xf32>) -> tensor<3xi64>
  return
}
