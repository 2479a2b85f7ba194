// RUN: clika-opt --remove-identity --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-identity=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @moves(
// CHECK-NEXT: return %arg0
func.func @moves(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = clika.cast %x to f32 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = clika.reshape %a {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = clika.transpose %b {perm = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = clika.expand %c {shape = array<i64: 1, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = clika.slice %d {starts = array<i64: 0>, ends = array<i64: 9>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = clika.pad %e {pads = array<i64: 0, 0, 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = clika.concat %f : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = clika.identity %g : tensor<2x3xf32>
  %i = clika.split %h {sizes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %i : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @arithmetic(
// CHECK: return %arg0
func.func @arithmetic(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = clika.constant dense<1.0> : tensor<f32>
  %zero = clika.constant dense<0.0> : tensor<f32>
  %minus = clika.constant dense<-0.0> : tensor<f32>
  %a = clika.mul %one, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %b = clika.div %a, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %c = clika.sub %b, %zero {alpha = 3.0 : f64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %d = clika.add %c, %minus : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %d : tensor<2xf32>
}

// -----

// Near misses of moves: a square transpose, a flip by a slice, a shift by pads, an unknown size.
// CHECK-LABEL: func.func @near_moves(
// CHECK: clika.transpose
// CHECK: clika.slice
// CHECK: clika.pad
// CHECK: clika.reshape
func.func @near_moves(%x: tensor<2x2xf32>, %u: tensor<?xf32>, %s: tensor<1xi64>) -> (tensor<2x2xf32>, tensor<?xf32>) {
  // expected-remark @+1 {{it changes the order of dimensions}}
  %a = clika.transpose %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{a step is negative or not known}}
  %b = clika.slice %a {starts = array<i64: -1>, ends = array<i64: -9>, axes = array<i64: 0>, steps = array<i64: -1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{a pad is not 0 or not known}}
  %c = clika.pad %b {pads = array<i64: 1, 0, -1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{it may be refused at run time}}
  %d = clika.reshape %u shape %s : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %c, %d : tensor<2x2xf32>, tensor<?xf32>
}

// -----

// Near misses of arithmetic: x + 0.0, x - (-0.0), x * 1 that broadcasts, an activation, a factor of zero, 1 / x.
// CHECK-LABEL: func.func @near_arithmetic(
// CHECK: clika.add
// CHECK: clika.sub
// CHECK: clika.mul
// CHECK: clika.mul
// CHECK: clika.sub
// CHECK: clika.div
func.func @near_arithmetic(%x: tensor<1xf32>) -> tensor<2xf32> {
  %one = clika.constant dense<1.0> : tensor<2xf32>
  %zero = clika.constant dense<0.0> : tensor<f32>
  %minus = clika.constant dense<-0.0> : tensor<f32>
  // expected-remark @+1 {{neither term is -0.0, the zero that changes no sign}}
  %a = clika.add %x, %zero : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  // expected-remark @+1 {{the subtrahend is not +0.0}}
  %b = clika.sub %a, %minus : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  // expected-remark @+1 {{the shape or dtype changes, or is not known to stay}}
  %c = clika.mul %b, %one : (tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{it has an activation}}
  %d = clika.mul %c, %one {activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{alpha times zero is not zero with its sign}}
  %e = clika.sub %d, %zero {alpha = 0.0 : f64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{the divisor is not 1}}
  %f = clika.div %one, %e : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %f : tensor<2xf32>
}

// -----

// Near misses: an infinite alpha times zero is NaN, a negative one -0.0; two pieces.
// CHECK-LABEL: func.func @near_others(
// CHECK-COUNT-2: clika.sub
// CHECK: clika.split
func.func @near_others(%x: tensor<2xf32>) -> tensor<1xf32> {
  %zero = clika.constant dense<0.0> : tensor<f32>
  // expected-remark @+1 {{alpha times zero is not zero with its sign}}
  %a = clika.sub %x, %zero {alpha = 0x7FF0000000000000 : f64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{alpha times zero is not zero with its sign}}
  %b = clika.sub %a, %zero {alpha = -1.0 : f64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-remark @+1 {{it joins or makes several pieces}}
  %c:2 = clika.split %b {sizes = array<i64: 1, 1>} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %c#1 : tensor<1xf32>
}

// -----

// A target computed from x's own sizes is known.
// CHECK-LABEL: func.func @own_sizes(
// CHECK: return %arg0
func.func @own_sizes(%x: tensor<?x?xf32, #clika.dims<n, m>>) -> tensor<?x?xf32, #clika.dims<n, m>> {
  %s = clika.shape %x : (tensor<?x?xf32, #clika.dims<n, m>>) -> tensor<2xi64>
  %a = clika.reshape %x shape %s : (tensor<?x?xf32, #clika.dims<n, m>>, tensor<2xi64>) -> tensor<?x?xf32, #clika.dims<n, m>>
  return %a : tensor<?x?xf32, #clika.dims<n, m>>
}

// -----

// Near miss: a target that comes in may be refused, whatever the result's type says.
// CHECK-LABEL: func.func @near_target(
// CHECK: clika.expand
func.func @near_target(%x: tensor<2x3xf32>, %k: tensor<2xi64>) -> tensor<2x3xf32> {
  // expected-remark @+1 {{it may be refused at run time}}
  %a = clika.expand %x shape %k : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %a : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @logic(
// CHECK-NEXT: return %arg0, %arg1
func.func @logic(%x: tensor<2xi1>, %i: tensor<2xui8>) -> (tensor<2xi1>, tensor<2xui8>) {
  %t = clika.constant dense<true> : tensor<i1>
  %f = clika.constant dense<false> : tensor<2xi1>
  %z = clika.constant dense<0> : tensor<ui8>
  %a = clika.logical_and %t, %x : (tensor<i1>, tensor<2xi1>) -> tensor<2xi1>
  %b = clika.logical_or %a, %f : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %c = clika.logical_xor %f, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %d = clika.bitwise_or %i, %z : (tensor<2xui8>, tensor<ui8>) -> tensor<2xui8>
  %e = clika.bitwise_xor %z, %d : (tensor<ui8>, tensor<2xui8>) -> tensor<2xui8>
  return %c, %e : tensor<2xi1>, tensor<2xui8>
}

// -----

// Near misses: what decides alone, and what inverts.
// CHECK-LABEL: func.func @near_logic(
// CHECK: clika.logical_and
// CHECK: clika.logical_xor
func.func @near_logic(%x: tensor<2xi1>) -> tensor<2xi1> {
  %t = clika.constant dense<true> : tensor<i1>
  %f = clika.constant dense<false> : tensor<i1>
  // expected-remark @+1 {{neither operand is true}}
  %a = clika.logical_and %x, %f : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  // expected-remark @+1 {{neither operand is false, or 0}}
  %b = clika.logical_xor %a, %t : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  return %b : tensor<2xi1>
}
