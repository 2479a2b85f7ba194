// RUN: clika-opt --decomposed-gelu --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-gelu=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// The erf form, with the half first and the root as a factor.
// CHECK-LABEL: func.func @erf(
// CHECK: %y = clika.gelu %arg0 : tensor<4xf16>
// CHECK-NEXT: return %y
func.func @erf(%x: tensor<4xf16>) -> tensor<4xf16> {
  %half = clika.constant dense<0.5> : tensor<1xf16>
  %one = clika.constant dense<1.0> : tensor<f16>
  %root = clika.constant dense<0.7070> : tensor<f16>
  %h = clika.mul %half, %x : (tensor<1xf16>, tensor<4xf16>) -> tensor<4xf16>
  %a = clika.mul %x, %root : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %e = clika.erf %a : tensor<4xf16>
  %p = clika.add %one, %e : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
  %y = clika.mul %h, %p : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

// The tanh form with a power, and with x factored out.
// CHECK-LABEL: func.func @tanh(
// CHECK: %y = clika.gelu %arg0 {form = "Tanh"} : tensor<4xf32>
// CHECK: %z = clika.gelu %arg1 {form = "Tanh"} : tensor<4xf32>
// CHECK-NEXT: return %y, %z
func.func @tanh(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = clika.constant dense<0.5> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %three = clika.constant dense<3.0> : tensor<f32>
  %k = clika.constant dense<0.044715> : tensor<f32>
  %c = clika.constant dense<0.79788458> : tensor<f32>
  %p = clika.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = clika.mul %k, %p : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %r = clika.add %x, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = clika.mul %r, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %t = clika.tanh %s : tensor<4xf32>
  %u = clika.add %t, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %v = clika.mul %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %y = clika.mul %u, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a = clika.mul %w, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = clika.mul %a, %k : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = clika.add %b, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = clika.mul %w, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %f = clika.mul %e, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = clika.tanh %f : tensor<4xf32>
  %h = clika.add %g, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %i = clika.mul %w, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = clika.mul %i, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Near misses: another factor than 0.5, another root, erf of another value, a sum other than 1.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.gelu
// CHECK: return
func.func @near_misses(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %half = clika.constant dense<0.5> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %root = clika.constant dense<0.70710678> : tensor<f32>
  %other = clika.constant dense<0.6> : tensor<f32>
  %a = clika.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = clika.erf %a : tensor<4xf32>
  %p = clika.add %e, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = clika.mul %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{not half of x + x * erf or x + x * tanh of x, whose parts are read here alone}}
  %y = clika.mul %b, %other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = clika.mul %x, %other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %f = clika.erf %c : tensor<4xf32>
  %g = clika.add %f, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = clika.mul %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{what erf takes is not x / sqrt(2) of the other factor x}}
  %z = clika.mul %h, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %i = clika.mul %w, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %j = clika.erf %i : tensor<4xf32>
  %k = clika.add %j, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %l = clika.mul %x, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{not half of x + x * erf or x + x * tanh of x, whose parts are read here alone}}
  %m = clika.mul %l, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y, %z, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A literal of six digits is near enough in float32; one of half precision is not.
// CHECK-LABEL: func.func @digits(
// CHECK: %y = clika.gelu %arg0 : tensor<4xf32>
// CHECK-NOT: clika.gelu
// CHECK: return %y, %z
func.func @digits(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = clika.constant dense<0.5> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %root = clika.constant dense<0.707107> : tensor<f32>
  %a = clika.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = clika.erf %a : tensor<4xf32>
  %p = clika.add %e, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = clika.mul %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = clika.mul %b, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %coarse = clika.constant dense<0.70703125> : tensor<f32>
  %c = clika.mul %x, %coarse : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %f = clika.erf %c : tensor<4xf32>
  %q = clika.add %f, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = clika.mul %x, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{what erf takes is not x / sqrt(2) of the other factor x}}
  %z = clika.mul %d, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// A literal that broadcasts x makes another shape than Gelu's.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NOT: clika.gelu
// CHECK: return
func.func @broadcast(%x: tensor<1x4xf32>) -> tensor<2x4xf32> {
  %half = clika.constant dense<0.5> : tensor<2x1xf32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %root = clika.constant dense<0.70710678> : tensor<f32>
  %a = clika.mul %x, %root : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %e = clika.erf %a : tensor<1x4xf32>
  %p = clika.add %e, %one : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %h = clika.mul %x, %half : (tensor<1x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{a literal broadcasts x}}
  %y = clika.mul %h, %p : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Halved by a division at the end, x halved, a sum halved, the half in both terms, all of it multiplied out, and erf(-x).
// CHECK-LABEL: func.func @variants(
// CHECK: %a4 = clika.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: %b4 = clika.gelu %a4 : tensor<4xf32>
// CHECK-NEXT: %c4 = clika.gelu %b4 : tensor<4xf32>
// CHECK-NEXT: %d4 = clika.gelu %c4 : tensor<4xf32>
// CHECK-NEXT: %e4 = clika.gelu %d4 : tensor<4xf32>
// CHECK-NEXT: %f4 = clika.gelu %e4 : tensor<4xf32>
// CHECK-NEXT: return %f4
func.func @variants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = clika.constant dense<0.5> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %two = clika.constant dense<2.0> : tensor<f32>
  %root = clika.constant dense<0.70710678> : tensor<f32>
  %div = clika.constant dense<1.41421356> : tensor<f32>
  %neg = clika.constant dense<-0.70710678> : tensor<f32>
  %a0 = clika.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a1 = clika.erf %a0 : tensor<4xf32>
  %a2 = clika.add %a1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a3 = clika.mul %x, %a2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a4 = clika.div %a3, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b0 = clika.div %a4, %div : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b1 = clika.erf %b0 : tensor<4xf32>
  %b2 = clika.add %one, %b1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %b3 = clika.div %a4, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b4 = clika.mul %b2, %b3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c0 = clika.mul %b4, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c1 = clika.erf %c0 : tensor<4xf32>
  %c2 = clika.add %c1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c3 = clika.mul %c2, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c4 = clika.mul %c3, %b4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d0 = clika.mul %c4, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d1 = clika.erf %d0 : tensor<4xf32>
  %d2 = clika.mul %d1, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d3 = clika.add %d2, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d4 = clika.mul %c4, %d3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e0 = clika.mul %d4, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e1 = clika.erf %e0 : tensor<4xf32>
  %e2 = clika.mul %d4, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e3 = clika.mul %d4, %e1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e4 = clika.add %e2, %e3 {alpha = 0.5 : f64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %f0 = clika.mul %e4, %neg : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %f1 = clika.erf %f0 : tensor<4xf32>
  %f2 = clika.sub %one, %f1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %f3 = clika.mul %e4, %f2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %f4 = clika.mul %f3, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %f4 : tensor<4xf32>
}

// -----

// The tanh form with the numbers multiplied together and x factored out, and with bfloat16's literals and x * x * x.
// CHECK-LABEL: func.func @tanh_variants(
// CHECK: %a = clika.gelu %arg0 {form = "Tanh"} : tensor<4xf32>
// CHECK: %b = clika.gelu %arg1 {form = "Tanh"} : tensor<4xbf16>
// CHECK-NEXT: return %a, %b
func.func @tanh_variants(%x: tensor<4xf32>, %z: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %half = clika.constant dense<0.5> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %k = clika.constant dense<0.0356774081> : tensor<f32>
  %c = clika.constant dense<0.7978845608> : tensor<f32>
  %0 = clika.mul %x, %k : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = clika.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = clika.add %c, %1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = clika.mul %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = clika.tanh %3 : tensor<4xf32>
  %5 = clika.add %4, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = clika.mul %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a = clika.mul %5, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %i = clika.constant dense<5.0e-01> : tensor<bf16>
  %j = clika.constant dense<1.0> : tensor<bf16>
  %l = clika.constant dense<0.044715> : tensor<bf16>
  %m = clika.constant dense<0.7978845608> : tensor<bf16>
  %7 = clika.mul %z, %z : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %8 = clika.mul %7, %z : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %9 = clika.mul %l, %8 : (tensor<bf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %10 = clika.add %z, %9 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %11 = clika.mul %10, %m : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %12 = clika.tanh %11 : tensor<4xbf16>
  %13 = clika.add %12, %j : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  %14 = clika.mul %13, %z : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  %b = clika.mul %14, %i : (tensor<4xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %a, %b : tensor<4xf32>, tensor<4xbf16>
}

// -----

// Near misses: the halves of the two terms differ, erf subtracted, another power under tanh, a sum with another reader.
// CHECK-LABEL: func.func @near_variants(
// CHECK-NOT: clika.gelu
// CHECK: return
func.func @near_variants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %half = clika.constant dense<0.5> : tensor<f32>
  %one = clika.constant dense<1.0> : tensor<f32>
  %two = clika.constant dense<2.0> : tensor<f32>
  %root = clika.constant dense<0.70710678> : tensor<f32>
  %k = clika.constant dense<0.044715> : tensor<f32>
  %c = clika.constant dense<0.79788458> : tensor<f32>
  %a0 = clika.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a1 = clika.erf %a0 : tensor<4xf32>
  %a2 = clika.add %a1, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-remark @+1 {{not half of x + x * erf or x + x * tanh of x, whose parts are read here alone}}
  %a3 = clika.mul %x, %a2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b0 = clika.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b1 = clika.erf %b0 : tensor<4xf32>
  %b2 = clika.sub %one, %b1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %b3 = clika.mul %x, %b2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{what erf takes is not x / sqrt(2) of the other factor x}}
  %b4 = clika.div %b3, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c0 = clika.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c1 = clika.mul %c0, %k : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c2 = clika.add %x, %c1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c3 = clika.mul %c2, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c4 = clika.tanh %c3 : tensor<4xf32>
  %c5 = clika.add %c4, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c6 = clika.mul %x, %c5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{what tanh takes is not sqrt(2 / pi) * (x + 0.044715 * x^3) of the other factor x}}
  %c7 = clika.mul %c6, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d0 = clika.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d1 = clika.erf %d0 : tensor<4xf32>
  %d2 = clika.add %d1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d3 = clika.mul %x, %d2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{no part of it is erf or tanh, read here alone}}
  %d4 = clika.div %d3, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a3, %b4, %c7, %d3, %d4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
