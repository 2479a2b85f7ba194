// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x3x?xf32, #clika.dims<n, 3, h>>, %w: tensor<3x4x3xf32>) {
  // CHECK: clika.conv_transpose %{{.*}}, %{{.*}} {output_padding = array<i64: 1>, pads = array<i64: 1>, strides = array<i64: 2>}
  %0 = clika.conv_transpose %x, %w {strides = array<i64: 2>, output_padding = array<i64: 1>, pads = array<i64: 1>}
    : (tensor<?x3x?xf32, #clika.dims<n, 3, h>>, tensor<3x4x3xf32>) -> tensor<?x4x?xf32, #clika.dims<n, 4, h * 2>>
  return
}

// -----

func.func @output_shape(%x: tensor<1x3x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x6x8x9xf32>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv_transpose %x, %w {strides = array<i64: 2, 2>, output_shape = array<i64: 8, 9>, groups = 3 : i64} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @same(%x: tensor<1x3x4x4xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x2x8x12xf32>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv_transpose %x, %w {strides = array<i64: 2, 3>, auto_pad = "SameUpper"} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x3x4xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error @+2 {{conv_transpose: x has 3 channels, weight expects 4}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv_transpose %x, %w : (tensor<1x3x4xf32>, tensor<4x2x3xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @nothing_left(%x: tensor<1x3x1xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @+2 {{conv_transpose: pads leave nothing of spatial dimension 0}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv_transpose %x, %w {pads = array<i64: 2>} : (tensor<1x3x1xf32>, tensor<3x2x3xf32>) -> tensor<1x2x1xf32>
  return
}

// -----

func.func @output_padding(%x: tensor<1x3x1xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @+2 {{conv_transpose: output_padding holds -1; each must be at least 0}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv_transpose %x, %w {output_padding = array<i64: -1>} : (tensor<1x3x1xf32>, tensor<3x2x3xf32>) -> tensor<1x2x3xf32>
  return
}
