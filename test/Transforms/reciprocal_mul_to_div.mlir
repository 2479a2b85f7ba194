// RUN: clika-opt --reciprocal-mul-to-div --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --reciprocal-mul-to-div=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @root(
// CHECK-NEXT: %s = clika.sqrt %arg1
// CHECK-NEXT: %y = clika.div %arg0, %s {activation = "Relu"}
// CHECK-NEXT: return %y
func.func @root(%x: tensor<2x2xf32>, %z: tensor<2xf32>) -> tensor<2x2xf32> {
  %k = clika.constant dense<1.0> : tensor<f32>
  %s = clika.sqrt %z : tensor<2xf32>
  %a = clika.div %k, %s : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %y = clika.mul %a, %x {activation = "Relu"} : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// An integer as a float is 0, or 1 in size at least.
// CHECK-LABEL: func.func @integer(
// CHECK-NEXT: %c = clika.cast %arg1 to f32
// CHECK-NEXT: %y = clika.div %arg0, %c
// CHECK-NEXT: return %y
func.func @integer(%x: tensor<2xf32>, %i: tensor<2xi8>) -> tensor<2xf32> {
  %c = clika.cast %i to f32 : (tensor<2xi8>) -> tensor<2xf32>
  %a = clika.reciprocal %c : tensor<2xf32>
  %y = clika.mul %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Near misses: a divisor of which the reciprocal may overflow, a reciprocal that is read elsewhere, no reciprocal.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.reciprocal 
// CHECK: clika.mul 
// CHECK: clika.sqrt 
// CHECK: clika.reciprocal 
// CHECK: clika.mul 
// CHECK: clika.div 
// CHECK: clika.mul 
func.func @near_misses(%x: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %k = clika.constant dense<2.0> : tensor<f32>
  %a = clika.reciprocal %z : tensor<2xf32>
  // expected-remark @+1 {{the divisor is no root or integer, and its reciprocal could overflow where the quotient does not}}
  %b = clika.mul %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %s = clika.sqrt %z : tensor<2xf32>
  %c = clika.reciprocal %s : tensor<2xf32>
  // expected-remark @+1 {{neither factor is a reciprocal that it alone reads}}
  %d = clika.mul %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %e = clika.div %k, %s : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{neither factor is a reciprocal that it alone reads}}
  %f = clika.mul %x, %e : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %b, %c, %d, %f : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
