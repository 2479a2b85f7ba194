// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @accepted
func.func @accepted(%x: tensor<2x6x4xf32>, %s: tensor<6xf32>) {
  // CHECK: clika.group_norm %{{.*}} scale %{{.*}} {groups = 3 : i64}
  %0 = clika.group_norm %x scale %s {groups = 3 : i64} : (tensor<2x6x4xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @divides(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{group_norm: 6 channels do not divide into 4 groups}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.group_norm %x {groups = 4 : i64} : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @none(%x: tensor<2x6x4xf32>) {
  // expected-error @+2 {{group_norm: groups is 0; it must be at least 1}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.group_norm %x {groups = 0 : i64} : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @scale(%x: tensor<2x6x4xf32>, %s: tensor<3xf32>) {
  // expected-error @+2 {{group_norm: scale has shape [3], x has 6 channels and takes one number each}}
  // expected-error @+1 {{failed to infer}}
  %0 = clika.group_norm %x scale %s {groups = 3 : i64} : (tensor<2x6x4xf32>, tensor<3xf32>) -> tensor<2x6x4xf32>
  return
}
