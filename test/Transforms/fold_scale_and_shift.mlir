// RUN: clika-opt --fold-scale-and-shift --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fold-scale-and-shift=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @conv(
// CHECK-NEXT: %0 = clika.constant dense<{{\[\[}}{{\[\[}}2.500000e-01]]], {{\[\[}}[1.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-NEXT: %1 = clika.constant dense<[2.500000e-01, -5.000000e-01]> : tensor<2xf32>
// CHECK-NEXT: %y = clika.conv %arg0, %0 bias %1 {activation = "Relu"}
// CHECK-NEXT: return %y
func.func @conv(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %w = clika.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %c = clika.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %k = clika.constant dense<[[[4.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %a = clika.conv %x, %w bias %c : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %y = clika.div %a, %k {activation = "Relu"} : (tensor<1x2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// -----

// CHECK-LABEL: func.func @linear(
// CHECK-NEXT: %0 = clika.constant dense<[-1.000000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %y = clika.linear %arg0, %arg1 bias %0
// CHECK-NEXT: return %y
func.func @linear(%x: tensor<3x1xf32>, %w: tensor<2x1xf32>) -> tensor<3x2xf32> {
  %c = clika.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %k = clika.constant dense<[[4.0, 2.0]]> : tensor<1x2xf32>
  %a = clika.linear %x, %w bias %c : (tensor<3x1xf32>, tensor<2x1xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %y = clika.sub %a, %k {alpha = 0.5 : f64} : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// One number for all columns of a product, and one each.
// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: %0 = clika.constant dense<{{\[\[}}1.000000e+01, 2.000000e+02], [3.000000e+01, 4.000000e+02]]> : tensor<2x2xf32>
// CHECK-NEXT: %b = clika.matmul %arg0, %0
// CHECK-NEXT: %1 = clika.constant dense<{{\[\[}}3.000000e+00, 6.000000e+00]]> : tensor<1x2xf32>
// CHECK-NEXT: %d = clika.matmul %arg0, %1 {transpose_b = true}
// CHECK-NEXT: return %b, %d
func.func @matmul(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x1xf32>) {
  %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = clika.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %k = clika.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %l = clika.constant dense<3.0> : tensor<f32>
  %a = clika.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %b = clika.mul %k, %a : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %c = clika.matmul %x, %v {transpose_b = true} : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
  %d = clika.mul %c, %l : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x1xf32>
  return %b, %d : tensor<3x2xf32>, tensor<3x1xf32>
}

// -----

// Near misses: numbers along rows, weights of a run, an activation inside, a factor of 0, a sum after a matmul,
// another reader.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.linear 
// CHECK: clika.mul 
// CHECK: clika.linear 
// CHECK: clika.mul 
// CHECK: clika.linear 
// CHECK: clika.mul 
// CHECK: clika.linear 
// CHECK: clika.mul 
// CHECK: clika.matmul 
// CHECK: clika.add 
// CHECK: clika.linear 
// CHECK: clika.add 
func.func @near_misses(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %v = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %r = clika.constant dense<[[10.0], [100.0]]> : tensor<2x1xf32>
  %k = clika.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %z = clika.constant dense<[10.0, 0.0]> : tensor<2xf32>
  %a = clika.linear %x, %v : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{the other operand is no constant of one number for each channel}}
  %b = clika.mul %a, %r : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %c = clika.linear %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{the weights or the bias are no constants}}
  %d = clika.mul %c, %k : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %e = clika.linear %x, %v {activation = "Relu"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{does not change a convolution or product that it alone reads}}
  %f = clika.mul %e, %k : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %g = clika.linear %x, %v : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{a factor is 0 or not finite}}
  %h = clika.mul %g, %z : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %i = clika.matmul %x, %v : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{a matmul has no bias: that is matmul_add_to_linear's}}
  %j = clika.add %i, %k : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %l = clika.linear %x, %v : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{does not change a convolution or product that it alone reads}}
  %m = clika.add %l, %k : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %b, %d, %f, %h, %j, %l, %m : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Near miss: alpha multiplies what the layer computes.
// CHECK-LABEL: func.func @alpha(
// CHECK: clika.linear 
// CHECK: clika.add 
func.func @alpha(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %k = clika.constant dense<[10.0, 100.0]> : tensor<2xf32>
  %a = clika.linear %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{alpha multiplies what the layer computes}}
  %b = clika.add %k, %a {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}
