// RUN: clika-opt --merge-clamps --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-clamps=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %b = clika.clamp %arg0 {max = 6.000000e+00 : f64, min = 1.000000e+00 : f64}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.clamp %x {min = 0.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %b = clika.clamp %a {min = 1.0 : f64, max = 9.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// A ceiling below the floor wins, as it does in one Clamp: [2, 1] then a ceiling of 0.
// CHECK-LABEL: func.func @crossed(
// CHECK-NEXT: %b = clika.clamp %arg0 {max = 0.000000e+00 : f64, min = 2.000000e+00 : f64}
// CHECK-NEXT: return %b
func.func @crossed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.clamp %x {min = 2.0 : f64, max = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %b = clika.clamp %a {max = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// A Relu counts as a Clamp with the floor +0.0, which wins over -0.0.
// CHECK-LABEL: func.func @relu(
// CHECK-NEXT: %b = clika.clamp %arg0 {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
// CHECK-NEXT: return %b
func.func @relu(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = clika.relu %x : tensor<2xf32>
  %b = clika.clamp %a {min = -0.0 : f64, max = 6.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Near misses: a NaN bound, a bound given as a tensor, two Relus.
// CHECK-LABEL: func.func @near_misses(
// CHECK-COUNT-4: clika.clamp
// CHECK-COUNT-2: clika.relu
func.func @near_misses(%x: tensor<2xf32>, %lo: tensor<f32>) -> tensor<2xf32> {
  // expected-remark @+1 {{does not read a Clamp or Relu with literal bounds}}
  %a = clika.clamp %x {min = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{a bound is NaN or no literal}}
  %b = clika.clamp %a {max = 0x7FF8000000000000 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{a bound is NaN or no literal}}
  %c = clika.clamp %b min %lo : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{does not read a Clamp or Relu with literal bounds}}
  %d = clika.clamp %c {max = 3.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %n = clika.neg %d : tensor<2xf32>
  // expected-remark @+1 {{does not read a Clamp or Relu with literal bounds}}
  %e = clika.relu %n : tensor<2xf32>
  // expected-remark @+1 {{a Relu of a Relu is remove_redundant_relu's}}
  %f = clika.relu %e : tensor<2xf32>
  return %f : tensor<2xf32>
}
