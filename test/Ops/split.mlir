// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @parts(
// CHECK: clika.split %arg0 {num = 3 : i64}
func.func @parts(%x: tensor<5x6xf32>) -> tensor<5x1xf32> {
  %r:3 = clika.split %x {num = 3 : i64, axis = 0 : i64} : (tensor<5x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<1x6xf32>)
  %s:2 = clika.split %x {sizes = array<i64: 1, 5>, axis = -1 : i64} : (tensor<5x6xf32>) -> (tensor<5x1xf32>, tensor<5x5xf32>)
  return %s#0 : tensor<5x1xf32>
}
// CHECK-LABEL: func.func @counted(
// CHECK: clika.split %arg0 sizes %arg1 {num = 2 : i64}
func.func @counted(%x: tensor<5xf32>, %n: tensor<?xi64>) -> tensor<?xf32> {
  %r:2 = clika.split %x sizes %n {num = 2 : i64} : (tensor<5xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0 : tensor<?xf32>
}

// -----

// C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{split: 0 sizes are given and num is 0; give the parts' sizes or their number}}
  // expected-error @below {{failed to infer returned types}}
  %r = clika.split %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{split: size -1 is negative}}
  // expected-error @below {{failed to infer returned types}}
  %r:2 = clika.split %x {sizes = array<i64: -1, 5>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

// C3
func.func @bad(%x: tensor<4xf32>) {
  // expected-error @below {{split: sizes [1, 2] add up to 3, axis 0 has 4}}
  // expected-error @below {{failed to infer returned types}}
  %r:2 = clika.split %x {sizes = array<i64: 1, 2>} : (tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  return
}
