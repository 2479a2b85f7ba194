// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) {
  // CHECK: clika.max_pool %{{.*}} {kernel = array<i64: 2, 3>}
  %0 = clika.max_pool %x {kernel = array<i64: 2, 3>} : (tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) -> tensor<?x3x?x3xf32, #clika.dims<n, 3, (h + -2) floordiv 2 + 1, 3>>
  return
}

// -----

func.func @ceil(%x: tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x?x4xf32, #clika.dims<n, 3, (h + -3) ceildiv 2 + 1, 4>>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, ceil_mode = true} : (tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) -> tensor<1xf32>
  return
}

// -----

func.func @no_window_in_the_padding(%x: tensor<1x1x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x1x2xf32>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 2>, ceil_mode = true} : (tensor<1x1x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @kernel(%x: tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) {
  // expected-error @+2 {{max_pool: kernel has 1 entry, x has 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.max_pool %x {kernel = array<i64: 3>} : (tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) -> tensor<1xf32>
  return
}

// -----

func.func @pads(%x: tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) {
  // expected-error @+2 {{max_pool: pads of spatial dimension 1 are 2 and 2; each must be less than the window}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.max_pool %x {kernel = array<i64: 2, 2>, pads = array<i64: 0, 2>} : (tensor<?x3x?x9xf32, #clika.dims<n, 3, h, 9>>) -> tensor<1xf32>
  return
}

// -----

func.func @rank(%x: tensor<3x4xf32>) {
  // expected-error @+2 {{max_pool: x has 2 dimensions; it must be [batch, channels, spatial...]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.max_pool %x {kernel = array<i64: 2>} : (tensor<3x4xf32>) -> tensor<1xf32>
  return
}
