// RUN: clika-opt --read-through-concat --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --read-through-concat=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// A whole piece, and a part of one.
// CHECK-LABEL: func.func @slices(
// CHECK-NEXT: %c = clika.slice %arg0 {axes = array<i64: 0>, ends = array<i64: 2>, starts = array<i64: 1>, steps = array<i64: 7>}
// CHECK-NEXT: return %arg1, %c
func.func @slices(%x: tensor<2x3xf32>, %z: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<1x3xf32>) {
  %a = clika.concat %x, %z {axis = 0 : i64} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<5x3xf32>
  %b = clika.slice %a {axes = array<i64: 0>, ends = array<i64: 99>, starts = array<i64: -3>} : (tensor<5x3xf32>) -> tensor<3x3xf32>
  %c = clika.slice %a {axes = array<i64: 0>, ends = array<i64: 2>, starts = array<i64: 1>, steps = array<i64: 7>} : (tensor<5x3xf32>) -> tensor<1x3xf32>
  return %b, %c : tensor<3x3xf32>, tensor<1x3xf32>
}

// -----

// CHECK-LABEL: func.func @gathers(
// CHECK-NEXT: %0 = clika.constant dense<[2, 0]> : tensor<2xi64>
// CHECK-NEXT: %b = clika.gather %arg1, %0
// CHECK-NEXT: %1 = clika.constant dense<1> : tensor<i64>
// CHECK-NEXT: %c = clika.gather %arg0, %1
// CHECK-NEXT: return %b, %c
func.func @gathers(%x: tensor<2xf32>, %z: tensor<3xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %i = clika.constant dense<[-1, 2]> : tensor<2xi64>
  %j = clika.constant dense<1> : tensor<i32>
  %a = clika.concat %x, %z {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %b = clika.gather %a, %i : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
  %c = clika.gather %a, %j : (tensor<5xf32>, tensor<i32>) -> tensor<f32>
  return %b, %c : tensor<2xf32>, tensor<f32>
}

// -----

// Near misses: two pieces, another axis, backwards, an index out of range, nothing.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.concat 
// CHECK: clika.gather 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.gather 
// CHECK: clika.slice 
func.func @near_misses(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>) {
  %i = clika.constant dense<[0, 3]> : tensor<2xi64>
  %j = clika.constant dense<[0, 4]> : tensor<2xi64>
  %a = clika.concat %x, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{reads nothing, or several pieces of the concat before it}}
  %b = clika.gather %a, %i : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  // expected-remark @+1 {{the concat before it joins another axis}}
  %c = clika.slice %a {axes = array<i64: 1>, ends = array<i64: 2>, starts = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
  // expected-remark @+1 {{cuts backwards}}
  %d = clika.slice %a {axes = array<i64: 0>, ends = array<i64: 1>, starts = array<i64: 3>, steps = array<i64: -1>} : (tensor<4x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{its indices are no constants in range}}
  %e = clika.gather %a, %j : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  // expected-remark @+1 {{reads nothing, or several pieces of the concat before it}}
  %f = clika.slice %a {axes = array<i64: 0>, ends = array<i64: 1>, starts = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<0x3xf32>
  return %b, %c, %d, %e, %f : tensor<2x3xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>
}

// -----

// Near misses: a piece of unknown size, and pieces that may not fit together.
// CHECK-LABEL: func.func @unknown(
// CHECK: clika.concat 
// CHECK: clika.slice 
// CHECK: clika.concat 
// CHECK: clika.slice 
func.func @unknown(%x: tensor<?xf32>, %z: tensor<2xf32>, %p: tensor<1x?xf32>, %q: tensor<1x?xf32>) -> (tensor<1xf32>, tensor<1x?xf32>) {
  %a = clika.concat %z, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{a piece of the concat before it is of unknown size}}
  %b = clika.slice %a {axes = array<i64: 0>, ends = array<i64: 1>, starts = array<i64: 0>} : (tensor<?xf32>) -> tensor<1xf32>
  %c = clika.concat %p, %q {axis = 0 : i64} : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<2x?xf32>
  // expected-remark @+1 {{the pieces of the concat before it are not known to fit together}}
  %d = clika.slice %c {axes = array<i64: 0>, ends = array<i64: 1>, starts = array<i64: 0>} : (tensor<2x?xf32>) -> tensor<1x?xf32>
  return %b, %d : tensor<1xf32>, tensor<1x?xf32>
}
