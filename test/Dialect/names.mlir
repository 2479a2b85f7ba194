// RUN: clika-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: clika-opt %s --split-input-file --verify-diagnostics | clika-opt --split-input-file | FileCheck %s

// A node's name is its result's; one that is no identifier stands beside it.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: {clika.name = "in 1"}) -> (tensor<2xf32> {clika.name = "out"})
// CHECK-NEXT: %relu_1 = clika.relu %arg0 : tensor<2xf32>
// CHECK-NEXT: %a_b = clika.relu %relu_1 name "a b" : tensor<2xf32>
// CHECK-NEXT: %scale = clika.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %out = clika.mul %a_b, %scale :
func.func @named(%x: tensor<2xf32> {clika.name = "in 1"}) -> (tensor<2xf32> {clika.name = "out"}) {
  %relu_1 = clika.relu %x : tensor<2xf32>
  %0 = clika.relu %relu_1 name "a b" : tensor<2xf32>
  %scale = clika.constant dense<2.0> : tensor<f32>
  %out = clika.mul %0, %scale : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %out : tensor<2xf32>
}

// -----

// expected-error @below {{has on argument 0 the attribute 'clika.nmae', which nothing reads; clika.name gives an input its name}}
func.func @misspelt(%x: tensor<2xf32> {clika.nmae = "x"}) { return }
