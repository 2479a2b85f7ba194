// RUN: clika-opt --decomposed-attention --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-attention=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Scaled on both sides, the keys swapped by an operator, a constant mask with a key in every row.
// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %[[M:.*]] = clika.constant
// CHECK-NEXT: %y = clika.attention %arg0, %arg1, %arg2 mask %[[M]] {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %y
func.func @fires(%q: tensor<2x3x2x4xf32>, %k: tensor<2x3x3x4xf32>, %v: tensor<2x3x3x5xf32>) -> tensor<2x3x2x5xf32> {
  %m = clika.constant dense<[[0.0, -1.0e30, 0.5], [0.0, 0.0, -1.0e30]]> : tensor<2x3xf32>
  %h = clika.constant dense<0.5> : tensor<f32>
  %two = clika.constant dense<2.0> : tensor<1xf32>
  %a = clika.mul %h, %q : (tensor<f32>, tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
  %t = clika.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x3x3x4xf32>) -> tensor<2x3x4x3xf32>
  %b = clika.div %t, %two : (tensor<2x3x4x3xf32>, tensor<1xf32>) -> tensor<2x3x4x3xf32>
  %s = clika.matmul %a, %b : (tensor<2x3x2x4xf32>, tensor<2x3x4x3xf32>) -> tensor<2x3x2x3xf32>
  %n = clika.add %m, %s : (tensor<2x3xf32>, tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %w = clika.softmax %n {axis = 3 : i64} : (tensor<2x3x2x3xf32>) -> tensor<2x3x2x3xf32>
  %y = clika.matmul %w, %v : (tensor<2x3x2x3xf32>, tensor<2x3x3x5xf32>) -> tensor<2x3x2x5xf32>
  return %y : tensor<2x3x2x5xf32>
}

// -----

// Heads after the sequence until the keys are swapped, scaled before that and after the product; sizes known by name.
// CHECK-LABEL: func.func @moved(
// CHECK-NEXT: %[[K:.*]] = clika.transpose %arg1 {perm = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %y = clika.attention %arg0, %[[K]], %arg2 {scale = 1.250000e-01 : f64}
// CHECK-NEXT: return %y
func.func @moved(%q: tensor<?x3x?x4xf64, #clika.dims<n, 3, s, 4>>, %k: tensor<?x?x3x4xf64, #clika.dims<n, t, 3, 4>>, %v: tensor<?x3x?x5xf64, #clika.dims<n, 3, t, 5>>) -> tensor<?x3x?x5xf64, #clika.dims<n, 3, s, 5>> {
  %h = clika.constant dense<0.5> : tensor<f64>
  %four = clika.constant dense<4.0> : tensor<f64>
  %c = clika.mul %k, %h : (tensor<?x?x3x4xf64, #clika.dims<n, t, 3, 4>>, tensor<f64>) -> tensor<?x?x3x4xf64, #clika.dims<n, t, 3, 4>>
  %t = clika.transpose %c {perm = array<i64: 0, 2, 3, 1>} : (tensor<?x?x3x4xf64, #clika.dims<n, t, 3, 4>>) -> tensor<?x3x4x?xf64, #clika.dims<n, 3, 4, t>>
  %p = clika.matmul %q, %t : (tensor<?x3x?x4xf64, #clika.dims<n, 3, s, 4>>, tensor<?x3x4x?xf64, #clika.dims<n, 3, 4, t>>) -> tensor<?x3x?x?xf64, #clika.dims<n, 3, s, t>>
  %s = clika.div %p, %four : (tensor<?x3x?x?xf64, #clika.dims<n, 3, s, t>>, tensor<f64>) -> tensor<?x3x?x?xf64, #clika.dims<n, 3, s, t>>
  %w = clika.softmax %s : (tensor<?x3x?x?xf64, #clika.dims<n, 3, s, t>>) -> tensor<?x3x?x?xf64, #clika.dims<n, 3, s, t>>
  %y = clika.matmul %w, %v : (tensor<?x3x?x?xf64, #clika.dims<n, 3, s, t>>, tensor<?x3x?x5xf64, #clika.dims<n, 3, t, 5>>) -> tensor<?x3x?x5xf64, #clika.dims<n, 3, s, 5>>
  return %y : tensor<?x3x?x5xf64, #clika.dims<n, 3, s, 5>>
}

// -----

// A mask computed from bools so that it holds no -inf.
// CHECK-LABEL: func.func @computed_mask(
// CHECK: %y = clika.attention %arg0, %arg0, %arg0 mask %{{.*}} {scale = 1.000000e+00 : f64}
// CHECK-NEXT: return %y
func.func @computed_mask(%x: tensor<2x1x3x4xf32>, %b: tensor<2x1x1x3xi1>) -> tensor<2x1x3x4xf32> {
  %one = clika.constant dense<1.0> : tensor<f32>
  %low = clika.constant dense<-6.0e4> : tensor<f32>
  %c = clika.cast %b to f32 : (tensor<2x1x1x3xi1>) -> tensor<2x1x1x3xf32>
  %d = clika.sub %one, %c : (tensor<f32>, tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %m = clika.mul %d, %low : (tensor<2x1x1x3xf32>, tensor<f32>) -> tensor<2x1x1x3xf32>
  %s = clika.matmul %x, %x {transpose_b = true} : (tensor<2x1x3x4xf32>, tensor<2x1x3x4xf32>) -> tensor<2x1x3x3xf32>
  %n = clika.add %s, %m : (tensor<2x1x3x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x1x3x3xf32>
  %w = clika.softmax %n : (tensor<2x1x3x3xf32>) -> tensor<2x1x3x3xf32>
  %y = clika.matmul %w, %x : (tensor<2x1x3x3xf32>, tensor<2x1x3x4xf32>) -> tensor<2x1x3x4xf32>
  return %y : tensor<2x1x3x4xf32>
}

// -----

// Heads repeated by an unsqueeze, an expand and a reshape; -inf where a constant is false.
// CHECK-LABEL: func.func @repeated_heads(
// CHECK: %y = clika.attention %arg0, %arg1, %arg2 mask %{{.*}} {scale = 5.000000e-01 : f64} : (tensor<1x4x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x5xf32>, tensor<3x3xi1>)
// CHECK-NEXT: return %y
func.func @repeated_heads(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x3x4xf32>, %v: tensor<1x2x3x5xf32>) -> tensor<1x4x3x5xf32> {
  %m = clika.constant dense<[[true, false, true], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %inf = clika.constant dense<0xFF800000> : tensor<f32>
  %h = clika.constant dense<0.5> : tensor<f32>
  %k1 = clika.unsqueeze %k {axes = array<i64: 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x3x4xf32>
  %k2 = clika.expand %k1 {shape = array<i64: 1, 2, 2, 3, 4>} : (tensor<1x2x1x3x4xf32>) -> tensor<1x2x2x3x4xf32>
  %k3 = clika.reshape %k2 {shape = array<i64: 1, 4, 3, 4>} : (tensor<1x2x2x3x4xf32>) -> tensor<1x4x3x4xf32>
  %v1 = clika.unsqueeze %v {axes = array<i64: 2>} : (tensor<1x2x3x5xf32>) -> tensor<1x2x1x3x5xf32>
  %v2 = clika.expand %v1 {shape = array<i64: 1, 2, 2, 3, 5>} : (tensor<1x2x1x3x5xf32>) -> tensor<1x2x2x3x5xf32>
  %v3 = clika.reshape %v2 {shape = array<i64: 1, 4, 3, 5>} : (tensor<1x2x2x3x5xf32>) -> tensor<1x4x3x5xf32>
  %a = clika.mul %q, %h : (tensor<1x4x3x4xf32>, tensor<f32>) -> tensor<1x4x3x4xf32>
  %p = clika.matmul %a, %k3 {transpose_b = true} : (tensor<1x4x3x4xf32>, tensor<1x4x3x4xf32>) -> tensor<1x4x3x3xf32>
  %s = clika.where %m, %p, %inf : (tensor<3x3xi1>, tensor<1x4x3x3xf32>, tensor<f32>) -> tensor<1x4x3x3xf32>
  %w = clika.softmax %s : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  %y = clika.matmul %w, %v3 : (tensor<1x4x3x3xf32>, tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  return %y : tensor<1x4x3x5xf32>
}

// -----

// Softly capped; a mask that is causality.
// CHECK-LABEL: func.func @capped(
// CHECK-NEXT: %y = clika.attention %arg0, %arg1, %arg1 {causal = "LowerRight", scale = 5.000000e-01 : f64, softcap = 2.000000e+00 : f64}
// CHECK-NEXT: return %y
func.func @capped(%q: tensor<1x2x2x4xf32>, %k: tensor<1x2x3x4xf32>) -> tensor<1x2x2x4xf32> {
  %m = clika.constant dense<[[[true, true, false], [true, true, true]]]> : tensor<1x2x3xi1>
  %inf = clika.constant dense<0xFF800000> : tensor<f32>
  %quarter = clika.constant dense<0.25> : tensor<f32>
  %two = clika.constant dense<2.0> : tensor<f32>
  %p = clika.matmul %q, %k {transpose_b = true} : (tensor<1x2x2x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x2x3xf32>
  %s = clika.mul %p, %quarter : (tensor<1x2x2x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
  %t = clika.tanh %s : tensor<1x2x2x3xf32>
  %c = clika.mul %t, %two : (tensor<1x2x2x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
  %n = clika.where %m, %c, %inf : (tensor<1x2x3xi1>, tensor<1x2x2x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
  %w = clika.softmax %n : (tensor<1x2x2x3xf32>) -> tensor<1x2x2x3xf32>
  %y = clika.matmul %w, %k : (tensor<1x2x2x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x2x4xf32>
  return %y : tensor<1x2x2x4xf32>
}

// -----

// Positions compared: no key after the query, which leaves the first one. What is added stays a mask, as NaN + -inf is NaN.
// CHECK-LABEL: func.func @positions(
// CHECK: %y = clika.attention %arg0, %arg1, %arg1 {causal = "UpperLeft", scale = 1.000000e+00 : f64}
// CHECK: %z = clika.attention %arg0, %arg1, %arg1 mask %{{.*}} {scale = 1.000000e+00 : f64}
// CHECK-NEXT: return %y, %z
func.func @positions(%q: tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>, %k: tensor<2x1x?x4xf32, #clika.dims<2, 1, t, 4>>) -> (tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>, tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>) {
  %zero = clika.constant dense<0.0> : tensor<f32>
  %inf = clika.constant dense<0xFF800000> : tensor<f32>
  %s1 = clika.shape %q {start = 2 : i64, end = 3 : i64} : (tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>) -> tensor<1xi64>
  %t1 = clika.shape %k {start = 2 : i64, end = 3 : i64} : (tensor<2x1x?x4xf32, #clika.dims<2, 1, t, 4>>) -> tensor<1xi64>
  %s0 = clika.squeeze %s1 {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %t0 = clika.squeeze %t1 {axes = array<i64: 0>} : (tensor<1xi64>) -> tensor<i64>
  %i = clika.range limit %s0 : (tensor<i64>) -> tensor<?xi64, #clika.dims<s>>
  %j = clika.range limit %t0 : (tensor<i64>) -> tensor<?xi64, #clika.dims<t>>
  %i1 = clika.unsqueeze %i {axes = array<i64: 1>} : (tensor<?xi64, #clika.dims<s>>) -> tensor<?x1xi64, #clika.dims<s, 1>>
  %c = clika.greater_equal %i1, %j : (tensor<?x1xi64, #clika.dims<s, 1>>, tensor<?xi64, #clika.dims<t>>) -> tensor<?x?xi1, #clika.dims<s, t>>
  %m = clika.where %c, %zero, %inf : (tensor<?x?xi1, #clika.dims<s, t>>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32, #clika.dims<s, t>>
  %a = clika.matmul %q, %k {transpose_b = true} : (tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>, tensor<2x1x?x4xf32, #clika.dims<2, 1, t, 4>>) -> tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>
  %b = clika.where %c, %a, %inf : (tensor<?x?xi1, #clika.dims<s, t>>, tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>, tensor<f32>) -> tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>
  %w = clika.softmax %b : (tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>) -> tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>
  %y = clika.matmul %w, %k : (tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>, tensor<2x1x?x4xf32, #clika.dims<2, 1, t, 4>>) -> tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>
  %d = clika.matmul %q, %k {transpose_b = true} : (tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>, tensor<2x1x?x4xf32, #clika.dims<2, 1, t, 4>>) -> tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>
  %e = clika.add %d, %m : (tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>, tensor<?x?xf32, #clika.dims<s, t>>) -> tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>
  %v = clika.softmax %e : (tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>) -> tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>
  %z = clika.matmul %v, %k : (tensor<2x1x?x?xf32, #clika.dims<2, 1, s, t>>, tensor<2x1x?x4xf32, #clika.dims<2, 1, t, 4>>) -> tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>
  return %y, %z : tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>, tensor<2x1x?x4xf32, #clika.dims<2, 1, s, 4>>
}

// -----

// Near miss: positions that begin at 1.
// CHECK-LABEL: func.func @shifted(
// CHECK-NOT: clika.attention
// CHECK: return
func.func @shifted(%q: tensor<1x1x2x4xf32>, %k: tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32> {
  %inf = clika.constant dense<0xFF800000> : tensor<f32>
  %i = clika.range {limit = 2 : i64} : () -> tensor<2xi64>
  %j = clika.range {start = 1 : i64, limit = 3 : i64} : () -> tensor<2xi64>
  %i1 = clika.unsqueeze %i {axes = array<i64: 1>} : (tensor<2xi64>) -> tensor<2x1xi64>
  %c = clika.less_equal %j, %i1 : (tensor<2xi64>, tensor<2x1xi64>) -> tensor<2x2xi1>
  %a = clika.matmul %q, %k {transpose_b = true} : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x2xf32>
  %b = clika.where %c, %a, %inf : (tensor<2x2xi1>, tensor<1x1x2x2xf32>, tensor<f32>) -> tensor<1x1x2x2xf32>
  %w = clika.softmax %b : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  // expected-remark @+1 {{the mask is not known to leave a key to every query}}
  %y = clika.matmul %w, %k : (tensor<1x1x2x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x2x4xf32>
  return %y : tensor<1x1x2x4xf32>
}

// -----

// Near misses: a mask that may leave a query without keys, and a constant one that does.
// CHECK-LABEL: func.func @masks(
// CHECK-NOT: clika.attention
// CHECK: return
func.func @masks(%x: tensor<1x2x2x4xf32>, %m: tensor<2x2xf32>) -> (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) {
  %none = clika.constant dense<[[0xFF800000, 0xFF800000], [0.0, 0xFF800000]]> : tensor<2x2xf32>
  %a = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x2xf32>
  %b = clika.add %a, %m : (tensor<1x2x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2x2xf32>
  %w = clika.softmax %b : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  // expected-remark @+1 {{the mask is not known to leave a key to every query}}
  %y = clika.matmul %w, %x : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %c = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x2xf32>
  %d = clika.add %c, %none : (tensor<1x2x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2x2xf32>
  %v = clika.softmax %d : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  // expected-remark @+1 {{the mask is not known to leave a key to every query}}
  %z = clika.matmul %v, %x : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %y, %z : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>
}

// -----

// Near misses: another axis, weights and scores that something else reads, products that are not of the last dimensions.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.attention
// CHECK: return
func.func @near_misses(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %a = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %u = clika.softmax %a {axis = 2 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  // expected-remark @+1 {{not a softmax of 4 dimensions, along the last}}
  %y = clika.matmul %u, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %b = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %v = clika.softmax %b : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  // expected-remark @+1 {{its first operand is not a softmax of its own}}
  %z = clika.matmul %v, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %c = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %w = clika.softmax %c : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  // expected-remark @+1 {{the scores have another reader}}
  %s = clika.matmul %w, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %d = clika.matmul %x, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %e = clika.softmax %d : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  // expected-remark @+1 {{what the softmax reads are not products of queries and keys, scaled or masked}}
  %t = clika.matmul %e, %x : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %y, %z, %s, %t, %v, %c : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// Near misses: heads that are broadcast, sizes that are not known to agree, and half precision.
// CHECK-LABEL: func.func @sizes(
// CHECK-NOT: clika.attention
// CHECK: return
func.func @sizes(%q: tensor<1x2x3x4xf32>, %k: tensor<1x1x3x4xf32>, %u: tensor<?x1x3x4xf32>, %w: tensor<?x1x3x4xf32>, %h: tensor<1x1x2x2xf16>) -> (tensor<1x2x3x4xf32>, tensor<?x1x3x4xf32>, tensor<1x1x2x2xf16>) {
  %a = clika.matmul %q, %k {transpose_b = true} : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x3xf32>
  %b = clika.softmax %a : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  // expected-remark @+1 {{batches or heads are broadcast, or not known to agree}}
  %y = clika.matmul %b, %k : (tensor<1x2x3x3xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %c = clika.matmul %u, %w {transpose_b = true} : (tensor<?x1x3x4xf32>, tensor<?x1x3x4xf32>) -> tensor<?x1x3x3xf32>
  %d = clika.softmax %c : (tensor<?x1x3x3xf32>) -> tensor<?x1x3x3xf32>
  // expected-remark @+1 {{batches or heads are broadcast, or not known to agree}}
  %z = clika.matmul %d, %w : (tensor<?x1x3x3xf32>, tensor<?x1x3x4xf32>) -> tensor<?x1x3x4xf32>
  %e = clika.matmul %h, %h {transpose_b = true} : (tensor<1x1x2x2xf16>, tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16>
  %f = clika.softmax %e : (tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16>
  // expected-remark @+1 {{half precision rounds the scores}}
  %t = clika.matmul %f, %h : (tensor<1x1x2x2xf16>, tensor<1x1x2x2xf16>) -> tensor<1x1x2x2xf16>
  return %y, %z, %t : tensor<1x2x3x4xf32>, tensor<?x1x3x4xf32>, tensor<1x1x2x2xf16>
}
