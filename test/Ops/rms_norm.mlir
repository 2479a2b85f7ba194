// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %s: tensor<3xf32>) {
  // CHECK: clika.rms_norm %{{.*}} scale %
  %0 = clika.rms_norm %x scale %s : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @extends(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %s: tensor<1x2x3xf32>) {
  // expected-error @+2 {{rms_norm: scale [1, 2, 3] does not broadcast to x's shape [n, 3]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rms_norm %x scale %s
    : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<1x2x3xf32>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @range(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // expected-error @+2 {{rms_norm: axis -3 is out of range, x has 2 dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.rms_norm %x {axis = -3 : i64} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}
