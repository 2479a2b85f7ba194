// RUN: clika-opt --remove-double-neg --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-double-neg=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Fires; both Negs go, since nothing else reads them.
// CHECK-LABEL: func.func @pair(
// CHECK-NEXT: %[[Y:.*]] = clika.exp %arg0
// CHECK-NEXT: return %[[Y]]
func.func @pair(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.neg %x : tensor<2xf32>
  %b = clika.neg %a : tensor<2xf32>
  %y = clika.exp %b : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// The inner Neg stays where it has another reader.
// CHECK-LABEL: func.func @read_twice(
// CHECK-NEXT: %[[A:.*]] = clika.neg %arg0
// CHECK-NEXT: return %arg0, %[[A]]
func.func @read_twice(%x: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {
  %a = clika.neg %x : tensor<2xi8>
  %b = clika.neg %a : tensor<2xi8>
  return %b, %a : tensor<2xi8>, tensor<2xi8>
}

// -----

// Near miss: a Relu between.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-2: clika.neg
func.func @apart(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-remark @+1 {{it does not read a Neg}}
  %a = clika.neg %x : tensor<2xf32>
  %b = clika.relu %a : tensor<2xf32>
  // expected-remark @+1 {{it does not read a Neg}}
  %c = clika.neg %b : tensor<2xf32>
  return %c : tensor<2xf32>
}
