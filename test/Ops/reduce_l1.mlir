// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3x4xf32, #clika.dims<n, 3, 4>>) {
  // CHECK: clika.reduce_l1 %{{.*}} {axes = array<i64: -2>, keepdims = true}
  %0 = clika.reduce_l1 %x {axes = array<i64: -2>, keepdims = true} : (tensor<?x3x4xf32, #clika.dims<n, 3, 4>>) -> tensor<?x1x4xf32, #clika.dims<n, 1, 4>>
  return
}

// -----

func.func @all(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.reduce_l1 %x : (tensor<2x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @some(%x: tensor<?x3x4xf32, #clika.dims<n, 3, 4>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #clika.dims<n>>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.reduce_l1 %x {axes = array<i64: 1, 2>} : (tensor<?x3x4xf32, #clika.dims<n, 3, 4>>) -> tensor<f32>
  return
}

// -----

func.func @range(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduce_l1: axis 2 is out of range, x has 2 dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.reduce_l1 %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduce_l1: axis 1 is named twice}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.reduce_l1 %x {axes = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
