// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<?x6x?x9xf32, #clika.dims<n, 6, h, 9>>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) {
  // CHECK: clika.conv %{{.*}}, %{{.*}} bias %{{.*}} {groups = 2 : i64, pads = array<i64: 1, 1>, strides = array<i64: 2, 2>}
  %0 = clika.conv %x, %w bias %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1>, groups = 2 : i64}
    : (tensor<?x6x?x9xf32, #clika.dims<n, 6, h, 9>>, tensor<8x3x3x3xf32>, tensor<8xf32>)
    -> tensor<?x8x?x5xf32, #clika.dims<n, 8, (h + -1) floordiv 2 + 1, 5>>
  return
}

// -----

func.func @same(%x: tensor<1x3x?xf32, #clika.dims<1, 3, h>>, %w: tensor<8x3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x8x?xf32, #clika.dims<1, 8, h ceildiv 3>>'}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w {strides = array<i64: 3>, auto_pad = "SameLower"}
    : (tensor<1x3x?xf32, #clika.dims<1, 3, h>>, tensor<8x3x4xf32>) -> tensor<1x1x1xf32>
  return
}

// -----

func.func @channels(%x: tensor<2x3x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+2 {{conv: x has 3 channels, weight expects 4}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w : (tensor<2x3x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x7x7xf32>
  return
}

// -----

func.func @reach(%x: tensor<2x3x2xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @+2 {{conv: the window reaches over 5 elements of spatial dimension 0, x with its padding has 3}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w {dilations = array<i64: 2>, pads = array<i64: 1, 0>} : (tensor<2x3x2xf32>, tensor<8x3x3xf32>) -> tensor<2x8x1xf32>
  return
}

// -----

func.func @groups(%x: tensor<2x4x2xf32>, %w: tensor<9x2x1xf32>) {
  // expected-error @+2 {{conv: 9 out channels do not divide into 2 groups}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w {groups = 2 : i64} : (tensor<2x4x2xf32>, tensor<9x2x1xf32>) -> tensor<2x9x2xf32>
  return
}

// -----

func.func @bias(%x: tensor<2x4x2xf32>, %w: tensor<9x4x1xf32>, %b: tensor<8xf32>) {
  // expected-error @+2 {{conv: bias has shape [8], the 9 out channels take one number each}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w bias %b : (tensor<2x4x2xf32>, tensor<9x4x1xf32>, tensor<8xf32>) -> tensor<2x9x2xf32>
  return
}

// -----

func.func @strides(%x: tensor<2x4x2xf32>, %w: tensor<9x4x1xf32>) {
  // expected-error @+2 {{conv: strides has 2 entries, x has 1 spatial dimension}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w {strides = array<i64: 1, 1>} : (tensor<2x4x2xf32>, tensor<9x4x1xf32>) -> tensor<2x9x2xf32>
  return
}

// -----

func.func @auto_pad(%x: tensor<2x4x2xf32>, %w: tensor<9x4x1xf32>) {
  // expected-error @+2 {{conv: takes pads or auto_pad Valid, not both}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.conv %x, %w {auto_pad = "Valid", pads = array<i64: 1, 1>} : (tensor<2x4x2xf32>, tensor<9x4x1xf32>) -> tensor<2x9x4xf32>
  return
}
