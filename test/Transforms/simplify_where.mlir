// RUN: clika-opt --simplify-where --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --simplify-where=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @swaps(
// CHECK-NEXT: %w = clika.where %arg0, %arg2, %arg1
// CHECK-NEXT: return %w
func.func @swaps(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %n = clika.logical_not %c : tensor<2xi1>
  %w = clika.where %n, %a, %b : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %w : tensor<2xf32>
}

// -----

// A mask of constants takes in a constant term: on each branch it is a constant.
// CHECK-LABEL: func.func @mask(
// CHECK-NEXT: %z = clika.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %i = clika.constant dense<0xFF800000> : tensor<f32>
// CHECK-NEXT: %k = clika.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, -0.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: %0 = clika.add %z, %k {activation = "Tanh"}
// CHECK-NEXT: %1 = clika.add %i, %k {activation = "Tanh"}
// CHECK-NEXT: %y = clika.where %arg0, %0, %1
// CHECK-NEXT: return %y
func.func @mask(%c: tensor<?x4xi1>) -> tensor<?x4xf32> {
  %z = clika.constant dense<0.0> : tensor<f32>
  %i = clika.constant dense<0xFF800000> : tensor<f32>
  %k = clika.constant dense<[1.0, 2.0, 3.0, -0.0]> : tensor<4xf32>
  %w = clika.where %c, %z, %i : (tensor<?x4xi1>, tensor<f32>, tensor<f32>) -> tensor<?x4xf32>
  %y = clika.add %w, %k {activation = "Tanh"} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// What both branches add is added once.
// CHECK-LABEL: func.func @common(
// CHECK-NEXT: %0 = clika.where %arg0, %arg1, %arg2
// CHECK-NEXT: %w = clika.sub %arg3, %0 {alpha = 2.000000e+00 : f64}
// CHECK-NEXT: return %w
func.func @common(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>, %k: tensor<f32>) -> tensor<2xf32> {
  %p = clika.sub %k, %a {alpha = 2.0 : f64} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %q = clika.sub %k, %b {alpha = 2.0 : f64} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %w = clika.where %c, %p, %q : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %w : tensor<2xf32>
}

// -----

// Sums and products have their operands in any order.
// CHECK-LABEL: func.func @any_order(
// CHECK-NEXT: %0 = clika.where %arg0, %arg1, %arg2
// CHECK-NEXT: %v = clika.add %0, %arg3
// CHECK-NEXT: %1 = clika.where %arg0, %arg2, %arg1
// CHECK-NEXT: %w = clika.mul %arg3, %1
// CHECK-NEXT: return %v, %w
func.func @any_order(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %p = clika.add %a, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %q = clika.add %k, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %v = clika.where %c, %p, %q : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %r = clika.mul %k, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s = clika.mul %a, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %w = clika.where %c, %r, %s : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %v, %w : tensor<2xf32>, tensor<2xf32>
}

// -----

// An alpha belongs to the second operand, and a sum of the other two is none of these.
// CHECK-LABEL: func.func @one_order(
// CHECK: clika.add
// CHECK: clika.add
// CHECK: clika.where
// CHECK: clika.add
// CHECK: clika.add
// CHECK: clika.where
func.func @one_order(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>, %k: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %p = clika.add %a, %k {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %q = clika.add %k, %b {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{the operators of its branches differ in no operand, or in more than one}}
  %v = clika.where %c, %p, %q : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %r = clika.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s = clika.add %k, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{the operators of its branches differ in no operand, or in more than one}}
  %w = clika.where %c, %r, %s : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %v, %w : tensor<2xf32>, tensor<2xf32>
}

// -----

// Near misses: other settings, two operands that differ, a branch read elsewhere, a branch that is broadcast.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.sub 
// CHECK: clika.sub 
// CHECK: clika.where 
// CHECK: clika.sub 
// CHECK: clika.sub 
// CHECK: clika.where 
// CHECK: clika.exp 
// CHECK: clika.exp 
// CHECK: clika.where 
// CHECK: clika.exp 
// CHECK: clika.exp 
// CHECK: clika.where 
func.func @near_misses(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>, %k: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %p = clika.sub %k, %a {alpha = 2.0 : f64} : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %q = clika.sub %k, %b : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{the operators of its branches have other settings, or other readers}}
  %v = clika.where %c, %p, %q : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %r = clika.sub %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s = clika.sub %b, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{the operators of its branches differ in no operand, or in more than one}}
  %w = clika.where %c, %r, %s : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %e = clika.exp %a : tensor<2xf32>
  %f = clika.exp %b : tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{the operators of its branches have other settings, or other readers}}
  %x = clika.where %c, %e, %f : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = clika.exp %k : tensor<f32>
  %h = clika.exp %a : tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{its branches are broadcast, or of operands of two dtypes}}
  %y = clika.where %c, %g, %h : (tensor<2xi1>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %v, %w, %x, %y, %f : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Near misses: a branch that is no constant, and another operand that is none.
// CHECK-LABEL: func.func @not_constant(
// CHECK: clika.where 
// CHECK: clika.add 
// CHECK: clika.where 
// CHECK: clika.add 
func.func @not_constant(%c: tensor<2xi1>, %a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %z = clika.constant dense<0.0> : tensor<f32>
  %o = clika.constant dense<1.0> : tensor<f32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{its branches are not made by one kind of pointwise operator}}
  %v = clika.where %c, %a, %z : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the where before it has another reader, or a branch that is no small constant}}
  %p = clika.add %v, %o : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+2 {{its condition is no logical_not}}
  // expected-remark @+1 {{its branches are not made by one kind of pointwise operator}}
  %w = clika.where %c, %o, %z : (tensor<2xi1>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{another operand than the where is no small constant}}
  %q = clika.add %w, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %p, %q : tensor<2xf32>, tensor<2xf32>
}
