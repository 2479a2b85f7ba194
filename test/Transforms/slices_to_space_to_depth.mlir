// RUN: clika-opt --slices-to-space-to-depth --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --slices-to-space-to-depth=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @focus(
// CHECK-NEXT: %y = clika.space_to_depth %arg0
// CHECK-NEXT: return %y
func.func @focus(%x: tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32> {
  %a = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %b = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %c = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %d = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %y = clika.concat %a, %b, %c, %d {axis = 1 : i64} : (tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x12x2x3xf32>
  return %y : tensor<2x12x2x3xf32>
}

// -----

// Near miss: column by column is another order of channels.
// CHECK-LABEL: func.func @columns(
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.concat 
func.func @columns(%x: tensor<2x3x4x6xf32>) -> tensor<2x12x2x3xf32> {
  %a = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %b = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %c = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %d = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  // expected-remark @+1 {{its pieces are not every other row and column of one image, of even size, in the order of space_to_depth}}
  %y = clika.concat %a, %b, %c, %d {axis = 1 : i64} : (tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x12x2x3xf32>
  return %y : tensor<2x12x2x3xf32>
}

// -----

// Near miss: of an odd number of rows the last would be left out.
// CHECK-LABEL: func.func @odd(
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.concat 
func.func @odd(%x: tensor<2x3x5x6xf32>) -> tensor<2x12x2x3xf32> {
  %a = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x5x6xf32>) -> tensor<2x3x2x3xf32>
  %b = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x5x6xf32>) -> tensor<2x3x2x3xf32>
  %c = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x5x6xf32>) -> tensor<2x3x2x3xf32>
  %d = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x5x6xf32>) -> tensor<2x3x2x3xf32>
  // expected-remark @+1 {{its pieces are not every other row and column of one image, of even size, in the order of space_to_depth}}
  %y = clika.concat %a, %b, %c, %d {axis = 1 : i64} : (tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x12x2x3xf32>
  return %y : tensor<2x12x2x3xf32>
}

// -----

// Near miss: joined along rows.
// CHECK-LABEL: func.func @rows(
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.slice 
// CHECK: clika.concat 
func.func @rows(%x: tensor<2x3x4x6xf32>) -> tensor<2x3x8x3xf32> {
  %a = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %b = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 0, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %c = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 0>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  %d = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 4, 6>, starts = array<i64: 1, 1>, steps = array<i64: 2, 2>} : (tensor<2x3x4x6xf32>) -> tensor<2x3x2x3xf32>
  // expected-remark @+1 {{does not join four tensors along the channels of images}}
  %y = clika.concat %a, %b, %c, %d {axis = 2 : i64} : (tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x3x8x3xf32>
  return %y : tensor<2x3x8x3xf32>
}
