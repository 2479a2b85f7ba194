// RUN: clika-opt --shape-of-source --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --shape-of-source=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @moves(
// CHECK-NEXT: %b = clika.shape %arg0 {start = 1 : i64}
// CHECK-NEXT: %0 = clika.shape %arg0 {end = 3 : i64}
// CHECK-NEXT: %1 = clika.constant dense<[2, 0, 1]> : tensor<3xi64>
// CHECK-NEXT: %d = clika.gather %0, %1
// CHECK-NEXT: %2 = clika.constant dense<1> : tensor<1xi64>
// CHECK-NEXT: %3 = clika.shape %arg0 {end = 3 : i64, start = 1 : i64}
// CHECK-NEXT: %f = clika.concat %2, %3
// CHECK-NEXT: return %b, %d, %f
func.func @moves(%x: tensor<?x3x?xf32>) -> (tensor<2xi64>, tensor<3xi64>, tensor<3xi64>) {
  %a = clika.exp %x : tensor<?x3x?xf32>
  %b = clika.shape %a {start = 1 : i64} : (tensor<?x3x?xf32>) -> tensor<2xi64>
  %c = clika.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<?x3x?xf32>) -> tensor<?x?x3xf32>
  %d = clika.shape %c : (tensor<?x?x3xf32>) -> tensor<3xi64>
  %e = clika.unsqueeze %x {axes = array<i64: 1, -1>} : (tensor<?x3x?xf32>) -> tensor<?x1x3x?x1xf32>
  %f = clika.shape %e {start = -4 : i64, end = -1 : i64} : (tensor<?x1x3x?x1xf32>) -> tensor<3xi64>
  return %b, %d, %f : tensor<2xi64>, tensor<3xi64>, tensor<3xi64>
}

// -----

// CHECK-LABEL: func.func @picks(
// CHECK-NEXT: %0 = clika.shape %arg0 {end = 3 : i64, start = 2 : i64}
// CHECK-NEXT: %a = clika.squeeze %0 {axes = array<i64: 0>}
// CHECK-NEXT: %b = clika.shape %arg0 {end = 3 : i64, start = 1 : i64}
// CHECK-NEXT: return %a, %b
func.func @picks(%x: tensor<?x3x?xf32>) -> (tensor<i64>, tensor<2xi64>) {
  %i = clika.constant dense<-1> : tensor<i64>
  %s = clika.shape %x : (tensor<?x3x?xf32>) -> tensor<3xi64>
  %a = clika.gather %s, %i : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %t = clika.shape %x : (tensor<?x3x?xf32>) -> tensor<3xi64>
  %b = clika.slice %t {axes = array<i64: 0>, ends = array<i64: 3>, starts = array<i64: 1>} : (tensor<3xi64>) -> tensor<2xi64>
  return %a, %b : tensor<i64>, tensor<2xi64>
}

// -----

// Near misses: a graph input, sizes that are broadcast, sizes apart.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.shape 
// CHECK: clika.gather 
// CHECK: clika.add 
// CHECK: clika.shape 
// CHECK: clika.slice 
func.func @near_misses(%x: tensor<?x3xf32>, %z: tensor<?x3xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %i = clika.constant dense<[1, 0]> : tensor<2xi64>
  // expected-remark @+1 {{what it reads is made by no operator that keeps or moves dimensions}}
  %s = clika.shape %x : (tensor<?x3xf32>) -> tensor<2xi64>
  // expected-remark @+1 {{does not pick neighbouring dimensions of the shape}}
  %a = clika.gather %s, %i : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %p = clika.add %x, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  // expected-remark @+1 {{what it reads is made by no operator that keeps or moves dimensions}}
  %b = clika.shape %p : (tensor<?x3xf32>) -> tensor<2xi64>
  // expected-remark @+1 {{does not pick neighbouring dimensions of the shape}}
  %c = clika.slice %s {axes = array<i64: 0>, ends = array<i64: -3>, starts = array<i64: 1>, steps = array<i64: -1>} : (tensor<2xi64>) -> tensor<2xi64>
  return %a, %b, %c : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}
