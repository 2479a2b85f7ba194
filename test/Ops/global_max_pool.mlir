// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) {
  // CHECK: clika.global_max_pool %
  %0 = clika.global_max_pool %x : (tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) -> tensor<?x3x1x1xf32, #clika.dims<n, 3, 1, 1>>
  return
}

// -----

func.func @shape(%x: tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x1x1xf32, #clika.dims<n, 3, 1, 1>>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.global_max_pool %x : (tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) -> tensor<1xf32>
  return
}

// -----

func.func @rank(%x: tensor<3xf32>) {
  // expected-error @+2 {{global_max_pool: x has 1 dimension; it must be [batch, channels, spatial...]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.global_max_pool %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}
