// RUN: clika-opt --sink-expand --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --sink-expand=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @unary(
// CHECK-NEXT: %0 = clika.is_nan %arg0
// CHECK-NEXT: %b = clika.expand %0 {shape = array<i64: 2, 1>}
// CHECK-NEXT: return %b
func.func @unary(%x: tensor<1x?xf32, #clika.dims<1, n>>) -> tensor<2x?xi1, #clika.dims<2, n>> {
  %a = clika.expand %x {shape = array<i64: 2, 1>} : (tensor<1x?xf32, #clika.dims<1, n>>) -> tensor<2x?xf32, #clika.dims<2, n>>
  %b = clika.is_nan %a : (tensor<2x?xf32, #clika.dims<2, n>>) -> tensor<2x?xi1, #clika.dims<2, n>>
  return %b : tensor<2x?xi1, #clika.dims<2, n>>
}

// -----

// Both operands, and one of rank 0, at the smallest shape there is.
// CHECK-LABEL: func.func @several(
// CHECK-NEXT: %0 = clika.where %arg2, %arg0, %arg1
// CHECK-NEXT: %d = clika.expand %0 {shape = array<i64: 2, 1>}
// CHECK-NEXT: return %d
func.func @several(%x: tensor<1x3xf32>, %z: tensor<3xf32>, %c: tensor<i1>) -> tensor<2x3xf32> {
  %a = clika.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %b = clika.expand %z {shape = array<i64: 2, 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
  %d = clika.where %c, %a, %b : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @unsqueeze(
// CHECK-NEXT: %0 = clika.unsqueeze %arg0 {axes = array<i64: 1, -1>}
// CHECK-NEXT: %b = clika.expand %0 {shape = array<i64: 1, 1, 3, 1>}
// CHECK-NEXT: return %b
func.func @unsqueeze(%x: tensor<?x1xf32, #clika.dims<n, 1>>) -> tensor<?x1x3x1xf32, #clika.dims<n, 1, 3, 1>> {
  %a = clika.expand %x {shape = array<i64: 1, 3>} : (tensor<?x1xf32, #clika.dims<n, 1>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  %b = clika.unsqueeze %a {axes = array<i64: 1, -1>} : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x1x3x1xf32, #clika.dims<n, 1, 3, 1>>
  return %b : tensor<?x1x3x1xf32, #clika.dims<n, 1, 3, 1>>
}

// -----

// Near misses: an operand that is not expanded, a whole shape without the expands, another reader, an unknown size.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.expand 
// CHECK: clika.mul 
// CHECK: clika.expand 
// CHECK: clika.expand 
// CHECK: clika.add 
// CHECK: clika.expand 
// CHECK: clika.neg 
// CHECK: clika.expand 
// CHECK: clika.neg 
// CHECK: clika.unsqueeze 
func.func @near_misses(%x: tensor<1x3xf32>, %z: tensor<2x1xf32>, %u: tensor<?x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>) {
  %a = clika.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{an operand is neither an expand, read here alone, nor of rank 0}}
  %b = clika.mul %a, %z : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %c = clika.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %d = clika.expand %z {shape = array<i64: 2, 3>} : (tensor<2x1xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{its operands broadcast to the whole shape without the expands}}
  %e = clika.add %c, %d : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = clika.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{an operand is neither an expand, read here alone, nor of rank 0}}
  %g = clika.neg %f : tensor<2x3xf32>
  %h = clika.expand %u {shape = array<i64: 2, 3>} : (tensor<?x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{a size before the expand is not known to be 1 or to stay}}
  %i = clika.neg %h : tensor<2x3xf32>
  // expected-remark @+1 {{the expand before it adds dimensions, or has another reader}}
  %k = clika.unsqueeze %f {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  return %b, %e, %f, %g, %i, %k : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x2x3xf32>
}
