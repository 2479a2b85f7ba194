// RUN: clika-opt --fold-constants --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fold-constants=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// A chain folds to its end, which keeps its name; what it read goes.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %b = clika.constant dense<[-2.000000e+00, 5.000000e-01]> : tensor<2xf32>
// CHECK-NEXT: %y = clika.mul %arg0, %b
// CHECK-NEXT: return %y
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  %k = clika.constant dense<[1.0, -1.5]> : tensor<2xf32>
  %l = clika.constant dense<1.0> : tensor<f32>
  %a = clika.add %k, %l : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %b = clika.neg %a : tensor<2xf32>
  %y = clika.mul %x, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Sizes that are known fold though x is no constant.
// CHECK-LABEL: func.func @sizes(
// CHECK-NEXT: %s = clika.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT: return %s
func.func @sizes(%x: tensor<2x3xf32>) -> tensor<2xi64> {
  %s = clika.shape %x : (tensor<2x3xf32>) -> tensor<2xi64>
  return %s : tensor<2xi64>
}

// -----

// A result of 64 MiB from a small constant is not stored.
// CHECK-LABEL: func.func @large(
// CHECK: clika.expand
func.func @large(%x: tensor<1xf32>) -> tensor<4096x4096xf32> {
  %k = clika.constant dense<1.0> : tensor<1xf32>
  // expected-remark @+1 {{its result is over the limit and takes more room than the constants that would go}}
  %a = clika.expand %k {shape = array<i64: 4096, 4096>} : (tensor<1xf32>) -> tensor<4096x4096xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %y = clika.add %x, %a : (tensor<1xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}

// -----

// Near misses: an operand that is no constant, a node that nothing reads, an index that a run refuses, an unknown size.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.add
// CHECK: clika.neg
// CHECK: clika.gather
// CHECK: clika.shape
func.func @near_misses(%x: tensor<2xf32>, %u: tensor<?xf32, #clika.dims<n>>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xi64>) {
  %k = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = clika.constant dense<7> : tensor<1xi64>
  // expected-remark @+1 {{not all of its operands are constants}}
  %a = clika.add %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{nothing reads it}}
  %unused = clika.neg %k : tensor<2xf32>
  // expected-remark @+1 {{gather: an index is out of range; the size it counts in is ?}}
  %g = clika.gather %k, %i : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  // expected-remark @+1 {{not all of its operands are constants}}
  %s = clika.shape %u : (tensor<?xf32, #clika.dims<n>>) -> tensor<1xi64>
  return %a, %g, %s : tensor<2xf32>, tensor<1xf32>, tensor<1xi64>
}
