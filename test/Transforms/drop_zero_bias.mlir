// RUN: clika-opt --drop-zero-bias --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --drop-zero-bias=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @drops(
// CHECK-NEXT: %a = clika.conv %arg0, %arg1 {activation = "Relu", pads = array<i64: 1>}
// CHECK-NEXT: %b = clika.conv_transpose %arg0, %arg1
// CHECK-NEXT: return %a, %b
func.func @drops(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x6xf32>) {
  %k = clika.constant dense<-0.0> : tensor<1xf32>
  %a = clika.conv %x, %w bias %k {activation = "Relu", pads = array<i64: 1>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
  %b = clika.conv_transpose %x, %w bias %k : (tensor<1x1x4xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x6xf32>
  return %a, %b : tensor<1x1x4xf32>, tensor<1x1x6xf32>
}

// -----

// Near misses: no bias, one that is not all zeros, one of a run.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.linear 
// CHECK: clika.linear 
// CHECK: clika.linear 
func.func @near_misses(%x: tensor<1x2xf32>, %w: tensor<2x2xf32>, %r: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  %k = clika.constant dense<[0.0, 1.0]> : tensor<2xf32>
  // expected-remark @+1 {{it has no bias}}
  %a = clika.linear %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  // expected-remark @+1 {{its bias is no constant of zeros}}
  %b = clika.linear %x, %w bias %k : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  // expected-remark @+1 {{its bias is no constant of zeros}}
  %c = clika.linear %x, %w bias %r : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %a, %b, %c : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}
