// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // CHECK: clika.cumsum %{{.*}} {axis = 0 : i64}
  %0 = clika.cumsum %x {axis = 0 : i64} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}

// -----

func.func @shape(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xf32, #clika.dims<n, 3>>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.cumsum %x : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<1xf32>
  return
}

// -----

func.func @range(%x: tensor<?x3xf32, #clika.dims<n, 3>>) {
  // expected-error @+2 {{cumsum: axis 2 is out of range, x has 2 dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.cumsum %x {axis = 2 : i64} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return
}
