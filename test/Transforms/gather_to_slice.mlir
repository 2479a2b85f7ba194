// RUN: clika-opt --gather-to-slice --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --gather-to-slice=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @slices(
// CHECK-NEXT: %a = clika.slice %arg0 {axes = array<i64: 1>, ends = array<i64: 6>, starts = array<i64: 1>, steps = array<i64: 2>}
// CHECK-NEXT: %0 = clika.slice %arg0 {axes = array<i64: 1>, ends = array<i64: 6>, starts = array<i64: 5>}
// CHECK-NEXT: %b = clika.squeeze %0 {axes = array<i64: 1>}
// CHECK-NEXT: return %a, %b
func.func @slices(%x: tensor<?x6xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %i = clika.constant dense<[-5, 3, -1]> : tensor<3xi32>
  %j = clika.constant dense<-1> : tensor<i64>
  %a = clika.gather %x, %i {axis = -1 : i64} : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<?x3xf32>
  %b = clika.gather %x, %j {axis = 1 : i64} : (tensor<?x6xf32>, tensor<i64>) -> tensor<?xf32>
  return %a, %b : tensor<?x3xf32>, tensor<?xf32>
}

// -----

// Near misses: descending, an unknown size, out of range, a matrix of indices, indices of a run.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.gather 
// CHECK: clika.gather 
// CHECK: clika.gather 
// CHECK: clika.gather 
// CHECK: clika.gather 
func.func @near_misses(%x: tensor<4xf32>, %y: tensor<?xf32>, %n: tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>) {
  %i = clika.constant dense<[1, 0]> : tensor<2xi64>
  %j = clika.constant dense<[0, 1]> : tensor<2xi64>
  %k = clika.constant dense<[3, 4]> : tensor<2xi64>
  %l = clika.constant dense<[[0, 1]]> : tensor<1x2xi64>
  // expected-remark @+1 {{its indices do not ascend by equal steps}}
  %a = clika.gather %x, %i : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  // expected-remark @+1 {{its indices are no constants in range}}
  %b = clika.gather %y, %j : (tensor<?xf32>, tensor<2xi64>) -> tensor<2xf32>
  // expected-remark @+1 {{its indices are no constants in range}}
  %c = clika.gather %x, %k : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  // expected-remark @+1 {{its indices are no list}}
  %d = clika.gather %x, %l : (tensor<4xf32>, tensor<1x2xi64>) -> tensor<1x2xf32>
  // expected-remark @+1 {{its indices are no constants in range}}
  %e = clika.gather %x, %n : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2xf32>
}
