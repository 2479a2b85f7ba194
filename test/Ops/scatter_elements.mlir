// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK: clika.scatter_elements %arg0, %arg1, %arg2 {reduction = "Add"}
func.func @add(%x: tensor<3x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %r = clika.scatter_elements %x, %i, %u {reduction = "Add"} : (tensor<3x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// dtype
func.func @bad(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<2xf16>) {
  // expected-error @below {{scatter_elements: x has dtype float32, updates float16; cast one of them}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.scatter_elements %x, %i, %u : (tensor<3xf32>, tensor<2xi64>, tensor<2xf16>) -> tensor<3xf32>
  return
}

// -----

// shape
func.func @bad(%x: tensor<3xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error @below {{scatter_elements: updates has shape [3]; it must be [2]}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.scatter_elements %x, %i, %u : (tensor<3xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// bool
func.func @bad(%x: tensor<3xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  // expected-error @below {{scatter_elements: reduction Mul does not take bool tensors}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.scatter_elements %x, %i, %u {reduction = "Mul"} : (tensor<3xi1>, tensor<2xi64>, tensor<2xi1>) -> tensor<3xi1>
  return
}
