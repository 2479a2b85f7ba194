// RUN: clika-opt --hoist-gather --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --hoist-gather=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @pointwise(
// CHECK-NEXT: %i = clika.constant dense<3> : tensor<i64>
// CHECK-NEXT: %0 = clika.gather %arg0, %i
// CHECK-NEXT: %b = clika.add %0, %arg1 {alpha = 2.000000e+00 : f64}
// CHECK-NEXT: return %b
func.func @pointwise(%x: tensor<4x2xf32>, %k: tensor<2xf32>) -> tensor<2xf32> {
  %i = clika.constant dense<3> : tensor<i64>
  %a = clika.add %x, %k {alpha = 2.0 : f64} : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %b = clika.gather %a, %i : (tensor<4x2xf32>, tensor<i64>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: %i = clika.constant dense<[3, -4]> : tensor<2xi64>
// CHECK-NEXT: %0 = clika.gather %arg0, %i
// CHECK-NEXT: %b = clika.mul %0, %arg1
// CHECK-NEXT: return %b
func.func @broadcast(%x: tensor<4x?xf32>, %k: tensor<1x?xf32>) -> tensor<2x?xf32> {
  %i = clika.constant dense<[3, -4]> : tensor<2xi64>
  %a = clika.mul %x, %k : (tensor<4x?xf32>, tensor<1x?xf32>) -> tensor<4x?xf32>
  %b = clika.gather %a, %i : (tensor<4x?xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return %b : tensor<2x?xf32>
}

// -----

// CHECK-LABEL: func.func @transpose(
// CHECK-NEXT: %i = clika.constant dense<1> : tensor<i64>
// CHECK-NEXT: %j = clika.constant dense<1> : tensor<1xi64>
// CHECK-NEXT: %0 = clika.gather %arg0, %i {axis = 1 : i64}
// CHECK-NEXT: %b = clika.transpose %0 {perm = array<i64: 1, 0>}
// CHECK-NEXT: %1 = clika.gather %arg0, %j {axis = 1 : i64}
// CHECK-NEXT: %d = clika.transpose %1 {perm = array<i64: 2, 1, 0>}
// CHECK-NEXT: return %b, %d
func.func @transpose(%x: tensor<4x2x3xf32>) -> (tensor<3x4xf32>, tensor<3x1x4xf32>) {
  %i = clika.constant dense<1> : tensor<i64>
  %j = clika.constant dense<[1]> : tensor<1xi64>
  %a = clika.transpose %x {perm = array<i64: 2, 1, 0>} : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>
  %b = clika.gather %a, %i {axis = 1 : i64} : (tensor<3x2x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  %c = clika.transpose %x : (tensor<4x2x3xf32>) -> tensor<3x2x4xf32>
  %d = clika.gather %c, %j {axis = 1 : i64} : (tensor<3x2x4xf32>, tensor<1xi64>) -> tensor<3x1x4xf32>
  return %b, %d : tensor<3x4xf32>, tensor<3x1x4xf32>
}

// -----

// Rows of a product, a softmax and a norm are each computed alone.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %i = clika.constant dense<2> : tensor<1xi64>
// CHECK-NEXT: %0 = clika.gather %arg0, %i
// CHECK-NEXT: %b = clika.matmul %0, %arg1
// CHECK-NEXT: return %b
func.func @rows(%x: tensor<4x2xf32>, %w: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<1x3xf32> {
  %i = clika.constant dense<[2]> : tensor<1xi64>
  %a = clika.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %b = clika.gather %a, %i : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  return %b : tensor<1x3xf32>
}

// -----

// CHECK-LABEL: func.func @norms(
// CHECK-NEXT: %i = clika.constant dense<2> : tensor<1xi64>
// CHECK-NEXT: %0 = clika.gather %arg0, %i
// CHECK-NEXT: %b = clika.layer_norm %0 scale %arg1
// CHECK-NEXT: %1 = clika.gather %arg0, %i
// CHECK-NEXT: %d = clika.softmax %1
// CHECK-NEXT: return %b, %d
func.func @norms(%x: tensor<4x3xf32>, %s: tensor<3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %i = clika.constant dense<[2]> : tensor<1xi64>
  %a = clika.layer_norm %x scale %s : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %b = clika.gather %a, %i : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  %c = clika.softmax %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %d = clika.gather %c, %i {axis = -2 : i64} : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  return %b, %d : tensor<1x3xf32>, tensor<1x3xf32>
}

// -----

// Near misses: another reader, the axis that a softmax sums over, as many slices as there are, columns of a product.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.exp 
// CHECK: clika.gather 
// CHECK: clika.softmax 
// CHECK: clika.gather 
// CHECK: clika.neg 
// CHECK: clika.gather 
// CHECK: clika.matmul 
// CHECK: clika.gather 
func.func @near_misses(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<1x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>) {
  %i = clika.constant dense<[0]> : tensor<1xi64>
  %j = clika.constant dense<[1, 0]> : tensor<2xi64>
  %a = clika.exp %x : tensor<2x2xf32>
  // expected-remark @+1 {{what it reads is no operator's, or has another reader}}
  %b = clika.gather %a, %i : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  %c = clika.softmax %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{it cannot move above what makes its operand}}
  %d = clika.gather %c, %i {axis = 1 : i64} : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  %e = clika.neg %x : tensor<2x2xf32>
  // expected-remark @+1 {{it picks as many slices as there are}}
  %f = clika.gather %e, %j : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %g = clika.matmul %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{it cannot move above what makes its operand}}
  %h = clika.gather %g, %i {axis = 1 : i64} : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  return %a, %b, %d, %f, %h : tensor<2x2xf32>, tensor<1x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>
}

// -----

// An operand that is broadcast along an axis that goes loses it.
// CHECK-LABEL: func.func @dropped(
// CHECK: %0 = clika.gather %arg0, %l
// CHECK-NEXT: %1 = clika.squeeze %arg1 {axes = array<i64: 0>} : (tensor<1x2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %n = clika.add %0, %1
// CHECK-NEXT: return %n
func.func @dropped(%x: tensor<2x2xf32>, %k: tensor<1x2xf32>) -> tensor<2xf32> {
  %l = clika.constant dense<1> : tensor<i64>
  %m = clika.add %x, %k : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %n = clika.gather %m, %l : (tensor<2x2xf32>, tensor<i64>) -> tensor<2xf32>
  return %n : tensor<2xf32>
}

// -----

// Reshapes that keep the axis, by a list and by a single index.
// CHECK-LABEL: func.func @reshapes(
// CHECK: %0 = clika.gather %arg0, %i {axis = 1 : i64} : (tensor<?x4x6xf32, #clika.dims<n, 4, 6>>, tensor<2xi64>) -> tensor<?x2x6xf32, #clika.dims<n, 2, 6>>
// CHECK-NEXT: %b = clika.reshape %0 {shape = array<i64: -1, 2, 3, 2>} : (tensor<?x2x6xf32, #clika.dims<n, 2, 6>>) -> tensor<?x2x3x2xf32, #clika.dims<n, 2, 3, 2>>
// CHECK-NEXT: %1 = clika.gather %arg1, %j {axis = 2 : i64} : (tensor<2x3x4x2xf32>, tensor<i64>) -> tensor<2x3x2xf32>
// CHECK-NEXT: %d = clika.reshape %1 {shape = array<i64: 6, 2>} : (tensor<2x3x2xf32>) -> tensor<6x2xf32>
// CHECK-NEXT: return %b, %d
func.func @reshapes(%x: tensor<?x4x6xf32, #clika.dims<n, 4, 6>>, %z: tensor<2x3x4x2xf32>) -> (tensor<?x2x3x2xf32, #clika.dims<n, 2, 3, 2>>, tensor<6x2xf32>) {
  %i = clika.constant dense<[3, 1]> : tensor<2xi64>
  %j = clika.constant dense<2> : tensor<i64>
  %a = clika.reshape %x {shape = array<i64: 0, 4, 3, 2>} : (tensor<?x4x6xf32, #clika.dims<n, 4, 6>>) -> tensor<?x4x3x2xf32, #clika.dims<n, 4, 3, 2>>
  %b = clika.gather %a, %i {axis = 1 : i64} : (tensor<?x4x3x2xf32, #clika.dims<n, 4, 3, 2>>, tensor<2xi64>) -> tensor<?x2x3x2xf32, #clika.dims<n, 2, 3, 2>>
  %c = clika.reshape %z {shape = array<i64: 6, 4, 2>} : (tensor<2x3x4x2xf32>) -> tensor<6x4x2xf32>
  %d = clika.gather %c, %j {axis = 1 : i64} : (tensor<6x4x2xf32>, tensor<i64>) -> tensor<6x2xf32>
  return %b, %d : tensor<?x2x3x2xf32, #clika.dims<n, 2, 3, 2>>, tensor<6x2xf32>
}

// -----

// CHECK-LABEL: func.func @dimensions_of_one(
// CHECK: %0 = clika.gather %arg0, %j {axis = 1 : i64} : (tensor<3x4x2xf32>, tensor<i64>) -> tensor<3x2xf32>
// CHECK-NEXT: %b = clika.unsqueeze %0 {axes = array<i64: 0, 2>} : (tensor<3x2xf32>) -> tensor<1x3x1x2xf32>
// CHECK-NEXT: %1 = clika.gather %arg1, %j {axis = 1 : i64} : (tensor<1x4x1x2xf32>, tensor<i64>) -> tensor<1x1x2xf32>
// CHECK-NEXT: %d = clika.squeeze %1 {axes = array<i64: 0, 1>} : (tensor<1x1x2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %b, %d
func.func @dimensions_of_one(%x: tensor<3x4x2xf32>, %z: tensor<1x4x1x2xf32>) -> (tensor<1x3x1x2xf32>, tensor<2xf32>) {
  %j = clika.constant dense<-1> : tensor<i64>
  %a = clika.unsqueeze %x {axes = array<i64: 0, 3>} : (tensor<3x4x2xf32>) -> tensor<1x3x4x1x2xf32>
  %b = clika.gather %a, %j {axis = 2 : i64} : (tensor<1x3x4x1x2xf32>, tensor<i64>) -> tensor<1x3x1x2xf32>
  %c = clika.squeeze %z {axes = array<i64: 0, 2>} : (tensor<1x4x1x2xf32>) -> tensor<4x2xf32>
  %d = clika.gather %c, %j : (tensor<4x2xf32>, tensor<i64>) -> tensor<2xf32>
  return %b, %d : tensor<1x3x1x2xf32>, tensor<2xf32>
}

// -----

// By a single index above what computes rows, of a size that a run brings too, and batches of a product.
// CHECK-LABEL: func.func @single(
// CHECK: %0 = clika.constant dense<-1> : tensor<1xi64>
// CHECK-NEXT: %1 = clika.gather %arg0, %0 {axis = 1 : i64} : (tensor<2x?x3xf32>, tensor<1xi64>) -> tensor<2x1x3xf32>
// CHECK-NEXT: %2 = clika.linear %1, %arg1 : (tensor<2x1x3xf32>, tensor<5x3xf32>) -> tensor<2x1x5xf32>
// CHECK-NEXT: %b = clika.squeeze %2 {axes = array<i64: 1>} : (tensor<2x1x5xf32>) -> tensor<2x5xf32>
// CHECK: %[[A:.*]] = clika.gather %arg2, %{{.*}} : (tensor<4x2x3xf32>, tensor<1xi64>) -> tensor<1x2x3xf32>
// CHECK: %[[B:.*]] = clika.matmul %[[A]], %arg3 : (tensor<1x2x3xf32>, tensor<1x3x2xf32>) -> tensor<1x2x2xf32>
// CHECK: %d = clika.squeeze %[[B]]
// CHECK-NEXT: return %b, %d
func.func @single(%x: tensor<2x?x3xf32>, %w: tensor<5x3xf32>, %p: tensor<4x2x3xf32>, %q: tensor<1x3x2xf32>) -> (tensor<2x5xf32>, tensor<2x2xf32>) {
  %j = clika.constant dense<-1> : tensor<i64>
  %a = clika.linear %x, %w : (tensor<2x?x3xf32>, tensor<5x3xf32>) -> tensor<2x?x5xf32>
  %b = clika.gather %a, %j {axis = 1 : i64} : (tensor<2x?x5xf32>, tensor<i64>) -> tensor<2x5xf32>
  %c = clika.matmul %p, %q : (tensor<4x2x3xf32>, tensor<1x3x2xf32>) -> tensor<4x2x2xf32>
  %d = clika.gather %c, %j : (tensor<4x2x2xf32>, tensor<i64>) -> tensor<2x2xf32>
  return %b, %d : tensor<2x5xf32>, tensor<2x2xf32>
}

// -----

// Near misses: a reshape that joins the axis with others, an added dimension, more than one index along a size of a run.
// CHECK-LABEL: func.func @near_moves(
// CHECK: clika.reshape 
// CHECK-NEXT: clika.gather 
// CHECK-NEXT: clika.abs 
// CHECK-NEXT: clika.gather 
// CHECK-NEXT: return
func.func @near_moves(%x: tensor<2x6xf32>, %z: tensor<?x3xf32>) -> (tensor<1x3xf32>, tensor<2x3xf32>) {
  %i = clika.constant dense<[2]> : tensor<1xi64>
  %l = clika.constant dense<[0, 1]> : tensor<2xi64>
  %a = clika.reshape %x {shape = array<i64: 4, 3>} : (tensor<2x6xf32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{it cannot move above what makes its operand}}
  %b = clika.gather %a, %i : (tensor<4x3xf32>, tensor<1xi64>) -> tensor<1x3xf32>
  %c = clika.abs %z : tensor<?x3xf32>
  // expected-remark @+1 {{its indices are no list of constants in range}}
  %d = clika.gather %c, %l : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %b, %d : tensor<1x3xf32>, tensor<2x3xf32>
}
