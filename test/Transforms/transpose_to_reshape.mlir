// RUN: clika-opt --transpose-to-reshape --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --transpose-to-reshape=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @reshapes(
// CHECK-NEXT: %a = clika.reshape %arg0 {allow_zero = true, shape = array<i64: 1, -1, 1, 3>}
// CHECK-NEXT: return %a
func.func @reshapes(%x: tensor<?x1x3x1xf32>) -> tensor<1x?x1x3xf32> {
  %a = clika.transpose %x {perm = array<i64: -1, 0, 1, 2>} : (tensor<?x1x3x1xf32>) -> tensor<1x?x1x3xf32>
  return %a : tensor<1x?x1x3xf32>
}

// -----

// Near misses: another dimension moves, two sizes are unknown, nothing moves.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.transpose 
// CHECK: clika.transpose 
// CHECK: clika.transpose 
func.func @near_misses(%x: tensor<2x1x3xf32>, %z: tensor<?x1x?xf32>) -> (tensor<3x1x2xf32>, tensor<1x?x?xf32>, tensor<2x1x3xf32>) {
  // expected-remark @+1 {{it moves other dimensions than those of size 1, or none}}
  %a = clika.transpose %x : (tensor<2x1x3xf32>) -> tensor<3x1x2xf32>
  // expected-remark @+1 {{its shape cannot be given as literal sizes}}
  %b = clika.transpose %z {perm = array<i64: 1, 0, 2>} : (tensor<?x1x?xf32>) -> tensor<1x?x?xf32>
  // expected-remark @+1 {{it moves other dimensions than those of size 1, or none}}
  %c = clika.transpose %x {perm = array<i64: 0, 1, 2>} : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  return %a, %b, %c : tensor<3x1x2xf32>, tensor<1x?x?xf32>, tensor<2x1x3xf32>
}
