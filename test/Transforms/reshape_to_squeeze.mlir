// RUN: clika-opt --reshape-to-squeeze --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --reshape-to-squeeze=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @squeezes(
// CHECK-NEXT: %a = clika.squeeze %arg0 {axes = array<i64: 0>}
// CHECK-NEXT: %b = clika.unsqueeze %arg0 {axes = array<i64: 1>}
// CHECK-NEXT: return %a, %b
func.func @squeezes(%x: tensor<1x?x1x3xf32, #clika.dims<1, n, 1, 3>>) -> (tensor<?x1x3xf32, #clika.dims<n, 1, 3>>, tensor<1x1x?x1x3xf32, #clika.dims<1, 1, n, 1, 3>>) {
  %a = clika.reshape %x {shape = array<i64: -1, 1, 3>} : (tensor<1x?x1x3xf32, #clika.dims<1, n, 1, 3>>) -> tensor<?x1x3xf32, #clika.dims<n, 1, 3>>
  %b = clika.reshape %x {shape = array<i64: 1, 1, -1, 1, 3>} : (tensor<1x?x1x3xf32, #clika.dims<1, n, 1, 3>>) -> tensor<1x1x?x1x3xf32, #clika.dims<1, 1, n, 1, 3>>
  return %a, %b : tensor<?x1x3xf32, #clika.dims<n, 1, 3>>, tensor<1x1x?x1x3xf32, #clika.dims<1, 1, n, 1, 3>>
}

// -----

// An expand that only adds leading dimensions of size 1.
// CHECK-LABEL: func.func @expand(
// CHECK-NEXT: %a = clika.unsqueeze %arg0 {axes = array<i64: 0, 1>}
// CHECK-NEXT: return %a
func.func @expand(%x: tensor<2x3xf32>) -> tensor<1x1x2x3xf32> {
  %a = clika.expand %x {shape = array<i64: 1, 1, 1, 3>} : (tensor<2x3xf32>) -> tensor<1x1x2x3xf32>
  return %a : tensor<1x1x2x3xf32>
}

// -----

// Near misses: a 1 that moves, a size that is not known to stay, a shape of a run.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.reshape 
func.func @near_misses(%x: tensor<2x1x3xf32>, %z: tensor<?x1xf32>, %s: tensor<1xi64>) -> (tensor<1x2x3xf32>, tensor<?xf32>, tensor<?xf32>, tensor<6xf32>) {
  // expected-remark @+1 {{it is not known to do no more than add, or drop, dimensions of size 1}}
  %a = clika.reshape %x {shape = array<i64: 1, 2, 3>} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
  // expected-remark @+1 {{it is not known to do no more than add, or drop, dimensions of size 1}}
  %b = clika.reshape %z {shape = array<i64: -1>} : (tensor<?x1xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{its shape is known only at run time, where it may be refused}}
  %c = clika.reshape %z shape %s : (tensor<?x1xf32>, tensor<1xi64>) -> tensor<?xf32>
  // expected-remark @+1 {{it is not known to do no more than add, or drop, dimensions of size 1}}
  %d = clika.reshape %x {shape = array<i64: 6>} : (tensor<2x1x3xf32>) -> tensor<6xf32>
  return %a, %b, %c, %d : tensor<1x2x3xf32>, tensor<?xf32>, tensor<?xf32>, tensor<6xf32>
}
