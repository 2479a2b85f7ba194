// RUN: clika-opt --decomposed-rotary --decomposed-rotary --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-rotary=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Angles doubled before the cosine, scaled after it; operands the other way round, halves by a split.
// CHECK-LABEL: func.func @fires(
// CHECK: %[[C:.*]] = clika.squeeze %{{.*}} {axes = array<i64: 1>} : (tensor<2x1x3x2xf32>) -> tensor<2x3x2xf32>
// CHECK: %[[S:.*]] = clika.squeeze
// CHECK-NEXT: %y = clika.rotary_embedding %arg0, %[[C]], %[[S]] : (tensor<2x5x3x4xf32>
// CHECK-NEXT: return %y
func.func @fires(%x: tensor<2x5x3x4xf32>, %t: tensor<2x3x2xf32>) -> tensor<2x5x3x4xf32> {
  %k = clika.constant dense<0.9> : tensor<f32>
  %a = clika.concat %t, %t {axis = 2 : i64} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<2x3x4xf32>
  %c0 = clika.cos %a : tensor<2x3x4xf32>
  %c1 = clika.mul %c0, %k : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %c = clika.unsqueeze %c1 {axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x1x3x4xf32>
  %s0 = clika.sin %a : tensor<2x3x4xf32>
  %s = clika.unsqueeze %s0 {axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x1x3x4xf32>
  %p:2 = clika.split %x {axis = -1 : i64, num = 2 : i64} : (tensor<2x5x3x4xf32>) -> (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>)
  %n = clika.neg %p#1 : tensor<2x5x3x2xf32>
  %r = clika.concat %n, %p#0 {axis = -1 : i64} : (tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32>) -> tensor<2x5x3x4xf32>
  %u = clika.mul %s, %r : (tensor<2x1x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
  %v = clika.mul %c, %x : (tensor<2x1x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
  %y = clika.add %u, %v : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32>
  return %y : tensor<2x5x3x4xf32>
}

// -----

// Constant tables, of which positions take rows; sizes known by name.
// CHECK-LABEL: func.func @tables(
// CHECK: clika.rotary_embedding %arg0, %{{.*}}, %{{.*}} : (tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>, tensor<?x?x1xf32, #clika.dims<n, s, 1>>
func.func @tables(%x: tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>, %i: tensor<?x?xi64, #clika.dims<n, s>>) -> tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>> {
  %k = clika.constant dense<[[1.0, 1.0], [0.5, 0.5]]> : tensor<2x2xf32>
  %l = clika.constant dense<[[0.0, 0.0], [0.8, 0.8]]> : tensor<2x2xf32>
  %h = clika.constant dense<1> : tensor<i64>
  %j = clika.bitwise_and %i, %h : (tensor<?x?xi64, #clika.dims<n, s>>, tensor<i64>) -> tensor<?x?xi64, #clika.dims<n, s>>
  %c0 = clika.gather %k, %j {axis = 0 : i64} : (tensor<2x2xf32>, tensor<?x?xi64, #clika.dims<n, s>>) -> tensor<?x?x2xf32, #clika.dims<n, s, 2>>
  %s0 = clika.gather %l, %j {axis = 0 : i64} : (tensor<2x2xf32>, tensor<?x?xi64, #clika.dims<n, s>>) -> tensor<?x?x2xf32, #clika.dims<n, s, 2>>
  %c = clika.unsqueeze %c0 {axes = array<i64: 1>} : (tensor<?x?x2xf32, #clika.dims<n, s, 2>>) -> tensor<?x1x?x2xf32, #clika.dims<n, 1, s, 2>>
  %s = clika.unsqueeze %s0 {axes = array<i64: 1>} : (tensor<?x?x2xf32, #clika.dims<n, s, 2>>) -> tensor<?x1x?x2xf32, #clika.dims<n, 1, s, 2>>
  %a = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 1>, axes = array<i64: -1>} : (tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>) -> tensor<?x5x?x1xf32, #clika.dims<n, 5, s, 1>>
  %b = clika.slice %x {starts = array<i64: 1>, ends = array<i64: 9>, axes = array<i64: -1>} : (tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>) -> tensor<?x5x?x1xf32, #clika.dims<n, 5, s, 1>>
  %n = clika.neg %b : tensor<?x5x?x1xf32, #clika.dims<n, 5, s, 1>>
  %r = clika.concat %n, %a {axis = 3 : i64} : (tensor<?x5x?x1xf32, #clika.dims<n, 5, s, 1>>, tensor<?x5x?x1xf32, #clika.dims<n, 5, s, 1>>) -> tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>
  %u = clika.mul %x, %c : (tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>, tensor<?x1x?x2xf32, #clika.dims<n, 1, s, 2>>) -> tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>
  %v = clika.mul %r, %s : (tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>, tensor<?x1x?x2xf32, #clika.dims<n, 1, s, 2>>) -> tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>
  %y = clika.add %u, %v : (tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>, tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>) -> tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>
  return %y : tensor<?x5x?x2xf32, #clika.dims<n, 5, s, 2>>
}

// -----

// The halves apart, with angles of a half each, beside elements that are not rotated: one operator, found in two steps.
// CHECK-LABEL: func.func @halves(
// CHECK: %y = clika.rotary_embedding %arg0, %{{.*}}, %{{.*}} {rotary_dim = 4 : i64} : (tensor<1x2x3x6xf32>, tensor<1x3x2xf32>
// CHECK-NEXT: return %y
func.func @halves(%x: tensor<1x2x3x6xf32>, %c: tensor<3x2xf32>, %s: tensor<1x1x3x2xf32>) -> tensor<1x2x3x6xf32> {
  %h = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 4>, axes = array<i64: 3>} : (tensor<1x2x3x6xf32>) -> tensor<1x2x3x4xf32>
  %t = clika.slice %x {starts = array<i64: 4>, ends = array<i64: 6>, axes = array<i64: 3>} : (tensor<1x2x3x6xf32>) -> tensor<1x2x3x2xf32>
  %a = clika.slice %h {starts = array<i64: 0>, ends = array<i64: 2>, axes = array<i64: 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = clika.slice %h {starts = array<i64: 2>, ends = array<i64: 4>, axes = array<i64: 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %ac = clika.mul %a, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %bs = clika.mul %s, %b : (tensor<1x1x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %as = clika.mul %a, %s : (tensor<1x2x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x2x3x2xf32>
  %bc = clika.mul %b, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %f = clika.sub %ac, %bs : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %g = clika.add %as, %bc : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %r = clika.concat %f, %g {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %y = clika.concat %r, %t {axis = 3 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x6xf32>
  return %y : tensor<1x2x3x6xf32>
}

// -----

// Neighbours, and heads after the sequence.
// CHECK-LABEL: func.func @neighbours(
// CHECK: %[[X:.*]] = clika.reshape %arg0 {shape = array<i64: 0, 0, 20>} : (tensor<2x3x5x4xf32>) -> tensor<2x3x20xf32>
// CHECK-NEXT: %[[R:.*]] = clika.rotary_embedding %[[X]], %{{.*}}, %{{.*}} {interleaved = true, num_heads = 5 : i64}
// CHECK-NEXT: %y = clika.reshape %[[R]] {shape = array<i64: 0, 0, 5, 4>}
// CHECK-NEXT: return %y
func.func @neighbours(%x: tensor<2x3x5x4xf32>, %c: tensor<3x1x2xf32>, %s: tensor<2x3x1x2xf32>) -> tensor<2x3x5x4xf32> {
  %a = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 4>, axes = array<i64: 3>, steps = array<i64: 2>} : (tensor<2x3x5x4xf32>) -> tensor<2x3x5x2xf32>
  %b = clika.slice %x {starts = array<i64: 1>, ends = array<i64: 4>, axes = array<i64: 3>, steps = array<i64: 2>} : (tensor<2x3x5x4xf32>) -> tensor<2x3x5x2xf32>
  %ac = clika.mul %a, %c : (tensor<2x3x5x2xf32>, tensor<3x1x2xf32>) -> tensor<2x3x5x2xf32>
  %bs = clika.mul %b, %s : (tensor<2x3x5x2xf32>, tensor<2x3x1x2xf32>) -> tensor<2x3x5x2xf32>
  %as = clika.mul %a, %s : (tensor<2x3x5x2xf32>, tensor<2x3x1x2xf32>) -> tensor<2x3x5x2xf32>
  %bc = clika.mul %b, %c : (tensor<2x3x5x2xf32>, tensor<3x1x2xf32>) -> tensor<2x3x5x2xf32>
  %f = clika.sub %ac, %bs : (tensor<2x3x5x2xf32>, tensor<2x3x5x2xf32>) -> tensor<2x3x5x2xf32>
  %g = clika.add %bc, %as : (tensor<2x3x5x2xf32>, tensor<2x3x5x2xf32>) -> tensor<2x3x5x2xf32>
  %f1 = clika.unsqueeze %f {axes = array<i64: -1>} : (tensor<2x3x5x2xf32>) -> tensor<2x3x5x2x1xf32>
  %g1 = clika.unsqueeze %g {axes = array<i64: 4>} : (tensor<2x3x5x2xf32>) -> tensor<2x3x5x2x1xf32>
  %r = clika.concat %f1, %g1 {axis = -1 : i64} : (tensor<2x3x5x2x1xf32>, tensor<2x3x5x2x1xf32>) -> tensor<2x3x5x2x2xf32>
  %y = clika.reshape %r {shape = array<i64: 2, 3, 5, 4>} : (tensor<2x3x5x2x2xf32>) -> tensor<2x3x5x4xf32>
  return %y : tensor<2x3x5x4xf32>
}

// -----

// Near misses: halves that are not known to be equal, and angles of one head each.
// CHECK-LABEL: func.func @angles(
// CHECK-NOT: clika.rotary_embedding
// CHECK: return
func.func @angles(%x: tensor<1x2x3x4xf32>, %c: tensor<1x1x3x4xf32>, %t: tensor<1x2x3x2xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %a = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 2>, axes = array<i64: 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = clika.slice %x {starts = array<i64: 2>, ends = array<i64: 4>, axes = array<i64: 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = clika.neg %b : tensor<1x2x3x2xf32>
  %r = clika.concat %n, %a {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %u = clika.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %v = clika.mul %r, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  // expected-remark @+1 {{the halves of the angles are not known to be equal}}
  %y = clika.add %u, %v : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %d = clika.concat %t, %t {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %m = clika.neg %b : tensor<1x2x3x2xf32>
  %q = clika.concat %m, %a {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %e = clika.mul %x, %d : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %f = clika.mul %q, %d : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  // expected-remark @+1 {{the angles are not those of x's batch and sequence, for every head}}
  %z = clika.add %e, %f : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %y, %z : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// -----

// Near misses: the halves the wrong way round, and a product that something else reads.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.rotary_embedding
// CHECK: return
func.func @near_misses(%x: tensor<1x2x3x4xf32>, %t: tensor<1x1x3x2xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %c = clika.concat %t, %t {axis = 3 : i64} : (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x4xf32>
  %a = clika.slice %x {starts = array<i64: 0>, ends = array<i64: 2>, axes = array<i64: 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = clika.slice %x {starts = array<i64: 2>, ends = array<i64: 4>, axes = array<i64: 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = clika.neg %a : tensor<1x2x3x2xf32>
  %r = clika.concat %b, %n {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %u = clika.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %v = clika.mul %r, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  // expected-remark @+1 {{not x * cos + concat(-second half of x, first half) * sin}}
  %y = clika.add %u, %v : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %m = clika.neg %b : tensor<1x2x3x2xf32>
  %q = clika.concat %m, %a {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %w = clika.mul %q, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %e = clika.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  // expected-remark @+1 {{not x * cos + concat(-second half of x, first half) * sin}}
  %z = clika.add %e, %w : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %y, %z, %w : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}

// -----

// Near miss: half precision rounds the products.
// CHECK-LABEL: func.func @half(
// CHECK-NOT: clika.rotary_embedding
// CHECK: return
func.func @half(%x: tensor<1x2x3x2xf16>, %c: tensor<3x1xf16>) -> tensor<1x2x3x2xf16> {
  %p:2 = clika.split %x {axis = 3 : i64, num = 2 : i64} : (tensor<1x2x3x2xf16>) -> (tensor<1x2x3x1xf16>, tensor<1x2x3x1xf16>)
  %ac = clika.mul %p#0, %c : (tensor<1x2x3x1xf16>, tensor<3x1xf16>) -> tensor<1x2x3x1xf16>
  %bs = clika.mul %p#1, %c : (tensor<1x2x3x1xf16>, tensor<3x1xf16>) -> tensor<1x2x3x1xf16>
  %as = clika.mul %p#0, %c : (tensor<1x2x3x1xf16>, tensor<3x1xf16>) -> tensor<1x2x3x1xf16>
  %bc = clika.mul %p#1, %c : (tensor<1x2x3x1xf16>, tensor<3x1xf16>) -> tensor<1x2x3x1xf16>
  %f = clika.sub %ac, %bs : (tensor<1x2x3x1xf16>, tensor<1x2x3x1xf16>) -> tensor<1x2x3x1xf16>
  %g = clika.add %bc, %as : (tensor<1x2x3x1xf16>, tensor<1x2x3x1xf16>) -> tensor<1x2x3x1xf16>
  // expected-remark @+1 {{half precision rounds the products}}
  %y = clika.concat %f, %g {axis = 3 : i64} : (tensor<1x2x3x1xf16>, tensor<1x2x3x1xf16>) -> tensor<1x2x3x2xf16>
  return %y : tensor<1x2x3x2xf16>
}
