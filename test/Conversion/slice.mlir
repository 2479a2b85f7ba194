// RUN: clika-opt %s -convert-clika-to-linalg -cse -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @forward(
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [2, 3] [1, 2] : tensor<4x6xf32> to tensor<2x3xf32>
// CHECK-NOT: linalg.generic
func.func @forward(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %r = clika.slice %x {starts = array<i64: 1, 0>, ends = array<i64: 3, 100>, steps = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @backward(
// CHECK: linalg.generic
// CHECK: tensor.extract
func.func @backward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = clika.slice %x {starts = array<i64: -1>, ends = array<i64: -9>, steps = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @joined(
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[2, 0] [1, 3] [1, 1]
func.func @joined(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %r = clika.concat %x, %y : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

// -----

// CHECK-LABEL: func.func @unequal(
// CHECK: cf.assert %{{.*}}, "concat 'r': tensors 1 and 0 have different sizes in dimension 1"
func.func @unequal(%x: tensor<2x?xf32>, %y: tensor<1x?xf32>) -> tensor<3x?xf32> {
  %r = clika.concat %x, %y : (tensor<2x?xf32>, tensor<1x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

// -----

// Sizes of one name need no check.
// CHECK-LABEL: func.func @equal(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @equal(%x: tensor<2x?xf32, #clika.dims<2, n>>, %y: tensor<1x?xf32, #clika.dims<1, n>>) -> tensor<3x?xf32, #clika.dims<3, n>> {
  %r = clika.concat %x, %y : (tensor<2x?xf32, #clika.dims<2, n>>, tensor<1x?xf32, #clika.dims<1, n>>) -> tensor<3x?xf32, #clika.dims<3, n>>
  return %r : tensor<3x?xf32, #clika.dims<3, n>>
}

// -----

// CHECK-LABEL: func.func @around(
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [4, 5] [1, 1]
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [4, 5] [1, 1]
func.func @around(%x: tensor<4x6xf32>) -> tensor<5x7xf32> {
  %r = clika.pad %x {pads = array<i64: 1, -1, 0, 2>} : (tensor<4x6xf32>) -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
