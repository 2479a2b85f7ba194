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
  // expected-remark @+1 {{the means are not those of the last dimension}}
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

// -----

// The scale is multiplied by the root first, the root is a power, and the mean a sum over the number of elements.
// CHECK-LABEL: func.func @variants(
// CHECK-NEXT: %y = clika.rms_norm %arg0 scale %arg1 {epsilon = 1.000000e-02 : f64}
// CHECK-NEXT: return %y
func.func @variants(%x: tensor<2x4xf64>, %w: tensor<4xf64>) -> tensor<2x4xf64> {
  %k = clika.constant dense<0.01> : tensor<f64>
  %n = clika.constant dense<4.0> : tensor<f64>
  %p = clika.constant dense<-0.5> : tensor<f64>
  %q = clika.mul %x, %x : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %t = clika.reduce_sum %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %m = clika.div %t, %n : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %a = clika.add %m, %k : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %s = clika.pow %a, %p : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %r = clika.mul %s, %w : (tensor<2x1xf64>, tensor<4xf64>) -> tensor<2x4xf64>
  %y = clika.mul %x, %r : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// -----

// In half precision a scale goes in: one rounding of four less. The norm's own chain rounds too often.
// CHECK-LABEL: func.func @half(
// CHECK: %y = clika.rms_norm %arg0 scale %arg1 : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
// CHECK: %z = clika.mul 
// CHECK-NEXT: return %y, %z
func.func @half(%x: tensor<2x4xf16>, %s: tensor<4xf16>) -> (tensor<2x4xf16>, tensor<2x4xf16>) {
  %k = clika.constant dense<0.01> : tensor<f16>
  %n = clika.rms_norm %x : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %y = clika.mul %n, %s : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  %q = clika.mul %x, %x : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  %m = clika.reduce_mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf16>) -> tensor<2x1xf16>
  %a = clika.add %m, %k : (tensor<2x1xf16>, tensor<f16>) -> tensor<2x1xf16>
  %r = clika.rsqrt %a : tensor<2x1xf16>
  // expected-remark @+1 {{half precision rounds the mean, so that the numbers differ by more than the bound}}
  %z = clika.mul %x, %r : (tensor<2x4xf16>, tensor<2x1xf16>) -> tensor<2x4xf16>
  return %y, %z : tensor<2x4xf16>, tensor<2x4xf16>
}

// -----

// Near misses: a sum over another number, another power, a scale that is no number per element.
// CHECK-LABEL: func.func @near_variants(
// CHECK-NOT: clika.rms_norm
// CHECK: return
func.func @near_variants(%x: tensor<2x4xf32>, %z: tensor<2x4xf32>, %w: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %k = clika.constant dense<0.01> : tensor<f32>
  %n = clika.constant dense<5.0> : tensor<f32>
  %p = clika.constant dense<-0.25> : tensor<f32>
  %q = clika.mul %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %t = clika.reduce_sum %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %m = clika.div %t, %n : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %a = clika.add %m, %k : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s = clika.rsqrt %a : tensor<2x1xf32>
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %y = clika.mul %x, %s : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q2 = clika.mul %z, %z : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %m2 = clika.reduce_mean %q2 {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %a2 = clika.add %m2, %k : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %s2 = clika.pow %a2, %p : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %r2 = clika.mul %s2, %w : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{not x over the root of its mean square along the last dimension}}
  %u = clika.mul %z, %r2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %u : tensor<2x4xf32>, tensor<2x4xf32>
}
