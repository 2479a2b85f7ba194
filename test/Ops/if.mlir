// RUN: clika-opt %s -split-input-file -verify-diagnostics | FileCheck %s
// RUN: clika-opt %s -split-input-file -verify-diagnostics | clika-opt -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @both(
// CHECK: %if_1 = clika.if %arg1 : tensor<i1> -> (tensor<2xf32>) {
// CHECK-NEXT: %relu_1 = clika.relu %arg0
// CHECK-NEXT: clika.yield %relu_1 : tensor<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: clika.yield %arg0 : tensor<2xf32>
// CHECK-NEXT: }
func.func @both(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
  %if_1 = clika.if %c : tensor<i1> -> (tensor<2xf32>) {
    %relu_1 = clika.relu %x : tensor<2xf32>
    clika.yield %relu_1 : tensor<2xf32>
  } else {
    clika.yield %x : tensor<2xf32>
  }
  return %if_1 : tensor<2xf32>
}

// -----

// A dimension in which the branches differ is dynamic.
// CHECK-LABEL: func.func @sizes(
// CHECK: %chosen:2 = clika.if %arg1 : tensor<1xi1> -> (tensor<?xf32>, tensor<2xf32>) {
func.func @sizes(%x: tensor<2xf32>, %c: tensor<1xi1>) -> tensor<?xf32> {
  %0:2 = clika.if %c : tensor<1xi1> -> (tensor<?xf32>, tensor<2xf32>) name "chosen" {
    %y = clika.concat %x, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    clika.yield %y, %x : tensor<4xf32>, tensor<2xf32>
  } else {
    clika.yield %x, %x : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0 : tensor<?xf32>
}

// -----

// C1
func.func @bad(%x: tensor<2xf32>, %c: tensor<2xi1>) {
  // expected-error @below {{'clika.if' op the condition is bool[2]; it has one element}}
  clika.if %c : tensor<2xi1> {
    clika.yield
  } else {
    clika.yield
  }
  return
}

// -----

// C2
func.func @bad(%c: tensor<i1>) {
  // expected-error @below {{the branch `else` must have no arguments and end in a `clika.yield` without a condition}}
  clika.if %c : tensor<i1> {
    clika.yield
  } else {
    clika.yield while(%c : tensor<i1>)
  }
  return
}

// -----

// C3
func.func @bad(%x: tensor<2xf32>, %c: tensor<i1>) {
  // expected-error @below {{the branch `else` yields 0 values for 1 result}}
  %0 = clika.if %c : tensor<i1> -> (tensor<2xf32>) {
    clika.yield %x : tensor<2xf32>
  } else {
    clika.yield
  }
  return
}

// -----

// C3
func.func @bad(%x: tensor<2xf32>, %y: tensor<2xi32>, %c: tensor<i1>) {
  // expected-error @below {{the branch `else` yields int32[2] for number 0 of the results, which is float32[2]}}
  %0 = clika.if %c : tensor<i1> -> (tensor<2xf32>) {
    clika.yield %x : tensor<2xf32>
  } else {
    clika.yield %y : tensor<2xi32>
  }
  return
}
