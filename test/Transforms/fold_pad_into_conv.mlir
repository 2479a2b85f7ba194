// RUN: clika-opt --fold-pad-into-conv --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fold-pad-into-conv=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @folds(
// CHECK-NEXT: %b = clika.conv %arg0, %arg1 {activation = "Relu", pads = array<i64: 2, 1, 2, 2>}
// CHECK-NEXT: return %b
func.func @folds(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x3x3xf32>) -> tensor<1x2x6x5xf32> {
  %a = clika.pad %x {axes = array<i64: 2, 3>, pads = array<i64: 1, 0, 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x5xf32>
  %b = clika.conv %a, %w {activation = "Relu", pads = array<i64: 1, 1>} : (tensor<1x2x6x5xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x6x5xf32>
  return %b : tensor<1x2x6x5xf32>
}

// -----

// Beginnings and ends of its own.
// CHECK-LABEL: func.func @sides(
// CHECK-NEXT: %b = clika.conv %arg0, %arg1 bias %arg2 {pads = array<i64: 4, 2>, strides = array<i64: 2>}
// CHECK-NEXT: return %b
func.func @sides(%x: tensor<1x1x?xf32>, %w: tensor<1x1x3xf32>, %c: tensor<1xf32>) -> tensor<1x1x?xf32> {
  %a = clika.pad %x {pads = array<i64: 0, 0, 3, 0, 0, 0>, value = 0 : i64} : (tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  %b = clika.conv %a, %w bias %c {pads = array<i64: 1, 2>, strides = array<i64: 2>} : (tensor<1x1x?xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x?xf32>
  return %b : tensor<1x1x?xf32>
}

// -----

// Near misses: channels added, -0, another reader, pads that depend on the size.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.pad 
// CHECK: clika.conv 
// CHECK: clika.pad 
// CHECK: clika.conv 
// CHECK: clika.pad 
// CHECK: clika.conv 
// CHECK: clika.pad 
// CHECK: clika.conv 
func.func @near_misses(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>, %v: tensor<1x2x3xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x6xf32>, tensor<1x1x6xf32>) {
  %a = clika.pad %x {axes = array<i64: 1>, pads = array<i64: 0, 1>} : (tensor<1x1x4xf32>) -> tensor<1x2x4xf32>
  // expected-remark @+1 {{the pad before it adds channels or batches}}
  %b = clika.conv %a, %v : (tensor<1x2x4xf32>, tensor<1x2x3xf32>) -> tensor<1x1x2xf32>
  %c = clika.pad %x {axes = array<i64: 2>, pads = array<i64: 1, 1>, value = -0.0 : f64} : (tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
  // expected-remark @+1 {{the pad before it adds other than +0, or removes elements}}
  %d = clika.conv %c, %w : (tensor<1x1x6xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  %e = clika.pad %x {axes = array<i64: 2>, pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
  // expected-remark @+1 {{the pad before it has another reader}}
  %f = clika.conv %e, %w : (tensor<1x1x6xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  %g = clika.pad %x {axes = array<i64: 2>, pads = array<i64: 2, 0>} : (tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
  // expected-remark @+1 {{its own pads depend on the size}}
  %h = clika.conv %g, %w {auto_pad = "SameUpper"} : (tensor<1x1x6xf32>, tensor<1x1x3xf32>) -> tensor<1x1x6xf32>
  return %b, %d, %f, %h, %e : tensor<1x1x2xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x6xf32>, tensor<1x1x6xf32>
}
