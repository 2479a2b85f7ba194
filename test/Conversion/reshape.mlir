// RUN: clika-opt %s -convert-clika-to-linalg -cse -split-input-file | FileCheck %s

// Known sizes: one view, no check.
// CHECK-LABEL: func.func @static(
// CHECK-NOT: cf.assert
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xi8> into tensor<2x3x4xi8>
// CHECK-NOT: cf.assert
func.func @static(%x: tensor<6x4xi1>) -> tensor<2x3x4xi1> {
  %r = clika.reshape %x {shape = array<i64: 2, 3, 4>} : (tensor<6x4xi1>) -> tensor<2x3x4xi1>
  return %r : tensor<2x3x4xi1>
}

// -----

// Named sizes stay apart: only what changes is split, and the names prove the count.
// CHECK-LABEL: func.func @names(
// CHECK-NOT: cf.assert
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] {{.*}} : tensor<?x?x768xf32> into tensor<?x?x12x64xf32>
// CHECK-NOT: cf.assert
// CHECK: return
func.func @names(%x: tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>> {
  %r = clika.reshape %x {shape = array<i64: 0, 0, 12, -1>} : (tensor<?x?x768xf32, #clika.dims<b, s, 768>>) -> tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>>
  return %r : tensor<?x?x12x64xf32, #clika.dims<b, s, 12, 64>>
}

// -----

// A shape that only run time knows is checked.
// CHECK-LABEL: func.func @unknown(
// CHECK: cf.assert %{{.*}}, "reshape 'r': the shape has a negative size other than one -1"
// CHECK: cf.assert %{{.*}}, "reshape 'r': x of shape {{.*}} has another number of elements than the shape asks for"
// CHECK: tensor.reshape
func.func @unknown(%x: tensor<?x4xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = clika.reshape %x shape %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @units(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3]] {{.*}} : tensor<?x?xf32> into tensor<1x?x1x?xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3]] : tensor<1x?x1x?xf32> into tensor<?x?xf32>
func.func @units(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = clika.unsqueeze %x {axes = array<i64: 0, 2>} : (tensor<?x?xf32>) -> tensor<1x?x1x?xf32>
  %s = clika.squeeze %r {axes = array<i64: 0, 2>} : (tensor<1x?x1x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @moves(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x3x4xf32>) outs(%{{.*}} : tensor<4x3x2xf32>) permutation = [2, 1, 0]
// CHECK: arith.constant dense<[4, 3, 2]> : tensor<3xi64>
func.func @moves(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>, tensor<3xi64>) {
  %r = clika.transpose %x : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %s = clika.shape %r : (tensor<4x3x2xf32>) -> tensor<3xi64>
  return %r, %s : tensor<4x3x2xf32>, tensor<3xi64>
}
