// RUN: clika-opt --reassociate --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --reassociate=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @picks(
// CHECK-NEXT: %0 = clika.maximum %arg1, %arg2
// CHECK-NEXT: %q = clika.maximum %arg0, %0
// CHECK-NEXT: return %q
func.func @picks(%x: tensor<4x3xf32>, %a: tensor<3xf32>, %b: tensor<f32>) -> tensor<4x3xf32> {
  %p = clika.maximum %a, %x : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %q = clika.maximum %b, %p : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %q : tensor<4x3xf32>
}

// -----

// Integers wrap in any order; the activation stays outside.
// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: %0 = clika.mul %arg1, %arg2
// CHECK-NEXT: %q = clika.mul %arg0, %0 {activation = "Relu"}
// CHECK-NEXT: return %q
func.func @integers(%x: tensor<4xui8>, %a: tensor<1xui8>, %b: tensor<ui8>) -> tensor<4xui8> {
  %p = clika.mul %x, %a : (tensor<4xui8>, tensor<1xui8>) -> tensor<4xui8>
  %q = clika.mul %p, %b {activation = "Relu"} : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  return %q : tensor<4xui8>
}

// -----

// Near misses: floats, alpha, another reader, nothing smaller.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.add 
// CHECK: clika.add 
// CHECK: clika.add 
// CHECK: clika.add 
// CHECK: clika.minimum 
// CHECK: clika.minimum 
// CHECK: clika.maximum 
// CHECK: clika.maximum 
func.func @near_misses(%x: tensor<4xf32>, %a: tensor<1xf32>, %i: tensor<4xi32>, %k: tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  // expected-remark @+1 {{sums and products of floats round, and alpha tells the operands apart}}
  %b = clika.add %x, %a : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{sums and products of floats round, and alpha tells the operands apart}}
  %c = clika.add %b, %a : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{sums and products of floats round, and alpha tells the operands apart}}
  %d = clika.add %i, %k {alpha = 2.0 : f64} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  // expected-remark @+1 {{does not read one of its kind, read here alone, of which a smaller operand could be joined with its other one first}}
  %e = clika.add %d, %k : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  // expected-remark @+1 {{does not read one of its kind, read here alone, of which a smaller operand could be joined with its other one first}}
  %f = clika.minimum %i, %k : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  // expected-remark @+1 {{does not read one of its kind, read here alone, of which a smaller operand could be joined with its other one first}}
  %g = clika.minimum %f, %k : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  // expected-remark @+1 {{does not read one of its kind, read here alone, of which a smaller operand could be joined with its other one first}}
  %h = clika.maximum %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // expected-remark @+1 {{does not read one of its kind, read here alone, of which a smaller operand could be joined with its other one first}}
  %j = clika.maximum %h, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %c, %e, %f, %g, %j : tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
