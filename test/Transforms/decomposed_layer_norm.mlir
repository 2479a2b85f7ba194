// RUN: clika-opt --decomposed-layer-norm --decomposed-layer-norm --decomposed-layer-norm --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-layer-norm=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// With a scale and a bias of the last dimension; the node bears the last name.
// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %b = clika.layer_norm %arg0 scale %arg1 bias %arg2 {epsilon = 1.000000e-02 : f64}
// CHECK-NEXT: return %b
func.func @fires(%x: tensor<2x4xf64>, %scale: tensor<4xf64>, %bias: tensor<4xf64>) -> tensor<2x4xf64> {
  %k = clika.constant dense<0.01> : tensor<f64>
  %two = clika.constant dense<2.0> : tensor<f64>
  %m = clika.reduce_mean %x {axes = array<i64: -1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %d = clika.sub %x, %m : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %q = clika.pow %d, %two : (tensor<2x4xf64>, tensor<f64>) -> tensor<2x4xf64>
  %v = clika.reduce_mean %q {axes = array<i64: -1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %a = clika.add %v, %k : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %r = clika.rsqrt %a : tensor<2x1xf64>
  %n = clika.mul %d, %r : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %s = clika.mul %scale, %n : (tensor<4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %b = clika.add %s, %bias : (tensor<2x4xf64>, tensor<4xf64>) -> tensor<2x4xf64>
  return %b : tensor<2x4xf64>
}

// -----

// Near miss: a scale that broadcasts the result up stays outside.
// CHECK-LABEL: func.func @broadcast_scale(
// CHECK-NEXT: %n = clika.layer_norm %arg0
// CHECK-NEXT: %s = clika.mul %n, %arg1
// CHECK-NEXT: return %s
func.func @broadcast_scale(%x: tensor<1x1xf32>, %scale: tensor<2xf32>) -> tensor<1x2xf32> {
  %n = clika.layer_norm %x : (tensor<1x1xf32>) -> tensor<1x1xf32>
  // expected-remark @+1 {{the other factor is not one number per normalized element}}
  %s = clika.mul %n, %scale : (tensor<1x1xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %s : tensor<1x2xf32>
}

// -----

// Near misses: the mean of another dimension, and a deviation that something else reads.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.layer_norm
// CHECK: return
func.func @near_misses(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
  %k = clika.constant dense<0.01> : tensor<f32>
  %m = clika.reduce_mean %x {axes = array<i64: 0>, keepdims = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %d = clika.sub %x, %m : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %q = clika.mul %d, %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v = clika.reduce_mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %a = clika.add %v, %k : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %r = clika.sqrt %a : tensor<4x1xf32>
  // expected-remark @+1 {{the means are not those of x and of the squares along the last dimension}}
  %y = clika.div %d, %r : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %m2 = clika.reduce_mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %d2 = clika.sub %x, %m2 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %q2 = clika.mul %d2, %d2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v2 = clika.reduce_mean %q2 {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %a2 = clika.add %v2, %k : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %r2 = clika.sqrt %a2 : tensor<4x1xf32>
  // expected-remark @+1 {{a value inside has another reader}}
  %z = clika.div %d2, %r2 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %y, %z, %r2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>
}

// -----

// Near misses: half precision, and an epsilon below zero.
// CHECK-LABEL: func.func @half_and_negative(
// CHECK-NOT: clika.layer_norm
// CHECK: return
func.func @half_and_negative(%x: tensor<4xf16>, %w: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
  %k = clika.constant dense<0.01> : tensor<f16>
  %m = clika.reduce_mean %x {axes = array<i64: 0>, keepdims = true} : (tensor<4xf16>) -> tensor<1xf16>
  %d = clika.sub %x, %m : (tensor<4xf16>, tensor<1xf16>) -> tensor<4xf16>
  %q = clika.mul %d, %d : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %v = clika.reduce_mean %q {axes = array<i64: 0>, keepdims = true} : (tensor<4xf16>) -> tensor<1xf16>
  %a = clika.add %v, %k : (tensor<1xf16>, tensor<f16>) -> tensor<1xf16>
  %s = clika.sqrt %a : tensor<1xf16>
  // expected-remark @+1 {{half precision rounds the mean, so that the numbers differ by more than the bound}}
  %y = clika.div %d, %s : (tensor<4xf16>, tensor<1xf16>) -> tensor<4xf16>
  %k2 = clika.constant dense<-0.01> : tensor<f32>
  %m2 = clika.reduce_mean %w {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
  %d2 = clika.sub %w, %m2 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %q2 = clika.mul %d2, %d2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v2 = clika.reduce_mean %q2 {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
  %a2 = clika.add %v2, %k2 : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  %s2 = clika.sqrt %a2 : tensor<1xf32>
  // expected-remark @+1 {{epsilon is negative or not finite}}
  %z = clika.div %d2, %s2 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf16>, tensor<4xf32>
}
