// RUN: clika-opt --simplify-concat --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --simplify-concat=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @empty(
// CHECK-NEXT: %b = clika.concat %arg0, %arg0 {axis = -2 : i64}
// CHECK-NEXT: return %arg0, %b
func.func @empty(%x: tensor<?x2xf32, #clika.dims<n, 2>>, %e: tensor<0x2xf32>) -> (tensor<?x2xf32, #clika.dims<n, 2>>, tensor<?x2xf32, #clika.dims<n * 2, 2>>) {
  %a = clika.concat %e, %x {axis = 0 : i64} : (tensor<0x2xf32>, tensor<?x2xf32, #clika.dims<n, 2>>) -> tensor<?x2xf32, #clika.dims<n, 2>>
  %b = clika.concat %x, %e, %x {axis = -2 : i64} : (tensor<?x2xf32, #clika.dims<n, 2>>, tensor<0x2xf32>, tensor<?x2xf32, #clika.dims<n, 2>>) -> tensor<?x2xf32, #clika.dims<n * 2, 2>>
  return %a, %b : tensor<?x2xf32, #clika.dims<n, 2>>, tensor<?x2xf32, #clika.dims<n * 2, 2>>
}

// -----

// CHECK-LABEL: func.func @split(
// CHECK-NEXT: return %arg0
func.func @split(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %a:2 = clika.split %x {axis = 1 : i64, sizes = array<i64: 2, 3>} : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>)
  %b = clika.concat %a#0, %a#1 {axis = -1 : i64} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return %b : tensor<2x5xf32>
}

// -----

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT: %0 = clika.exp %arg0
// CHECK-NEXT: %b = clika.concat %0, %0
// CHECK-NEXT: return %b
func.func @twice(%x: tensor<2xf32>) -> tensor<4xf32> {
  %a = clika.concat %x, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %b = clika.exp %a : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// Near misses: nothing but empty pieces, parts out of order, not all parts, another axis, different tensors.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.concat 
// CHECK: clika.split 
// CHECK: clika.concat 
// CHECK: clika.concat 
// CHECK: clika.concat 
// CHECK: clika.neg 
// CHECK: clika.concat 
// CHECK: clika.exp 
func.func @near_misses(%x: tensor<2x2xf32>, %e: tensor<0x2xf32>) -> (tensor<0x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<1x4xf32>, tensor<4x2xf32>) {
  // expected-remark @+2 {{none of its pieces is empty, or all are}}
  // expected-remark @+1 {{does not join all parts of one split in their order}}
  %a = clika.concat %e, %e {axis = 0 : i64} : (tensor<0x2xf32>, tensor<0x2xf32>) -> tensor<0x2xf32>
  %s:2 = clika.split %x {num = 2 : i64} : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  // expected-remark @+2 {{none of its pieces is empty, or all are}}
  // expected-remark @+1 {{does not join all parts of one split in their order}}
  %b = clika.concat %s#1, %s#0 {axis = 0 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+2 {{none of its pieces is empty, or all are}}
  // expected-remark @+1 {{does not join all parts of one split in their order}}
  %c = clika.concat %s#0 {axis = 0 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  // expected-remark @+2 {{none of its pieces is empty, or all are}}
  // expected-remark @+1 {{joins along another axis than the split, or a shape that is not known}}
  %d = clika.concat %s#0, %s#1 {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %n = clika.neg %x : tensor<2x2xf32>
  // expected-remark @+2 {{none of its pieces is empty, or all are}}
  // expected-remark @+1 {{does not join all parts of one split in their order}}
  %p = clika.concat %x, %n {axis = 0 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  // expected-remark @+1 {{the concat before it joins different tensors, or has another reader}}
  %q = clika.exp %p : tensor<4x2xf32>
  return %a, %b, %c, %d, %q : tensor<0x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<1x4xf32>, tensor<4x2xf32>
}

// -----

// Near miss: pieces of which a run may find that they do not fit.
// CHECK-LABEL: func.func @unknown(
// CHECK: clika.concat 
func.func @unknown(%x: tensor<2x?xf32>, %e: tensor<0x?xf32>) -> tensor<2x?xf32> {
  // expected-remark @+2 {{its pieces are not known to fit together}}
  // expected-remark @+1 {{does not join all parts of one split in their order}}
  %a = clika.concat %e, %x {axis = 0 : i64} : (tensor<0x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %a : tensor<2x?xf32>
}
