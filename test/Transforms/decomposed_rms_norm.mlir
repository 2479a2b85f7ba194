// RUN: clika-opt --decomposed-rms-norm --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-rms-norm=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @quotient(
// CHECK-NEXT: %y = clika.rms_norm %arg0 {epsilon = 9.9999999747524271E-7 : f64}
// CHECK-NEXT: return %y
func.func @quotient(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %k = clika.constant dense<1.0e-06> : tensor<f32>
  %p = clika.constant dense<2.0> : tensor<f32>
  %q = clika.pow %x, %p : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %m = clika.reduce_mean %q {axes = array<i64: -1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %a = clika.add %k, %m : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %s = clika.sqrt %a : tensor<2x1xf32>
  %y = clika.div %x, %s : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @rsqrt(
// CHECK-NEXT: %y = clika.rms_norm %arg0 {epsilon = 9.9999999747524271E-7 : f64}
// CHECK-NEXT: return %y
func.func @rsqrt(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %k = clika.constant dense<1.0e-06> : tensor<f32>
  %q = clika.mul %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %m = clika.reduce_mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %a = clika.add %m, %k : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = clika.rsqrt %a : tensor<2x1xf32>
  %y = clika.mul %s, %x : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A scale goes into a norm that has none.
// CHECK-LABEL: func.func @scale(
// CHECK-NEXT: %y = clika.rms_norm %arg0 scale %arg1 {epsilon = 9.9999999999999995E-7 : f64}
// CHECK-NEXT: return %y
func.func @scale(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xf32> {
  %n = clika.rms_norm %x {epsilon = 1.0e-06 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = clika.mul %s, %n : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Near misses: another dimension, the square of another value, a mean that is read elsewhere.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.mul 
// CHECK: clika.reduce_mean 
// CHECK: clika.add 
// CHECK: clika.rsqrt 
// CHECK: clika.mul 
// CHECK: clika.mul 
// CHECK: clika.reduce_mean 
// CHECK: clika.add 
// CHECK: clika.sqrt 
// CHECK: clika.div 
// CHECK: clika.mul 
// CHECK: clika.reduce_mean 
// CHECK: clika.add 
// CHECK: clika.sqrt 
// CHECK: clika.div 
func.func @near_misses(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
  %k = clika.constant dense<1.0e-06> : tensor<f32>
  // expected-remark @+2 {{not a product with an rms_norm of its own without scale}}
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %q = clika.mul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = clika.reduce_mean %q {axes = array<i64: 0>, keepdims = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %a = clika.add %m, %k : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %s = clika.rsqrt %a : tensor<1x4xf32>
  // expected-remark @+2 {{not a product with an rms_norm of its own without scale}}
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %b = clika.mul %x, %s : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+2 {{not a product with an rms_norm of its own without scale}}
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %r = clika.mul %z, %z : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = clika.reduce_mean %r {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %c = clika.add %n, %k : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %t = clika.sqrt %c : tensor<4x1xf32>
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %d = clika.div %x, %t : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  // expected-remark @+2 {{not a product with an rms_norm of its own without scale}}
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %u = clika.mul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %o = clika.reduce_mean %u {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %e = clika.add %o, %k : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %v = clika.sqrt %e : tensor<4x1xf32>
  // expected-remark @+1 {{a value inside has another reader}}
  %f = clika.div %x, %v : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %b, %d, %f, %o : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>
}
