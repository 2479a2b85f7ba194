// RUN: clika-opt --remove-double-not --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-double-not=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @undone(
// CHECK-NEXT: return %arg0, %arg1
func.func @undone(%x: tensor<2xi1>, %i: tensor<2xui8>) -> (tensor<2xi1>, tensor<2xui8>) {
  %a = clika.logical_not %x : tensor<2xi1>
  %b = clika.logical_not %a : tensor<2xi1>
  %c = clika.bitwise_not %i : tensor<2xui8>
  %d = clika.bitwise_not %c : tensor<2xui8>
  return %b, %d : tensor<2xi1>, tensor<2xui8>
}

// -----

// Near misses: one alone, and one of each.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.logical_not 
// CHECK: clika.bitwise_not 
func.func @near_misses(%x: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>) {
  // expected-remark @+1 {{it does not read a logical_not}}
  %a = clika.logical_not %x : tensor<2xi1>
  // expected-remark @+1 {{it does not read a bitwise_not}}
  %b = clika.bitwise_not %a : tensor<2xi1>
  return %a, %b : tensor<2xi1>, tensor<2xi1>
}
