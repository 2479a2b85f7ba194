// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @sizes(
// CHECK: clika.resize %arg0 scales %{{.*}} {axes = array<i64: 2, 3>, mode = "Linear"}
func.func @sizes(%x: tensor<1x3x?x5xf32, #clika.dims<1, 3, h, 5>>) -> tensor<1x3x?x10xf32, #clika.dims<1, 3, h * 2, 10>> {
  %scales = clika.constant dense<2.0> : tensor<2xf32>
  %r = clika.resize %x scales %scales {axes = array<i64: 2, 3>, mode = "Linear"} : (tensor<1x3x?x5xf32, #clika.dims<1, 3, h, 5>>, tensor<2xf32>) -> tensor<1x3x?x10xf32, #clika.dims<1, 3, h * 2, 10>>
  %s = clika.resize %x {sizes = array<i64: 7, 8>, axes = array<i64: -1, 1>} : (tensor<1x3x?x5xf32, #clika.dims<1, 3, h, 5>>) -> tensor<1x8x?x7xf32, #clika.dims<1, 8, h, 7>>
  return %r : tensor<1x3x?x10xf32, #clika.dims<1, 3, h * 2, 10>>
}
func.func @aspect(%x: tensor<4x5xf32>) -> tensor<6x8xf32> {
  %r = clika.resize %x {sizes = array<i64: 7, 8>, keep_aspect_ratio_policy = "NotLarger"} : (tensor<4x5xf32>) -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// -----

// C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{resize: give sizes or scales, one of the two}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.resize %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{resize: TfCropAndResize needs roi}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.resize %x {sizes = array<i64: 3>, coordinate_transformation_mode = "TfCropAndResize"} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// C4
func.func @bad(%x: tensor<0xf32>) {
  // expected-error @below {{resize: axis 0 of size 0 cannot be resized to 3}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.resize %x {sizes = array<i64: 3>} : (tensor<0xf32>) -> tensor<3xf32>
  return
}
