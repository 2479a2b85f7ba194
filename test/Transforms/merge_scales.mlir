// RUN: clika-opt --merge-scales --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-scales=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// A quotient is a product by the reciprocal; the outer activation stays.
// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %0 = clika.constant dense<-1.250000e-01> : tensor<f32>
// CHECK-NEXT: %b = clika.mul %arg0, %0 {activation = "Relu"}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = clika.constant dense<4.0> : tensor<1xf32>
  %l = clika.constant dense<-0.5> : tensor<2xf32>
  %a = clika.div %x, %k : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %b = clika.mul %l, %a {activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Near misses: one enlarges and one reduces, another reader, an activation inside, 0, a divisor that is no number.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.div 
func.func @near_misses(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %k = clika.constant dense<4.0> : tensor<f32>
  %l = clika.constant dense<0.5> : tensor<f32>
  %z = clika.constant dense<0.0> : tensor<f32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %a = clika.mul %x, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{one number enlarges and the other reduces}}
  %b = clika.mul %a, %l : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %c = clika.mul %b, %l : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %d = clika.mul %x, %k {activation = "Tanh"} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %e = clika.mul %d, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %f = clika.mul %x, %z : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %g = clika.mul %f, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %h = clika.mul %x, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %i = clika.div %k, %h : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %b, %c, %e, %g, %i : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Near miss: the product is too large for the dtype.
// CHECK-LABEL: func.func @too_large(
// CHECK: clika.mul 
// CHECK: clika.mul 
func.func @too_large(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = clika.constant dense<1.0e+30> : tensor<f32>
  // expected-remark @+1 {{not a product or quotient by a number of another that it alone reads}}
  %a = clika.mul %x, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the numbers' product is too large or too small for the dtype}}
  %b = clika.mul %a, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
