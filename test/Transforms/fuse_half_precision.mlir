// RUN: clika-opt --fuse-half-precision --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fuse-half-precision=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @linear(
// CHECK: %y = clika.linear %arg0, %{{.*}} bias %arg1 : (tensor<2x3xf16>, tensor<2x3xf16>, tensor<2xf16>) -> tensor<2x2xf16>
// CHECK-NEXT: return %y
func.func @linear(%x: tensor<2x3xf16>, %b: tensor<2xf16>) -> tensor<2x2xf16> {
  %w = clika.constant dense<[[1.0, 0.5], [-0.25, 0.75], [0.5, -1.0]]> : tensor<3x2xf16>
  %a = clika.matmul %x, %w : (tensor<2x3xf16>, tensor<3x2xf16>) -> tensor<2x2xf16>
  %y = clika.add %b, %a : (tensor<2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  return %y : tensor<2x2xf16>
}

// -----

// Scores between casts are narrow_casts', which a list has before; a mask of any kind.
// CHECK-LABEL: func.func @attention(
// CHECK: %y = clika.attention %arg0, %arg1, %arg1 mask %arg2 {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %y
func.func @attention(%q: tensor<1x2x2x4xbf16>, %k: tensor<1x2x3x4xbf16>, %m: tensor<2x3xbf16>) -> tensor<1x2x2x4xbf16> {
  %h = clika.constant dense<0.25> : tensor<bf16>
  %p = clika.matmul %q, %k {transpose_b = true} : (tensor<1x2x2x4xbf16>, tensor<1x2x3x4xbf16>) -> tensor<1x2x2x3xbf16>
  %s = clika.mul %p, %h : (tensor<1x2x2x3xbf16>, tensor<bf16>) -> tensor<1x2x2x3xbf16>
  %n = clika.add %s, %m : (tensor<1x2x2x3xbf16>, tensor<2x3xbf16>) -> tensor<1x2x2x3xbf16>
  %w = clika.softmax %n : (tensor<1x2x2x3xbf16>) -> tensor<1x2x2x3xbf16>
  %y = clika.matmul %w, %k : (tensor<1x2x2x3xbf16>, tensor<1x2x3x4xbf16>) -> tensor<1x2x2x4xbf16>
  return %y : tensor<1x2x2x4xbf16>
}

// -----

// CHECK-LABEL: func.func @norms(
// CHECK: %y = clika.rms_norm %arg0 {epsilon
// CHECK-NEXT: %n = clika.layer_norm %arg0 {epsilon
// CHECK-NEXT: %[[Z:.*]] = clika.layer_norm %arg0 bias %arg1 :
// CHECK-NEXT: return %y, %n, %[[Z]]
func.func @norms(%x: tensor<2x4xf16>, %b: tensor<4xf16>) -> (tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>) {
  %k = clika.constant dense<0.01> : tensor<f16>
  %q = clika.mul %x, %x : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  %m = clika.reduce_mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf16>) -> tensor<2x1xf16>
  %a = clika.add %m, %k : (tensor<2x1xf16>, tensor<f16>) -> tensor<2x1xf16>
  %r = clika.rsqrt %a : tensor<2x1xf16>
  %y = clika.mul %x, %r : (tensor<2x4xf16>, tensor<2x1xf16>) -> tensor<2x4xf16>
  %o = clika.reduce_mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf16>) -> tensor<2x1xf16>
  %d = clika.sub %x, %o : (tensor<2x4xf16>, tensor<2x1xf16>) -> tensor<2x4xf16>
  %e = clika.mul %d, %d : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  %v = clika.reduce_mean %e {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf16>) -> tensor<2x1xf16>
  %f = clika.add %v, %k : (tensor<2x1xf16>, tensor<f16>) -> tensor<2x1xf16>
  %s = clika.sqrt %f : tensor<2x1xf16>
  %n = clika.div %d, %s : (tensor<2x4xf16>, tensor<2x1xf16>) -> tensor<2x4xf16>
  %l = clika.layer_norm %x : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %z = clika.add %l, %b : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  return %y, %n, %z : tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>
}

// -----

// A number per normalized element after the norm.
// CHECK-LABEL: func.func @scaled_norms(
// CHECK: %[[Y:.*]] = clika.rms_norm %arg0 scale %arg1
// CHECK-NEXT: %[[Z:.*]] = clika.layer_norm %arg0 scale %arg1 bias %arg2
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @scaled_norms(%x: tensor<2x4xf16>, %g: tensor<4xf16>, %b: tensor<4xf16>) -> (tensor<2x4xf16>, tensor<2x4xf16>) {
  %n = clika.rms_norm %x : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %y = clika.mul %n, %g : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  %l = clika.layer_norm %x : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %s = clika.mul %g, %l : (tensor<4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  %z = clika.add %s, %b : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  return %y, %z : tensor<2x4xf16>, tensor<2x4xf16>
}

// -----

// In float32 decomposed_layer_norm does it.
// CHECK-LABEL: func.func @full_precision(
// CHECK: clika.layer_norm
// CHECK-NEXT: clika.mul
func.func @full_precision(%x: tensor<2x4xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  %l = clika.layer_norm %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{the dtype is not float16 or bfloat16}}
  %s = clika.mul %l, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @rotary(
// CHECK: %y = clika.rotary_embedding %arg0, %{{.*}}, %{{.*}} : (tensor<1x2x3x4xf16>, tensor<1x3x2xf16>, tensor<1x3x2xf16>) -> tensor<1x2x3x4xf16>
// CHECK-NEXT: return %y
func.func @rotary(%x: tensor<1x2x3x4xf16>, %t: tensor<1x1x3x2xf16>) -> tensor<1x2x3x4xf16> {
  %a = clika.concat %t, %t {axis = 3 : i64} : (tensor<1x1x3x2xf16>, tensor<1x1x3x2xf16>) -> tensor<1x1x3x4xf16>
  %c = clika.cos %a : tensor<1x1x3x4xf16>
  %s = clika.sin %a : tensor<1x1x3x4xf16>
  %l = clika.slice %x {axes = array<i64: 3>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<1x2x3x4xf16>) -> tensor<1x2x3x2xf16>
  %r = clika.slice %x {axes = array<i64: 3>, ends = array<i64: 4>, starts = array<i64: 2>} : (tensor<1x2x3x4xf16>) -> tensor<1x2x3x2xf16>
  %n = clika.neg %r : tensor<1x2x3x2xf16>
  %p = clika.concat %n, %l {axis = 3 : i64} : (tensor<1x2x3x2xf16>, tensor<1x2x3x2xf16>) -> tensor<1x2x3x4xf16>
  %u = clika.mul %x, %c : (tensor<1x2x3x4xf16>, tensor<1x1x3x4xf16>) -> tensor<1x2x3x4xf16>
  %v = clika.mul %p, %s : (tensor<1x2x3x4xf16>, tensor<1x1x3x4xf16>) -> tensor<1x2x3x4xf16>
  %y = clika.add %u, %v : (tensor<1x2x3x4xf16>, tensor<1x2x3x4xf16>) -> tensor<1x2x3x4xf16>
  return %y : tensor<1x2x3x4xf16>
}

// -----

// A batch norm, and a product with a number for each channel.
// CHECK-LABEL: func.func @weights(
// CHECK: %c = clika.linear %arg0, %{{.*}} bias %{{.*}} : (tensor<2x3xf16>, tensor<2x3xf16>, tensor<2xf16>) -> tensor<2x2xf16>
// CHECK: %e = clika.linear %arg0, %{{.*}} : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x2xf16>
// CHECK-NEXT: return %c, %e
func.func @weights(%x: tensor<2x3xf16>) -> (tensor<2x2xf16>, tensor<2x2xf16>) {
  %w = clika.constant dense<[[1.0, 0.5, -0.25], [0.75, 0.5, -1.0]]> : tensor<2x3xf16>
  %m = clika.constant dense<[0.5, -0.5]> : tensor<2xf16>
  %v = clika.constant dense<[1.0, 0.25]> : tensor<2xf16>
  %a = clika.linear %x, %w : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x2xf16>
  %c = clika.batch_norm %a, %m, %v {epsilon = 0.01 : f64} : (tensor<2x2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<2x2xf16>
  %d = clika.linear %x, %w : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x2xf16>
  %e = clika.mul %d, %v : (tensor<2x2xf16>, tensor<2xf16>) -> tensor<2x2xf16>
  return %c, %e : tensor<2x2xf16>, tensor<2x2xf16>
}

// -----

// Near misses: another dtype, a product that something else reads, a bias that is no number per column.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.linear
// CHECK: return
func.func @near_misses(%x: tensor<2x3xf32>, %z: tensor<2x3xf16>, %b: tensor<3xf32>, %c: tensor<3xf16>, %d: tensor<2x3xf16>) -> (tensor<2x3xf32>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>) {
  %w = clika.constant dense<0.5> : tensor<3x3xf32>
  %v = clika.constant dense<0.5> : tensor<3x3xf16>
  %a = clika.matmul %x, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{the dtype is not float16 or bfloat16}}
  %e = clika.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %f = clika.matmul %z, %v : (tensor<2x3xf16>, tensor<3x3xf16>) -> tensor<2x3xf16>
  // expected-remark @+1 {{the matmul has another reader, or an activation}}
  %g = clika.add %f, %c : (tensor<2x3xf16>, tensor<3xf16>) -> tensor<2x3xf16>
  %h = clika.matmul %d, %v : (tensor<2x3xf16>, tensor<3x3xf16>) -> tensor<2x3xf16>
  // expected-remark @+1 {{the other operand is not one number per column}}
  %i = clika.add %h, %d : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  return %e, %f, %g, %i : tensor<2x3xf32>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>
}
