// RUN: clika-opt --decomposed-masked-attention --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-masked-attention=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Any mask, and a guard against rows without keys.
// CHECK-LABEL: func.func @fires(
// CHECK: %y = clika.attention %arg0, %arg1, %arg1 mask %arg2 {scale = 5.000000e-01 : f64}
// CHECK-NEXT: return %y
func.func @fires(%q: tensor<2x3x2x4xf32>, %k: tensor<2x3x3x4xf32>, %m: tensor<2x1x2x3xf32>) -> tensor<2x3x2x4xf32> {
  %h = clika.constant dense<0.5> : tensor<f32>
  %z = clika.constant dense<0.0> : tensor<f32>
  %p = clika.matmul %q, %k {transpose_b = true} : (tensor<2x3x2x4xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x2x3xf32>
  %s = clika.mul %p, %h : (tensor<2x3x2x3xf32>, tensor<f32>) -> tensor<2x3x2x3xf32>
  %n = clika.add %s, %m : (tensor<2x3x2x3xf32>, tensor<2x1x2x3xf32>) -> tensor<2x3x2x3xf32>
  %w = clika.softmax %n : (tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %i = clika.is_nan %w : (tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xi1>
  %g = clika.where %i, %z, %w : (tensor<2x3x2x3xi1>, tensor<f32>, tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %y = clika.matmul %g, %k : (tensor<2x3x2x3xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x2x4xf32>
  return %y : tensor<2x3x2x4xf32>
}

// -----

// Bools that leave a key, which nothing tells.
// CHECK-LABEL: func.func @bools(
// CHECK: %y = clika.attention %arg0, %arg0, %arg0 mask %o
// CHECK-NEXT: return %y
func.func @bools(%x: tensor<1x2x2x4xf64>, %m: tensor<2x2xi1>) -> tensor<1x2x2x4xf64> {
  %inf = clika.constant dense<0xFFF0000000000000> : tensor<f64>
  %own = clika.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %o = clika.logical_or %m, %own : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  %a = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x2x4xf64>, tensor<1x2x2x4xf64>) -> tensor<1x2x2x2xf64>
  %s = clika.where %o, %a, %inf : (tensor<2x2xi1>, tensor<1x2x2x2xf64>, tensor<f64>) -> tensor<1x2x2x2xf64>
  %w = clika.softmax %s : (tensor<1x2x2x2xf64>) -> tensor<1x2x2x2xf64>
  %y = clika.matmul %w, %x : (tensor<1x2x2x2xf64>, tensor<1x2x2x4xf64>) -> tensor<1x2x2x4xf64>
  return %y : tensor<1x2x2x4xf64>
}

// -----

// CHECK-LABEL: func.func @causal(
// CHECK: %y = clika.attention %arg0, %arg0, %arg0 {causal = "UpperLeft", scale = 1.000000e+00 : f64}
// CHECK-NEXT: return %y
func.func @causal(%x: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %m = clika.constant dense<[[-0.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
  %a = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x2xf32>
  %s = clika.add %a, %m : (tensor<1x2x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2x2xf32>
  %w = clika.softmax %s : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %y = clika.matmul %w, %x : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// Near misses: a mask that enlarges the scores, and a guard that puts in something else.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.attention
// CHECK: return
func.func @near_misses(%x: tensor<1x1x2x4xf32>, %m: tensor<3x1x2x2xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x1x2x4xf32>) {
  %one = clika.constant dense<1.0> : tensor<f32>
  %a = clika.matmul %x, %x {transpose_b = true} : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32>
  %b = clika.add %a, %m : (tensor<1x1x2x2xf32>, tensor<3x1x2x2xf32>) -> tensor<3x1x2x2xf32>
  %w = clika.softmax %b : (tensor<3x1x2x2xf32>) -> tensor<3x1x2x2xf32>
  // expected-remark @+1 {{what the softmax reads are not products of queries and keys, scaled or masked}}
  %y = clika.matmul %w, %x : (tensor<3x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<3x1x2x4xf32>
  %c = clika.matmul %x, %x {transpose_b = true} : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32>
  %v = clika.softmax %c : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  %i = clika.is_nan %v : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xi1>
  %g = clika.where %i, %one, %v : (tensor<1x1x2x2xi1>, tensor<f32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  // expected-remark @+1 {{its first operand is not a softmax of its own}}
  %z = clika.matmul %g, %x : (tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  return %y, %z : tensor<3x1x2x4xf32>, tensor<1x1x2x4xf32>
}
