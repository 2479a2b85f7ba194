// RUN: clika-opt %s -convert-clika-to-linalg -split-input-file | FileCheck %s

// Indices are checked before anything is read, and held inside where they are used.
// CHECK-LABEL: func.func @elements(
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: cf.assert %{{.*}}, "gather 'r': an index is out of range for axis 0 of x, whose size is 5"
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract
func.func @elements(%x: tensor<5xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %r = clika.gather %x, %i : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Rows are copied as a whole.
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: tensor.extract_slice %{{.*}} [1, 64] [1, 1] : tensor<5x64xf32> to tensor<64xf32>
// CHECK: tensor.insert_slice %{{.*}} [1, 64] [1, 1] : tensor<64xf32> into tensor<3x64xf32>
func.func @rows(%x: tensor<5x64xf32>, %i: tensor<3xi32>) -> tensor<3x64xf32> {
  %r = clika.gather %x, %i : (tensor<5x64xf32>, tensor<3xi32>) -> tensor<3x64xf32>
  return %r : tensor<3x64xf32>
}

// -----

// Constant indices that lie inside need no check.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @constant(%x: tensor<5xf32>) -> tensor<2xf32> {
  %i = clika.constant dense<[-1, 2]> : tensor<2xi64>
  %r = clika.gather %x, %i : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @updates(
// CHECK: cf.assert
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: tensor.insert
func.func @updates(%x: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<5xf32> {
  %r = clika.scatter_elements %x, %i, %u {reduction = "Add"} : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
