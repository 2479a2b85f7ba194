// RUN: clika-opt --remove-unused --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-unused=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// A chain that nothing reads goes, constants too; what one reader is left of stays.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %y = clika.neg %arg0
// CHECK-NEXT: return %y
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = clika.constant dense<1.0> : tensor<2xf32>
  %a = clika.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.exp %a : tensor<2xf32>
  %y = clika.neg %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// A foldable node and a Relu over a Relu are not its business.
// CHECK-LABEL: func.func @leaves(
// CHECK-COUNT-2: clika.relu
// CHECK: clika.constant
// CHECK: clika.neg
func.func @leaves(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-remark @+1 {{something reads it}}
  %a = clika.relu %x : tensor<2xf32>
  // expected-remark @+1 {{something reads it}}
  %b = clika.relu %a : tensor<2xf32>
  // expected-remark @+1 {{something reads it}}
  %k = clika.constant dense<1.0> : tensor<2xf32>
  // expected-remark @+1 {{something reads it}}
  %n = clika.neg %k : tensor<2xf32>
  return %b, %n : tensor<2xf32>, tensor<2xf32>
}
