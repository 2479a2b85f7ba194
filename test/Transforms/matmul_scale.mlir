// RUN: clika-opt --matmul-scale --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --matmul-scale=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @both(
// CHECK-NEXT: %0 = clika.matmul %arg0, %arg1 {transpose_b = true}
// CHECK-NEXT: %1 = clika.constant dense<1.250000e-01> : tensor<f32>
// CHECK-NEXT: %y = clika.mul %0, %1 {activation = "Relu"}
// CHECK-NEXT: return %y
func.func @both(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %k = clika.constant dense<0.5> : tensor<f32>
  %l = clika.constant dense<4.0> : tensor<1xf32>
  %a = clika.mul %x, %k : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %b = clika.div %z, %l : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %y = clika.matmul %a, %b {activation = "Relu", transpose_b = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// A constant takes in what scales the other operand.
// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: %0 = clika.constant dense<{{\[\[}}5.000000e-01, 1.000000e+00], [1.500000e+00, 2.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT: %y = clika.matmul %0, %arg0
// CHECK-NEXT: return %y
func.func @constant(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %k = clika.constant dense<0.5> : tensor<f32>
  %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %a = clika.mul %x, %k : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %y = clika.matmul %w, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// Near misses: one scaled operand and no constant, a large number, half precision, another reader.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.mul 
// CHECK: clika.matmul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.matmul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.matmul 
// CHECK: clika.mul 
// CHECK: clika.matmul 
func.func @near_misses(%x: tensor<2x2xf32>, %h: tensor<2x2xf16>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf16>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %k = clika.constant dense<0.5> : tensor<f32>
  %l = clika.constant dense<1.0e+20> : tensor<f32>
  %m = clika.constant dense<0.5> : tensor<f16>
  %a = clika.mul %x, %k : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{the other operand is neither scaled nor a constant that stays finite}}
  %b = clika.matmul %a, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c = clika.mul %x, %l : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %d = clika.mul %x, %k : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{a number is so large or small that the product could overflow}}
  %e = clika.matmul %c, %d : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = clika.mul %h, %m : (tensor<2x2xf16>, tensor<f16>) -> tensor<2x2xf16>
  %g = clika.mul %h, %m : (tensor<2x2xf16>, tensor<f16>) -> tensor<2x2xf16>
  // expected-remark @+1 {{half precision rounds the scaled operand}}
  %i = clika.matmul %f, %g : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  %j = clika.mul %x, %k : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{neither operand is a product or quotient by a number that it alone reads}}
  %n = clika.matmul %j, %j : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %b, %e, %i, %n, %x : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf16>, tensor<2x2xf32>, tensor<2x2xf32>
}
