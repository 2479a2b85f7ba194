// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @rows(
// CHECK: clika.gather %arg0, %arg1 :
func.func @rows(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %i: tensor<?x2xi32, #clika.dims<b, 2>>) -> tensor<?x2x3xf32, #clika.dims<b, 2, 3>> {
  %r = clika.gather %x, %i : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<?x2xi32, #clika.dims<b, 2>>) -> tensor<?x2x3xf32, #clika.dims<b, 2, 3>>
  return %r : tensor<?x2x3xf32, #clika.dims<b, 2, 3>>
}

// -----

// axis
func.func @bad(%x: tensor<3xf32>, %i: tensor<i64>) {
  // expected-error @below {{gather: axis 1 is out of range for 1 dimension; it lies in [-1, 0]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.gather %x, %i {axis = 1 : i64} : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
  return
}
