// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<2x6x4xf32>, %b: tensor<6xf32>) {
  // CHECK: clika.instance_norm %{{.*}} bias %
  %0 = clika.instance_norm %x bias %b : (tensor<2x6x4xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @bias(%x: tensor<2x6x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{instance_norm: bias has shape [4], x has 6 channels and takes one number each}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.instance_norm %x bias %b : (tensor<2x6x4xf32>, tensor<4xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @rank(%x: tensor<6xf32>) {
  // expected-error @+2 {{instance_norm: x has 1 dimension; it must be [batch, channels, ...]}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.instance_norm %x : (tensor<6xf32>) -> tensor<6xf32>
  return
}
