// RUN: clika-opt --merge-transposes --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-transposes=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %b = clika.transpose %arg0 {perm = array<i64: 2, 1, 0>}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %a = clika.transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %b = clika.transpose %a {perm = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  return %b : tensor<4x3x2xf32>
}

// -----

// CHECK-LABEL: func.func @cancels(
// CHECK-NEXT: return %arg0
func.func @cancels(%x: tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>> {
  %a = clika.transpose %x : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<3x?xf32, #clika.dims<3, n>>
  %b = clika.transpose %a {perm = array<i64: 1, 0>} : (tensor<3x?xf32, #clika.dims<3, n>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return %b : tensor<?x3xf32, #clika.dims<n, 3>>
}

// -----

// Near miss: an op between. Two square transposes are not one.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-2: clika.transpose
func.func @apart(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @+1 {{does not read a transpose}}
  %a = clika.transpose %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %n = clika.neg %a : tensor<2x2xf32>
  // expected-remark @+1 {{does not read a transpose}}
  %b = clika.transpose %n : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}
