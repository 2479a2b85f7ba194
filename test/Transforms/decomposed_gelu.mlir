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
  // expected-remark @+1 {{not half the product of two values}}
  %y = clika.mul %b, %other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = clika.mul %x, %other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %f = clika.erf %c : tensor<4xf32>
  %g = clika.add %f, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = clika.mul %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{what erf takes is not the other factor / sqrt(2)}}
  %z = clika.mul %h, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %i = clika.mul %w, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %j = clika.erf %i : tensor<4xf32>
  %k = clika.add %j, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %l = clika.mul %x, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{what erf takes is not the other factor / sqrt(2)}}
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
  // expected-remark @+1 {{what erf takes is not the other factor / sqrt(2)}}
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
