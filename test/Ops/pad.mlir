// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @around(
// CHECK: clika.pad %arg0 {mode = "Edge", pads = array<i64: 1, -1, 0, 2>}
func.func @around(%x: tensor<4x?xf32, #clika.dims<4, n>>) -> tensor<5x?xf32, #clika.dims<5, n + 1>> {
  %r = clika.pad %x {pads = array<i64: 1, -1, 0, 2>, mode = "Edge"} : (tensor<4x?xf32, #clika.dims<4, n>>) -> tensor<5x?xf32, #clika.dims<5, n + 1>>
  return %r : tensor<5x?xf32, #clika.dims<5, n + 1>>
}

// -----

// C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{pad: pads has 1 entry, 2 are needed: before each axis, then after each}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.pad %x {pads = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<4xf32>, %v: tensor<i32>) {
  // expected-error @below {{pad: value is int32[]; it must hold one element of float32}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.pad %x value %v {pads = array<i64: 0, 1>} : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// C3
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{pad: pads take more than dimension 0 of [4] has}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.pad %x {pads = array<i64: -3, -2>} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

// C4
func.func @bad(%x: tensor<0xf32>) {
  // expected-error @below {{pad: mode Wrap has no element to repeat in dimension 0 of [0]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.pad %x {pads = array<i64: 1, 0>, mode = "Wrap"} : (tensor<0xf32>) -> tensor<1xf32>
  return
}

// -----

// C6
func.func @bad(%x: tensor<2xui8>) {
  %a = clika.pad %x {pads = array<i64: 1, 1>, value = 255 : i64} : (tensor<2xui8>) -> tensor<4xui8>
  // expected-error @below {{pad: value is -1, which does not fit a tensor of uint8, whose range it leaves; give a value of the type's range}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.pad %x {pads = array<i64: 1, 1>, value = -1 : i64} : (tensor<2xui8>) -> tensor<4xui8>
  return
}

// -----

// C6
func.func @bad(%x: tensor<2xf16>) {
  // expected-error @below {{pad: value is 1e+06, which does not fit a tensor of float16, whose range it leaves; give a value of the type's range, or infinity}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.pad %x {pads = array<i64: 1, 1>, value = 1.0e+6 : f64} : (tensor<2xf16>) -> tensor<4xf16>
  return
}
