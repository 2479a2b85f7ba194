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

// -----

// The scale multiplied by the root first, and the mean without keepdims.
// CHECK-LABEL: func.func @scaled_root(
// CHECK-NEXT: %y = clika.layer_norm %arg0 scale %arg1 {epsilon = 1.000000e-02 : f64}
// CHECK-NEXT: return %y
func.func @scaled_root(%x: tensor<2x4xf64>, %w: tensor<4xf64>) -> tensor<2x4xf64> {
  %k = clika.constant dense<0.01> : tensor<f64>
  %n = clika.reduce_mean %x {axes = array<i64: 1>} : (tensor<2x4xf64>) -> tensor<2xf64>
  %m = clika.unsqueeze %n {axes = array<i64: -1>} : (tensor<2xf64>) -> tensor<2x1xf64>
  %d = clika.sub %x, %m : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %q = clika.mul %d, %d : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %u = clika.reduce_mean %q {axes = array<i64: 1>} : (tensor<2x4xf64>) -> tensor<2xf64>
  %v = clika.unsqueeze %u {axes = array<i64: 1>} : (tensor<2xf64>) -> tensor<2x1xf64>
  %a = clika.add %v, %k : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %r = clika.rsqrt %a : tensor<2x1xf64>
  %g = clika.mul %w, %r : (tensor<4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %y = clika.mul %g, %d : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// -----

// x * g + (bias - mean * g), as TensorFlow writes it.
// CHECK-LABEL: func.func @shifted(
// CHECK: %y = clika.layer_norm %arg0 scale %w bias %arg1 {epsilon = 1.000000e-02 : f64}
// CHECK-NEXT: return %y
func.func @shifted(%x: tensor<2x4xf64>, %b: tensor<4xf64>) -> tensor<2x4xf64> {
  %w = clika.constant dense<[1.0, 2.0, -0.5, 3.0]> : tensor<4xf64>
  %k = clika.constant dense<0.01> : tensor<f64>
  %m = clika.reduce_mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %d = clika.sub %x, %m : (tensor<2x4xf64>, tensor<2x1xf64>) -> tensor<2x4xf64>
  %q = clika.mul %d, %d : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %v = clika.reduce_mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf64>) -> tensor<2x1xf64>
  %a = clika.add %v, %k : (tensor<2x1xf64>, tensor<f64>) -> tensor<2x1xf64>
  %r = clika.rsqrt %a : tensor<2x1xf64>
  %g = clika.mul %r, %w : (tensor<2x1xf64>, tensor<4xf64>) -> tensor<2x4xf64>
  %p = clika.mul %m, %g : (tensor<2x1xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %s = clika.sub %b, %p : (tensor<4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %t = clika.mul %x, %g : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %y = clika.add %t, %s : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

// -----

// Near misses: the mean of another value is taken away, the mean has another reader, a scale that may be infinite, half
// precision and a bias.
// CHECK-LABEL: func.func @near_shifted(
// CHECK-NOT: clika.layer_norm {{.*}} scale
// CHECK-NOT: clika.layer_norm {{.*}} bias
// CHECK: return
func.func @near_shifted(%x: tensor<2x4xf32>, %z: tensor<2x4xf32>, %e: tensor<4xf32>, %b: tensor<4xf32>, %h: tensor<2x4xf16>, %i: tensor<4xf16>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x4xf16>) {
  %w = clika.constant dense<[1.0, 2.0, -0.5, 3.0]> : tensor<4xf32>
  %k = clika.constant dense<0.01> : tensor<f32>
  %o = clika.reduce_mean %z {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %m = clika.reduce_mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d = clika.sub %x, %m : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q = clika.mul %d, %d : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = clika.reduce_mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %a = clika.add %v, %k : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %r = clika.rsqrt %a : tensor<2x1xf32>
  %g = clika.mul %r, %w : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %p = clika.mul %o, %g : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = clika.sub %b, %p : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %t = clika.mul %x, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{not x * g + (bias - mean * g), where g is a finite constant over the deviation}}
  %y = clika.add %t, %s : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %m2 = clika.reduce_mean %z {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d2 = clika.sub %z, %m2 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q2 = clika.mul %d2, %d2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v2 = clika.reduce_mean %q2 {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %a2 = clika.add %v2, %k : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %r2 = clika.rsqrt %a2 : tensor<2x1xf32>
  %g2 = clika.mul %r2, %w : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %p2 = clika.mul %m2, %g2 : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %s2 = clika.sub %b, %p2 : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %t2 = clika.mul %z, %g2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{a value inside has another reader}}
  %u = clika.add %t2, %s2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %m3 = clika.reduce_mean %z {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d3 = clika.sub %z, %m3 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %q3 = clika.mul %d3, %d3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %v3 = clika.reduce_mean %q3 {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %a3 = clika.add %v3, %k : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %r3 = clika.rsqrt %a3 : tensor<2x1xf32>
  %g3 = clika.mul %r3, %e : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %p3 = clika.mul %m3, %g3 : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %s3 = clika.sub %b, %p3 : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %t3 = clika.mul %z, %g3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{not x * g + (bias - mean * g), where g is a finite constant over the deviation}}
  %j = clika.add %t3, %s3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %n = clika.layer_norm %h : (tensor<2x4xf16>) -> tensor<2x4xf16>
  // expected-remark @+1 {{half precision rounds what the bias is added to}}
  %c = clika.add %n, %i : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  return %y, %u, %m2, %j, %c : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x4xf16>
}
