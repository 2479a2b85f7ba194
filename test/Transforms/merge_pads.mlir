// RUN: clika-opt --merge-pads --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-pads=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %b = clika.pad %arg0 {pads = array<i64: 1, 2, 2, 3>, value = 2.000000e+00 : f64}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<2x?xf32>) -> tensor<5x?xf32> {
  %a = clika.pad %x {axes = array<i64: -1>, pads = array<i64: 1, 0>, value = 2 : i64} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  %b = clika.pad %a {pads = array<i64: 1, 1, 2, 3>, value = 2.0 : f64} : (tensor<2x?xf32>) -> tensor<5x?xf32>
  return %b : tensor<5x?xf32>
}

// -----

// Near misses: another number, another zero, another mode, elements removed, a number given as a tensor.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.pad 
// CHECK: clika.pad 
// CHECK: clika.pad 
// CHECK: clika.pad 
// CHECK: clika.pad 
// CHECK: clika.pad 
func.func @near_misses(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<12xf32> {
  // expected-remark @+1 {{does not read a pad}}
  %a = clika.pad %x {pads = array<i64: 1, 1>} : (tensor<4xf32>) -> tensor<6xf32>
  // expected-remark @+1 {{the pads add different numbers}}
  %b = clika.pad %a {pads = array<i64: 1, 1>, value = 1.0 : f64} : (tensor<6xf32>) -> tensor<8xf32>
  // expected-remark @+1 {{one of the pads adds no literal number, or removes elements}}
  %c = clika.pad %b {mode = "Edge", pads = array<i64: 1, 1>} : (tensor<8xf32>) -> tensor<10xf32>
  // expected-remark @+1 {{one of the pads adds no literal number, or removes elements}}
  %d = clika.pad %c {pads = array<i64: 1, -1>} : (tensor<10xf32>) -> tensor<10xf32>
  // expected-remark @+1 {{one of the pads adds no literal number, or removes elements}}
  %e = clika.pad %d {pads = array<i64: 1, 0>} : (tensor<10xf32>) -> tensor<11xf32>
  // expected-remark @+1 {{one of the pads adds no literal number, or removes elements}}
  %f = clika.pad %e value %v {pads = array<i64: 1, 0>} : (tensor<11xf32>, tensor<f32>) -> tensor<12xf32>
  return %f : tensor<12xf32>
}

// -----

// Near miss: the two zeros.
// CHECK-LABEL: func.func @zeros(
// CHECK: clika.pad 
// CHECK: clika.pad 
func.func @zeros(%x: tensor<4xf32>) -> tensor<6xf32> {
  // expected-remark @+1 {{does not read a pad}}
  %a = clika.pad %x {pads = array<i64: 1, 0>, value = -0.0 : f64} : (tensor<4xf32>) -> tensor<5xf32>
  // expected-remark @+1 {{the pads add different numbers}}
  %b = clika.pad %a {pads = array<i64: 1, 0>} : (tensor<5xf32>) -> tensor<6xf32>
  return %b : tensor<6xf32>
}
