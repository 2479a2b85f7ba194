// RUN: clika-opt %s -convert-clika-to-linalg -split-input-file | FileCheck %s

// Axes that keep their size are left alone: one table, one pass.
// CHECK-LABEL: func.func @one_axis(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<7xi64>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<7xi64>) outs(%{{.*}} : tensor<2x7xf32>)
// CHECK-NOT: linalg.generic
func.func @one_axis(%x: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %r = clika.resize %x {sizes = array<i64: 2, 7>} : (tensor<2x4xf32>) -> tensor<2x7xf32>
  return %r : tensor<2x7xf32>
}

// -----

// CHECK-LABEL: func.func @same(
// CHECK-NOT: linalg.generic
// CHECK: return %arg0
func.func @same(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = clika.resize %x {sizes = array<i64: 2, 4>, mode = "Cubic"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @unknown(
// CHECK: cf.assert %{{.*}}, "resize 'r': axis 0 cannot be resized to a negative size, nor from nothing to something"
func.func @unknown(%x: tensor<?xf32>, %s: tensor<1xi64>) -> tensor<?xf32> {
  %r = clika.resize %x sizes %s : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
