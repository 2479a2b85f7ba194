// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %s: tensor<3xf32>, %b: tensor<1xf32>) {
  // CHECK: clika.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} {axis = 0 : i64}
  %0 = clika.layer_norm %x scale %s bias %b {axis = 0 : i64}
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<3xf32>, tensor<1xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @extends(%x: tensor<1x1xf32>, %s: tensor<2xf32>) {
  // expected-error @+2 {{layer_norm: scale [2] does not broadcast to x's shape [1, 1]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.layer_norm %x scale %s : (tensor<1x1xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @range(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // expected-error @+2 {{layer_norm: axis 2 is out of range, x has 2 dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.layer_norm %x {axis = 2 : i64} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}
