// RUN: clika-opt --drop-reduced-dims --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --drop-reduced-dims=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @drops(
// CHECK-NEXT: %b = clika.reduce_sum %arg0 {axes = array<i64: -1, 0>}
// CHECK-NEXT: %d = clika.reduce_max %arg0 {axes = array<i64: 2>}
// CHECK-NEXT: %f = clika.argmax %arg0 {axis = -1 : i64}
// CHECK-NEXT: return %b, %d, %f
func.func @drops(%x: tensor<2x?x4xf32, #clika.dims<2, n, 4>>) -> (tensor<?xf32, #clika.dims<n>>, tensor<2x?xf32, #clika.dims<2, n>>, tensor<2x?xi64, #clika.dims<2, n>>) {
  %a = clika.reduce_sum %x {axes = array<i64: -1, 0>, keepdims = true} : (tensor<2x?x4xf32, #clika.dims<2, n, 4>>) -> tensor<1x?x1xf32, #clika.dims<1, n, 1>>
  %b = clika.squeeze %a {axes = array<i64: 0, 2>} : (tensor<1x?x1xf32, #clika.dims<1, n, 1>>) -> tensor<?xf32, #clika.dims<n>>
  %c = clika.reduce_max %x {axes = array<i64: 2>, keepdims = true} : (tensor<2x?x4xf32, #clika.dims<2, n, 4>>) -> tensor<2x?x1xf32, #clika.dims<2, n, 1>>
  %d = clika.reshape %c {shape = array<i64: 2, -1>} : (tensor<2x?x1xf32, #clika.dims<2, n, 1>>) -> tensor<2x?xf32, #clika.dims<2, n>>
  %e = clika.argmax %x {axis = -1 : i64, keepdims = true} : (tensor<2x?x4xf32, #clika.dims<2, n, 4>>) -> tensor<2x?x1xi64, #clika.dims<2, n, 1>>
  %f = clika.squeeze %e {axes = array<i64: -1>} : (tensor<2x?x1xi64, #clika.dims<2, n, 1>>) -> tensor<2x?xi64, #clika.dims<2, n>>
  return %b, %d, %f : tensor<?xf32, #clika.dims<n>>, tensor<2x?xf32, #clika.dims<2, n>>, tensor<2x?xi64, #clika.dims<2, n>>
}

// -----

// All dimensions.
// CHECK-LABEL: func.func @all(
// CHECK-NEXT: %b = clika.reduce_min %arg0
// CHECK-NEXT: return %b
func.func @all(%x: tensor<2x3xf32>) -> tensor<f32> {
  %a = clika.reduce_min %x {keepdims = true} : (tensor<2x3xf32>) -> tensor<1x1xf32>
  %b = clika.reshape %a : (tensor<1x1xf32>) -> tensor<f32>
  return %b : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @static(
// CHECK-NEXT: %b = clika.reduce_sum %arg0 {axes = array<i64: 1>}
// CHECK-NEXT: return %b
func.func @static(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %a = clika.reduce_sum %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %b = clika.squeeze %a : (tensor<2x1xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Near misses: one of two dropped, another dropped, another reader, none kept.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.reduce_sum 
// CHECK: clika.squeeze 
// CHECK: clika.reduce_sum 
// CHECK: clika.squeeze 
// CHECK: clika.reduce_sum 
// CHECK: clika.reduce_max 
// CHECK: clika.squeeze 
func.func @near_misses(%x: tensor<2x1x4xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x1x1xf32>, tensor<2xf32>) {
  %a = clika.reduce_sum %x {axes = array<i64: 0, 2>, keepdims = true} : (tensor<2x1x4xf32>) -> tensor<1x1x1xf32>
  // expected-remark @+1 {{it is not known to drop the reduced dimensions and no others}}
  %b = clika.squeeze %a {axes = array<i64: 0>} : (tensor<1x1x1xf32>) -> tensor<1x1xf32>
  %c = clika.reduce_sum %x {axes = array<i64: 2>, keepdims = true} : (tensor<2x1x4xf32>) -> tensor<2x1x1xf32>
  // expected-remark @+1 {{it is not known to drop the reduced dimensions and no others}}
  %d = clika.squeeze %c {axes = array<i64: 1>} : (tensor<2x1x1xf32>) -> tensor<2x1xf32>
  %e = clika.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  %f = clika.reduce_max %x {axes = array<i64: 2>, keepdims = true} : (tensor<2x1x4xf32>) -> tensor<2x1x1xf32>
  // expected-remark @+1 {{the reduction has another reader, or a run may refuse the shape}}
  %g = clika.squeeze %f : (tensor<2x1x1xf32>) -> tensor<2xf32>
  return %b, %d, %e, %f, %g : tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x1x1xf32>, tensor<2xf32>
}
