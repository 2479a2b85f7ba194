// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @two(
// CHECK: clika.topk %arg0 {axis = 0 : i64, k = 2 : i64, largest = false}
func.func @two(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
  %r:2 = clika.topk %x {k = 2 : i64, axis = 0 : i64, largest = false} : (tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xi64>)
  return %r#0 : tensor<2x6xf32>
}

// -----

// C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{topk: k is 5, axis 0 has size 4; k must lie between 0 and the size}}
  // expected-error @below {{failed to infer returned types}}
  %r:2 = clika.topk %x {k = 5 : i64} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

// missing
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{topk: k is missing}}
  // expected-error @below {{failed to infer returned types}}
  %r:2 = clika.topk %x : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}
