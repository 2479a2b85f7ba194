// RUN: clika-opt --remove-broadcast-expand --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --remove-broadcast-expand=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @pointwise(
// CHECK-NEXT: %b = clika.mul %arg0, %arg1 {activation = "Relu"}
// CHECK-NEXT: %e = clika.where %arg2, %b, %arg0
// CHECK-NEXT: return %e
func.func @pointwise(%x: tensor<?x3xf32, #clika.dims<n, 3>>, %k: tensor<3xf32>, %c: tensor<1x1xi1>) -> tensor<?x3xf32, #clika.dims<n, 3>> {
  %s = clika.shape %x : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<2xi64>
  %a = clika.expand %k shape %s : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  %b = clika.mul %x, %a {activation = "Relu"} : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  %d = clika.expand %c shape %s : (tensor<1x1xi1>, tensor<2xi64>) -> tensor<?x3xi1, #clika.dims<n, 3>>
  %e = clika.where %d, %b, %x : (tensor<?x3xi1, #clika.dims<n, 3>>, tensor<?x3xf32, #clika.dims<n, 3>>, tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  return %e : tensor<?x3xf32, #clika.dims<n, 3>>
}

// -----

// The dimensions before the matrices.
// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: %b = clika.matmul %arg0, %arg1
// CHECK-NEXT: return %b
func.func @matmul(%x: tensor<5x2x3xf32>, %w: tensor<1x3x4xf32>) -> tensor<5x2x4xf32> {
  %a = clika.expand %w {shape = array<i64: 5, 1, 1>} : (tensor<1x3x4xf32>) -> tensor<5x3x4xf32>
  %b = clika.matmul %x, %a : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %b : tensor<5x2x4xf32>
}

// -----

// Near misses: the expand makes the shape, it makes the rows of a matrix, a run may refuse it, sizes that are not
// known to be the same.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.expand 
// CHECK: clika.add 
// CHECK: clika.matmul 
// CHECK: clika.expand 
// CHECK: clika.add 
// CHECK: clika.shape 
// CHECK: clika.expand 
// CHECK: clika.add 
func.func @near_misses(%x: tensor<1x3xf32>, %z: tensor<2x2xf32>, %s: tensor<2xi64>, %n: tensor<?x3xf32, #clika.dims<n, 3>>, %m: tensor<?x3xf32, #clika.dims<m, 3>>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %a = clika.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{without the expand its result is not known to have the same shape}}
  %b = clika.add %a, %x : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{without the expand its result is not known to have the same shape}}
  %c = clika.matmul %z, %a : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = clika.expand %x shape %s : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  // expected-remark @+1 {{without the expand its result is not known to have the same shape}}
  %e = clika.add %d, %b : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %t = clika.shape %n : (tensor<?x3xf32, #clika.dims<n, 3>>) -> tensor<2xi64>
  %f = clika.expand %x shape %t : (tensor<1x3xf32>, tensor<2xi64>) -> tensor<?x3xf32, #clika.dims<n, 3>>
  // expected-remark @+1 {{without the expand its result is not known to have the same shape}}
  %g = clika.add %f, %m : (tensor<?x3xf32, #clika.dims<n, 3>>, tensor<?x3xf32, #clika.dims<m, 3>>) -> tensor<?x3xf32>
  return %b, %c, %e, %g : tensor<2x3xf32>, tensor<2x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}
