// RUN: clika-opt --decomposed-softmax --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --decomposed-softmax=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %y = clika.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return %y
func.func @fires(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %m = clika.reduce_max %x {axes = array<i64: -1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d = clika.sub %x, %m : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %e = clika.exp %d : tensor<2x4xf32>
  %s = clika.reduce_sum %e {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %y = clika.div %e, %s : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Near miss: the maximum is not subtracted, so a large x overflows.
// CHECK-LABEL: func.func @no_maximum(
// CHECK-NOT: clika.softmax
// CHECK: return
func.func @no_maximum(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %e = clika.exp %x : tensor<2x4xf32>
  %s = clika.reduce_sum %e {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  // expected-remark @+1 {{the maximum along that dimension is not subtracted}}
  %y = clika.div %e, %s : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Near misses: maximum and sum along different dimensions, and a sum that something else reads.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: clika.softmax
// CHECK: return
func.func @others(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
  %m = clika.reduce_max %x {axes = array<i64: 0>, keepdims = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %d = clika.sub %x, %m : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %e = clika.exp %d : tensor<4x4xf32>
  %s = clika.reduce_sum %e {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  // expected-remark @+1 {{the maximum along that dimension is not subtracted}}
  %y = clika.div %e, %s : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %n = clika.reduce_max %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %f = clika.sub %x, %n : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %g = clika.exp %f : tensor<4x4xf32>
  %t = clika.reduce_sum %g {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  // expected-remark @+1 {{a value inside has another reader}}
  %z = clika.div %g, %t : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %y, %z, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>
}

// -----

// Times the reciprocal of the sum, and reductions without keepdims.
// CHECK-LABEL: func.func @variants(
// CHECK-NEXT: %y = clika.softmax %arg0 {axis = 1 : i64}
// CHECK-NEXT: return %y
func.func @variants(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %n = clika.reduce_max %x {axes = array<i64: -1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %m = clika.unsqueeze %n {axes = array<i64: 1>} : (tensor<2xf32>) -> tensor<2x1xf32>
  %d = clika.sub %x, %m : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %e = clika.exp %d : tensor<2x4xf32>
  %t = clika.reduce_sum %e {axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %s = clika.unsqueeze %t {axes = array<i64: -1>} : (tensor<2xf32>) -> tensor<2x1xf32>
  %r = clika.reciprocal %s : tensor<2x1xf32>
  %y = clika.mul %r, %e : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Near misses: times the sum, and a sum that comes back as another dimension.
// CHECK-LABEL: func.func @near_variants(
// CHECK-NOT: clika.softmax
// CHECK: return
func.func @near_variants(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %m = clika.reduce_max %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %d = clika.sub %x, %m : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %e = clika.exp %d : tensor<4x4xf32>
  %s = clika.reduce_sum %e {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  // expected-remark @+1 {{not an exponential over its own sum along one dimension}}
  %y = clika.mul %e, %s : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %n = clika.reduce_max %z {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %f = clika.sub %z, %n : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %g = clika.exp %f : tensor<4x4xf32>
  %t = clika.reduce_sum %g {axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
  %u = clika.unsqueeze %t {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<1x4xf32>
  // expected-remark @+1 {{not an exponential over its own sum along one dimension}}
  %v = clika.div %g, %u : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return %y, %v : tensor<4x4xf32>, tensor<4x4xf32>
}
