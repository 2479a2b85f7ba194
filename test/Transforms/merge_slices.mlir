// RUN: clika-opt --merge-slices --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-slices=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Other axes keep their bounds as they are, whatever the size.
// CHECK-LABEL: func.func @axes(
// CHECK-NEXT: %b = clika.slice %arg0 {axes = array<i64: 0, 1>, ends = array<i64: -1, -9>, starts = array<i64: 1, -1>, steps = array<i64: 2, -1>}
// CHECK-NEXT: return %b
func.func @axes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %a = clika.slice %x {axes = array<i64: -2>, ends = array<i64: -1>, starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = clika.slice %a {axes = array<i64: 1>, ends = array<i64: -9>, starts = array<i64: -1>, steps = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %b : tensor<?x?xf32>
}

// -----

// Positions 1, 3, 5, 7 of ten, and of these the second and fourth.
// CHECK-LABEL: func.func @one_axis(
// CHECK-NEXT: %b = clika.slice %arg0 {axes = array<i64: 0>, ends = array<i64: 8>, starts = array<i64: 3>, steps = array<i64: 4>}
// CHECK-NEXT: return %b
func.func @one_axis(%x: tensor<10xf32>) -> tensor<2xf32> {
  %a = clika.slice %x {ends = array<i64: 8>, starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<10xf32>) -> tensor<4xf32>
  %b = clika.slice %a {ends = array<i64: 9223372036854775807>, starts = array<i64: -3>, steps = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Nothing is left.
// CHECK-LABEL: func.func @empty(
// CHECK-NEXT: %b = clika.slice %arg0 {axes = array<i64: 0>, ends = array<i64: 0>, starts = array<i64: 0>, steps = array<i64: 1>}
// CHECK-NEXT: return %b
func.func @empty(%x: tensor<10xf32>) -> tensor<0xf32> {
  %a = clika.slice %x {ends = array<i64: 8>, starts = array<i64: 1>} : (tensor<10xf32>) -> tensor<7xf32>
  %b = clika.slice %a {ends = array<i64: 3>, starts = array<i64: 5>} : (tensor<7xf32>) -> tensor<0xf32>
  return %b : tensor<0xf32>
}

// -----

// Near misses: one axis of unknown size, one axis backwards, a bound given as a tensor.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
func.func @near_misses(%x: tensor<?xf32>, %z: tensor<6xf32>, %s: tensor<1xi64>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark @+1 {{does not read a slice}}
  %a = clika.slice %x {ends = array<i64: 9>, starts = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{both cut one axis, of unknown size or backwards}}
  %b = clika.slice %a {ends = array<i64: 5>, starts = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{does not read a slice}}
  %c = clika.slice %z {ends = array<i64: 0>, starts = array<i64: -1>, steps = array<i64: -1>} : (tensor<6xf32>) -> tensor<5xf32>
  // expected-remark @+1 {{both cut one axis, of unknown size or backwards}}
  %d = clika.slice %c {ends = array<i64: 4>, starts = array<i64: 1>} : (tensor<5xf32>) -> tensor<3xf32>
  // expected-remark @+1 {{a bound is a tensor}}
  %e = clika.slice %d starts %s {ends = array<i64: 5>} : (tensor<3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %b, %e : tensor<?xf32>, tensor<?xf32>
}
