// RUN: clika-opt --merge-gathers --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --merge-gathers=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @merges(
// CHECK-NEXT: %0 = clika.constant dense<{{\[\[}}0, 0], [4, 2]]> : tensor<2x2xi64>
// CHECK-NEXT: %b = clika.gather %arg0, %0 {axis = -1 : i64}
// CHECK-NEXT: return %b
func.func @merges(%x: tensor<4x5xf32>) -> tensor<4x2x2xf32> {
  %i = clika.constant dense<[-1, 0, 2]> : tensor<3xi32>
  %j = clika.constant dense<[[1, 1], [-3, 2]]> : tensor<2x2xi64>
  %a = clika.gather %x, %i {axis = 1 : i64} : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  %b = clika.gather %a, %j {axis = -1 : i64} : (tensor<4x3xf32>, tensor<2x2xi64>) -> tensor<4x2x2xf32>
  return %b : tensor<4x2x2xf32>
}

// -----

// Near misses: another axis, an index that a run refuses, indices that are no constants.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.gather 
// CHECK: clika.gather 
// CHECK: clika.gather 
// CHECK: clika.gather 
// CHECK: clika.gather 
func.func @near_misses(%x: tensor<4x4xf32>, %k: tensor<1xi64>) -> (tensor<2x2xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %i = clika.constant dense<[3, 1]> : tensor<2xi64>
  %j = clika.constant dense<[1, 9]> : tensor<2xi64>
  %l = clika.constant dense<[0]> : tensor<1xi64>
  // expected-remark @+1 {{does not read a gather}}
  %a = clika.gather %x, %i : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // expected-remark @+1 {{the gather before it picks along another axis, or by no list}}
  %b = clika.gather %a, %i {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // expected-remark @+1 {{does not read a gather}}
  %c = clika.gather %x, %j : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  // expected-remark @+1 {{its indices, or those of the gather before it, are no constants in range}}
  %d = clika.gather %c, %l : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  // expected-remark @+1 {{its indices, or those of the gather before it, are no constants in range}}
  %e = clika.gather %a, %k : (tensor<2x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  return %b, %d, %e : tensor<2x2xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}
