// RUN: clika-opt --narrow-casts --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --narrow-casts=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @narrows(
// CHECK-NEXT: %0 = clika.constant dense<5.000000e-01> : tensor<f16>
// CHECK-NEXT: %c = clika.mul %arg0, %0
// CHECK-NEXT: return %c
func.func @narrows(%x: tensor<2x4xf16>) -> tensor<2x4xf16> {
  %k = clika.constant dense<0.5> : tensor<f32>
  %a = clika.cast %x to f32 : (tensor<2x4xf16>) -> tensor<2x4xf32>
  %b = clika.mul %a, %k : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %c = clika.cast %b to f16 : (tensor<2x4xf32>) -> tensor<2x4xf16>
  return %c : tensor<2x4xf16>
}

// -----

// A norm and a softmax compute half precision in float32 as well.
// CHECK-LABEL: func.func @norms(
// CHECK-NEXT: %0 = clika.constant dense<[1.000000e+00, 2.000000e+00, 5.000000e-01, -1.000000e+00]> : tensor<4xbf16>
// CHECK-NEXT: %1 = clika.constant dense<[1.000000e+00, 2.000000e+00, 5.000000e-01, -1.000000e+00]> : tensor<4xbf16>
// CHECK-NEXT: %c = clika.layer_norm %arg0 scale %0 bias %1
// CHECK-NEXT: %e = clika.softmax %arg0
// CHECK-NEXT: %g = clika.reduce_sum %arg0 {axes = array<i64: 1>}
// CHECK-NEXT: return %c, %e, %g
func.func @norms(%x: tensor<2x4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2xbf16>) {
  %k = clika.constant dense<[1.0, 2.0, 0.5, -1.0]> : tensor<4xf32>
  %a = clika.cast %x to f32 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
  %b = clika.layer_norm %a scale %k bias %k : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %c = clika.cast %b to bf16 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %d = clika.softmax %a : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %e = clika.cast %d to bf16 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %f = clika.reduce_sum %a {axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %g = clika.cast %f to bf16 : (tensor<2xf32>) -> tensor<2xbf16>
  return %c, %e, %g : tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2xbf16>
}

// -----

// What only compares or picks needs no wider numbers.
// CHECK-LABEL: func.func @compares(
// CHECK-NEXT: %c = clika.less_equal %arg0, %arg1
// CHECK-NEXT: %0 = clika.maximum %arg2, %arg3
// CHECK-NEXT: %f = clika.cast %0 to i32
// CHECK-NEXT: return %c, %f
func.func @compares(%x: tensor<2xf16>, %y: tensor<2xf16>, %i: tensor<2xui8>, %j: tensor<2xui8>) -> (tensor<2xi1>, tensor<2xi32>) {
  %a = clika.cast %x to f64 : (tensor<2xf16>) -> tensor<2xf64>
  %b = clika.cast %y to f64 : (tensor<2xf16>) -> tensor<2xf64>
  %c = clika.less_equal %a, %b : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
  %d = clika.cast %i to i32 : (tensor<2xui8>) -> tensor<2xi32>
  %e = clika.cast %j to i32 : (tensor<2xui8>) -> tensor<2xi32>
  %f = clika.maximum %d, %e : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %c, %f : tensor<2xi1>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func.func @minimum(
// CHECK-NEXT: %0 = clika.minimum %arg0, %arg1
// CHECK-NEXT: %c = clika.cast %0 to i64
// CHECK-NEXT: return %c
func.func @minimum(%x: tensor<2xi8>, %y: tensor<2xi8>) -> tensor<2xi64> {
  %a = clika.cast %x to i64 : (tensor<2xi8>) -> tensor<2xi64>
  %b = clika.cast %y to i64 : (tensor<2xi8>) -> tensor<2xi64>
  %c = clika.minimum %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %c : tensor<2xi64>
}

// -----

// Near misses: a constant that half precision rounds, two operators between the casts, alpha, another reader.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.cast 
// CHECK: clika.mul 
// CHECK: clika.cast 
// CHECK: clika.exp 
// CHECK: clika.neg 
// CHECK: clika.cast 
// CHECK: clika.add 
// CHECK: clika.cast 
// CHECK: clika.add 
// CHECK: clika.cast 
// CHECK: clika.maximum 
func.func @near_misses(%x: tensor<2xf16>, %z: tensor<2xf32>) -> (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf32>) {
  %k = clika.constant dense<0.1> : tensor<f32>
  // expected-remark @+1 {{does not round to fewer digits}}
  %a = clika.cast %x to f32 : (tensor<2xf16>) -> tensor<2xf32>
  %b = clika.mul %a, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{an operand of the operator before it is not of the dtype it rounds to}}
  %c = clika.cast %b to f16 : (tensor<2xf32>) -> tensor<2xf16>
  %d = clika.exp %a : tensor<2xf32>
  %e = clika.neg %d : tensor<2xf32>
  // expected-remark @+1 {{no operand of the operator before it is a cast}}
  %f = clika.cast %e to f16 : (tensor<2xf32>) -> tensor<2xf16>
  %g = clika.add %a, %a {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{what it rounds is not read here alone, or not the same operator's result in the dtype it rounds to}}
  %h = clika.cast %g to f16 : (tensor<2xf32>) -> tensor<2xf16>
  %i = clika.add %a, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{an operand of the operator before it is not of the dtype it rounds to}}
  %j = clika.cast %i to f16 : (tensor<2xf32>) -> tensor<2xf16>
  // expected-remark @+1 {{its operands are not both casts, read here alone, of one dtype to one that holds each of its numbers}}
  %l = clika.maximum %a, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %c, %f, %h, %j, %l : tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf32>
}

// -----

// Products, attention and moves.
// CHECK-LABEL: func.func @products(
// CHECK-NEXT: %c = clika.linear %arg0, %arg1 : (tensor<2x4xf16>, tensor<3x4xf16>) -> tensor<2x3xf16>
// CHECK-NEXT: %f = clika.attention %arg2, %arg2, %arg2 : (tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xbf16>
// CHECK-NEXT: %h = clika.transpose %arg0 : (tensor<2x4xf16>) -> tensor<4x2xf16>
// CHECK-NEXT: return %c, %f, %h
func.func @products(%x: tensor<2x4xf16>, %w: tensor<3x4xf16>, %q: tensor<1x2x3x4xbf16>) -> (tensor<2x3xf16>, tensor<1x2x3x4xbf16>, tensor<4x2xf16>) {
  %a = clika.cast %x to f32 : (tensor<2x4xf16>) -> tensor<2x4xf32>
  %u = clika.cast %w to f32 : (tensor<3x4xf16>) -> tensor<3x4xf32>
  %b = clika.linear %a, %u : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %c = clika.cast %b to f16 : (tensor<2x3xf32>) -> tensor<2x3xf16>
  %d = clika.cast %q to f32 : (tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xf32>
  %e = clika.attention %d, %d, %d : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %f = clika.cast %e to bf16 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xbf16>
  %g = clika.transpose %a : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %h = clika.cast %g to f16 : (tensor<4x2xf32>) -> tensor<4x2xf16>
  return %c, %f, %h : tensor<2x3xf16>, tensor<1x2x3x4xbf16>, tensor<4x2xf16>
}

// -----

// Integers wrap in any width; float64 has more than twice the digits of float32.
// CHECK-LABEL: func.func @other_widths(
// CHECK-NEXT: %0 = clika.constant dense<7> : tensor<i32>
// CHECK-NEXT: %c = clika.mul %arg0, %0
// CHECK-NEXT: %f = clika.div %arg1, %arg1
// CHECK-NEXT: return %c, %f
func.func @other_widths(%i: tensor<2xi32>, %x: tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>) {
  %k = clika.constant dense<7> : tensor<i64>
  %a = clika.cast %i to i64 : (tensor<2xi32>) -> tensor<2xi64>
  %b = clika.mul %a, %k : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  %c = clika.cast %b to i32 : (tensor<2xi64>) -> tensor<2xi32>
  %d = clika.cast %x to f64 : (tensor<2xf32>) -> tensor<2xf64>
  %e = clika.div %d, %d : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %f = clika.cast %e to f32 : (tensor<2xf64>) -> tensor<2xf32>
  return %c, %f : tensor<2xi32>, tensor<2xf32>
}

// -----

// What is chosen, and bits, before a cast.
// CHECK-LABEL: func.func @picks(
// CHECK-NEXT: %0 = clika.where %arg0, %arg1, %arg2
// CHECK-NEXT: %c = clika.cast %0 to f32
// CHECK-NEXT: %1 = clika.bitwise_xor %arg3, %arg3
// CHECK-NEXT: %f = clika.cast %1 to i64
// CHECK-NEXT: return %c, %f
func.func @picks(%p: tensor<2xi1>, %x: tensor<2xf16>, %y: tensor<2xf16>, %i: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xi64>) {
  %a = clika.cast %x to f32 : (tensor<2xf16>) -> tensor<2xf32>
  %b = clika.cast %y to f32 : (tensor<2xf16>) -> tensor<2xf32>
  %c = clika.where %p, %a, %b : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %d = clika.cast %i to i64 : (tensor<2xi8>) -> tensor<2xi64>
  %e = clika.cast %i to i64 : (tensor<2xi8>) -> tensor<2xi64>
  %f = clika.bitwise_xor %d, %e : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %c, %f : tensor<2xf32>, tensor<2xi64>
}

// -----

// Near misses: a function that float64 rounds to other bits, a quotient of integers, a number beyond the narrow dtype.
// CHECK-LABEL: func.func @near_widths(
// CHECK: clika.exp {{.*}}f64
// CHECK: clika.div {{.*}}i32
// CHECK: clika.add {{.*}}i32
// CHECK: return
func.func @near_widths(%x: tensor<2xf32>, %i: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xi8>, tensor<2xi8>) {
  %k = clika.constant dense<200> : tensor<i32>
  %a = clika.cast %x to f64 : (tensor<2xf32>) -> tensor<2xf64>
  %b = clika.exp %a : tensor<2xf64>
  // expected-remark @+1 {{what it rounds is not read here alone, or not the same operator's result in the dtype it rounds to}}
  %c = clika.cast %b to f32 : (tensor<2xf64>) -> tensor<2xf32>
  %d = clika.cast %i to i32 : (tensor<2xi8>) -> tensor<2xi32>
  %e = clika.div %d, %d : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // expected-remark @+1 {{what it rounds is not read here alone, or not the same operator's result in the dtype it rounds to}}
  %f = clika.cast %e to i8 : (tensor<2xi32>) -> tensor<2xi8>
  %g = clika.add %d, %k : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  // expected-remark @+1 {{an operand of the operator before it is not of the dtype it rounds to}}
  %h = clika.cast %g to i8 : (tensor<2xi32>) -> tensor<2xi8>
  return %c, %f, %h : tensor<2xf32>, tensor<2xi8>, tensor<2xi8>
}
