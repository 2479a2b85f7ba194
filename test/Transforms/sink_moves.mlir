// RUN: clika-opt --sink-moves --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --sink-moves=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @unary(
// CHECK-NEXT: %0 = clika.cast %arg0 to f16
// CHECK-NEXT: %b = clika.reshape %0 {shape = array<i64: 0, 2, 3>}
// CHECK-NEXT: return %b
func.func @unary(%x: tensor<?x6xf32>) -> tensor<?x2x3xf16> {
  %a = clika.reshape %x {shape = array<i64: 0, 2, 3>} : (tensor<?x6xf32>) -> tensor<?x2x3xf32>
  %b = clika.cast %a to f16 : (tensor<?x2x3xf32>) -> tensor<?x2x3xf16>
  return %b : tensor<?x2x3xf16>
}

// -----

// The same move of both operands, and a single element.
// CHECK-LABEL: func.func @binary(
// CHECK-NEXT: %0 = clika.sub %arg0, %arg1 {alpha = 2.000000e+00 : f64}
// CHECK-NEXT: %1 = clika.div %arg2, %0
// CHECK-NEXT: %d = clika.transpose %1
// CHECK-NEXT: return %d
func.func @binary(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>, %k: tensor<1xf32>) -> tensor<3x2xf32> {
  %a = clika.transpose %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %b = clika.transpose %z : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %c = clika.sub %a, %b {alpha = 2.0 : f64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %d = clika.div %k, %c : (tensor<1xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %d : tensor<3x2xf32>
}

// -----

// Of the two reshapes around the sum one is left, of the other operand.
// CHECK-LABEL: func.func @other(
// CHECK-NEXT: %0 = clika.reshape %arg1 {allow_zero = true, shape = array<i64: -1, 6>}
// CHECK-NEXT: %c = clika.sub %0, %arg0
// CHECK-NEXT: return %c
func.func @other(%x: tensor<?x6xf32, #clika.dims<n, 6>>, %z: tensor<?x2x3xf32, #clika.dims<n, 2, 3>>) -> tensor<?x6xf32, #clika.dims<n, 6>> {
  %a = clika.reshape %x {shape = array<i64: -1, 2, 3>} : (tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
  %b = clika.sub %z, %a : (tensor<?x2x3xf32, #clika.dims<n, 2, 3>>, tensor<?x2x3xf32, #clika.dims<n, 2, 3>>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
  %c = clika.reshape %b {shape = array<i64: -1, 6>} : (tensor<?x2x3xf32, #clika.dims<n, 2, 3>>) -> tensor<?x6xf32, #clika.dims<n, 6>>
  return %c : tensor<?x6xf32, #clika.dims<n, 6>>
}

// -----

// Near misses: another reader, different moves, an operand that is not moved, an element of a higher rank, a shape of
// a run.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.transpose 
// CHECK: clika.exp 
// CHECK: clika.transpose 
// CHECK: clika.reshape 
// CHECK: clika.add 
// CHECK: clika.transpose 
// CHECK: clika.add 
// CHECK: clika.transpose 
// CHECK: clika.add 
// CHECK: clika.reshape 
// CHECK: clika.neg 
func.func @near_misses(%x: tensor<2x2xf32>, %z: tensor<2x2xf32>, %k: tensor<1x1x1xf32>, %s: tensor<2xi64>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<?x?xf32>) {
  %a = clika.transpose %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{what moves its operand has another reader, or may be refused at run time}}
  %b = clika.exp %a : tensor<2x2xf32>
  %c = clika.transpose %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %d = clika.reshape %z {shape = array<i64: 2, 2>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{an operand is neither moved alike from a known shape nor one element}}
  %e = clika.add %c, %d : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = clika.transpose %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{an operand is neither moved alike from a known shape nor one element}}
  %g = clika.add %f, %z : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %h = clika.transpose %z : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{an operand is neither moved alike from a known shape nor one element}}
  %i = clika.add %h, %k : (tensor<2x2xf32>, tensor<1x1x1xf32>) -> tensor<1x2x2xf32>
  %j = clika.reshape %x shape %s : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // expected-remark @+1 {{what moves its operand has another reader, or may be refused at run time}}
  %l = clika.neg %j : tensor<?x?xf32>
  return %a, %b, %e, %g, %i, %l : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2x2xf32>, tensor<?x?xf32>
}

// -----

// Near misses: a reshape to another shape than the first one undid, and one of an operand that is broadcast.
// CHECK-LABEL: func.func @not_undone(
// CHECK: clika.reshape 
// CHECK: clika.sub 
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.sub 
// CHECK: clika.reshape 
func.func @not_undone(%x: tensor<6xf32>, %z: tensor<2x3xf32>, %k: tensor<3xf32>) -> (tensor<3x2xf32>, tensor<6xf32>) {
  %a = clika.reshape %x {shape = array<i64: 2, 3>} : (tensor<6xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{an operand is neither moved alike from a known shape nor one element}}
  %b = clika.sub %z, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{it does not undo a reshape of one operand, of which the other has the known shape}}
  %c = clika.reshape %b {shape = array<i64: 3, 2>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %d = clika.reshape %x {shape = array<i64: 2, 3>} : (tensor<6xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{an operand is neither moved alike from a known shape nor one element}}
  %e = clika.sub %k, %d : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{it does not undo a reshape of one operand, of which the other has the known shape}}
  %f = clika.reshape %e {shape = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<6xf32>
  return %c, %f : tensor<3x2xf32>, tensor<6xf32>
}
