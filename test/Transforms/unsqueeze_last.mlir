// RUN: clika-opt --unsqueeze-last --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --unsqueeze-last=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @swaps(
// CHECK-NEXT: %0 = clika.transpose %arg0 {perm = array<i64: 2, 0, 1>}
// CHECK-NEXT: %b = clika.unsqueeze %0 {axes = array<i64: 0, 3>}
// CHECK-NEXT: %d = clika.unsqueeze %arg0 {axes = array<i64: 1>}
// CHECK-NEXT: return %b, %d
func.func @swaps(%x: tensor<2x?x4xf32>) -> (tensor<1x4x2x1x?xf32>, tensor<2x1x?x4xf32>) {
  %a = clika.unsqueeze %x {axes = array<i64: 1, -1>} : (tensor<2x?x4xf32>) -> tensor<2x1x?x4x1xf32>
  %b = clika.transpose %a {perm = array<i64: 1, 3, 0, 4, 2>} : (tensor<2x1x?x4x1xf32>) -> tensor<1x4x2x1x?xf32>
  %c = clika.unsqueeze %x {axes = array<i64: 0>} : (tensor<2x?x4xf32>) -> tensor<1x2x?x4xf32>
  %d = clika.transpose %c {perm = array<i64: 1, 0, 2, 3>} : (tensor<1x2x?x4xf32>) -> tensor<2x1x?x4xf32>
  return %b, %d : tensor<1x4x2x1x?xf32>, tensor<2x1x?x4xf32>
}

// -----

// Near misses: the unsqueeze has another reader, and what comes before is a reshape.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.unsqueeze 
// CHECK: clika.transpose 
// CHECK: clika.reshape 
// CHECK: clika.transpose 
func.func @near_misses(%x: tensor<2x3xf32>) -> (tensor<3x1x2xf32>, tensor<2x1x3xf32>, tensor<3x1x2xf32>) {
  %a = clika.unsqueeze %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  // expected-remark @+1 {{does not read an unsqueeze that it alone reads}}
  %b = clika.transpose %a : (tensor<2x1x3xf32>) -> tensor<3x1x2xf32>
  %c = clika.reshape %x {shape = array<i64: 2, 1, 3>} : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  // expected-remark @+1 {{does not read an unsqueeze that it alone reads}}
  %d = clika.transpose %c : (tensor<2x1x3xf32>) -> tensor<3x1x2xf32>
  return %b, %a, %d : tensor<3x1x2xf32>, tensor<2x1x3xf32>, tensor<3x1x2xf32>
}
