// RUN: clika-opt --slices-to-split --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --slices-to-split=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @slices(
// CHECK-NEXT: %b:3 = clika.split %arg0 {axis = 1 : i64, sizes = array<i64: 2, 1, 3>}
// CHECK-NEXT: return %b#0, %b#1, %b#2
func.func @slices(%x: tensor<2x6xf32>) -> (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x3xf32>) {
  %a = clika.slice %x {axes = array<i64: 1>, ends = array<i64: 99>, starts = array<i64: -3>} : (tensor<2x6xf32>) -> tensor<2x3xf32>
  %b = clika.slice %x {axes = array<i64: -1>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<2x6xf32>) -> tensor<2x2xf32>
  %c = clika.slice %x {axes = array<i64: 1>, ends = array<i64: 3>, starts = array<i64: 2>} : (tensor<2x6xf32>) -> tensor<2x1xf32>
  return %b, %c, %a : tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @gathers(
// CHECK-NEXT: %b:2 = clika.split %arg0 {sizes = array<i64: 1, 1>}
// CHECK-NEXT: %a = clika.squeeze %b#0 {axes = array<i64: 0>}
// CHECK-NEXT: return %a, %b#1
func.func @gathers(%x: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<1x3xf32>) {
  %i = clika.constant dense<0> : tensor<i64>
  %j = clika.constant dense<[-1]> : tensor<1xi64>
  %a = clika.gather %x, %i : (tensor<2x3xf32>, tensor<i64>) -> tensor<3xf32>
  %b = clika.gather %x, %j : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  return %a, %b : tensor<3xf32>, tensor<1x3xf32>
}

// -----

// Near misses: a gap, an overlap, a part that is missing.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
func.func @near_misses(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) {
  // expected-remark @+1 {{parts overlap, or leave a gap between them}}
  %a = clika.slice %x {ends = array<i64: 1>, starts = array<i64: 0>} : (tensor<4xf32>) -> tensor<1xf32>
  // expected-remark @+1 {{not the first part of the axis}}
  %b = clika.slice %x {ends = array<i64: 4>, starts = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{parts overlap, or leave a gap between them}}
  %c = clika.slice %y {ends = array<i64: 3>, starts = array<i64: 0>} : (tensor<4xf32>) -> tensor<3xf32>
  // expected-remark @+1 {{not the first part of the axis}}
  %d = clika.slice %y {ends = array<i64: 4>, starts = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{its operand's other slices do not reach the end of the axis}}
  %e = clika.slice %z {ends = array<i64: 3>, starts = array<i64: 0>} : (tensor<4xf32>) -> tensor<3xf32>
  return %a, %b, %c, %d, %e : tensor<1xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>
}

// -----

// Near misses: steps, an unknown size, two axes.
// CHECK-LABEL: func.func @no_parts(
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
func.func @no_parts(%x: tensor<4xf32>, %y: tensor<?xf32>, %z: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<?xf32>, tensor<1x1xf32>) {
  // expected-remark @+1 {{not a run of known positions of one axis}}
  %a = clika.slice %x {ends = array<i64: 4>, starts = array<i64: 0>, steps = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a run of known positions of one axis}}
  %b = clika.slice %y {ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{not a run of known positions of one axis}}
  %c = clika.slice %z {ends = array<i64: 1, 1>, starts = array<i64: 0, 0>} : (tensor<2x2xf32>) -> tensor<1x1xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<?xf32>, tensor<1x1xf32>
}
