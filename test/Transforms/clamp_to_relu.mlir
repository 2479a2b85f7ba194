// RUN: clika-opt --clamp-to-relu --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --clamp-to-relu=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Fires for +0.0 and the integer 0; the Relu keeps the Clamp's name.
// CHECK-LABEL: func.func @zero_floor(
// CHECK-NEXT: %a = clika.relu %arg0 : tensor<2xf32>
// CHECK-NEXT: %b = clika.relu %a : tensor<2xf32>
func.func @zero_floor(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.clamp %x {min = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %b = clika.clamp %a {min = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Near misses: -0.0, another floor, a ceiling, no floor, a floor given as a tensor, NaN.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.relu
// CHECK: return
func.func @near_misses(%x: tensor<2xf32>, %lo: tensor<f32>) -> tensor<2xf32> {
  // expected-remark @+1 {{its floor is not +0.0}}
  %a = clika.clamp %x {min = -0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{its floor is not +0.0}}
  %b = clika.clamp %a {min = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{it has a ceiling}}
  %c = clika.clamp %b {min = 0.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{it has a ceiling}}
  %d = clika.clamp %c {max = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{a bound is given as a tensor}}
  %e = clika.clamp %d min %lo : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{its floor is not +0.0}}
  %f = clika.clamp %e {min = 0x7FF8000000000000 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %f : tensor<2xf32>
}
