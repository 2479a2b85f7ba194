// RUN: clika-opt --drop-matmul-reshapes --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --drop-matmul-reshapes=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %y = clika.matmul %arg0, %arg1 {activation = "Relu", transpose_b = true}
// CHECK-NEXT: return %y
func.func @rows(%x: tensor<?x3x4xf32, #clika.dims<n, 3, 4>>, %w: tensor<5x4xf32>) -> tensor<?x3x5xf32, #clika.dims<n, 3, 5>> {
  %a = clika.reshape %x {shape = array<i64: -1, 4>} : (tensor<?x3x4xf32, #clika.dims<n, 3, 4>>) -> tensor<?x4xf32, #clika.dims<n * 3, 4>>
  %b = clika.matmul %a, %w {activation = "Relu", transpose_b = true} : (tensor<?x4xf32, #clika.dims<n * 3, 4>>, tensor<5x4xf32>) -> tensor<?x5xf32, #clika.dims<n * 3, 5>>
  %y = clika.reshape %b {shape = array<i64: -1, 3, 5>} : (tensor<?x5xf32, #clika.dims<n * 3, 5>>) -> tensor<?x3x5xf32, #clika.dims<n, 3, 5>>
  return %y : tensor<?x3x5xf32, #clika.dims<n, 3, 5>>
}

// -----

// CHECK-LABEL: func.func @linear(
// CHECK-NEXT: %y = clika.linear %arg0, %arg1 bias %arg2
// CHECK-NEXT: return %y
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %k: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %a = clika.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %b = clika.linear %a, %w bias %k : (tensor<6x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  %y = clika.reshape %b {shape = array<i64: 2, 3, 5>} : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @batches(
// CHECK-NEXT: %y = clika.matmul %arg0, %arg1
// CHECK-NEXT: return %y
func.func @batches(%x: tensor<2x3x4x5xf32>, %w: tensor<2x3x5x1xf32>) -> tensor<2x3x4x1xf32> {
  %a = clika.reshape %x {shape = array<i64: 6, 4, 5>} : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
  %b = clika.reshape %w {shape = array<i64: 6, 5, 1>} : (tensor<2x3x5x1xf32>) -> tensor<6x5x1xf32>
  %c = clika.matmul %a, %b : (tensor<6x4x5xf32>, tensor<6x5x1xf32>) -> tensor<6x4x1xf32>
  %y = clika.reshape %c {shape = array<i64: 2, 3, 4, 1>} : (tensor<6x4x1xf32>) -> tensor<2x3x4x1xf32>
  return %y : tensor<2x3x4x1xf32>
}

// -----

// Near misses: rows in another order of sizes, the last dimension cut, another reader, batches of the second operand
// as they were.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.reshape 
// CHECK: clika.matmul 
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.matmul 
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.matmul 
// CHECK: clika.reshape 
// CHECK: clika.reshape 
// CHECK: clika.matmul 
// CHECK: clika.reshape 
func.func @near_misses(%x: tensor<2x3x4xf32>, %w: tensor<4x4xf32>, %v: tensor<12x4xf32>, %z: tensor<6x4x1xf32>) -> (tensor<3x2x4xf32>, tensor<2x1x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<2x3x1x1xf32>) {
  %a = clika.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %b = clika.matmul %a, %w : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  // expected-remark @+1 {{it is not known to undo what the reshape before the product does to rows or batches}}
  %c = clika.reshape %b {shape = array<i64: 3, 2, 4>} : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %d = clika.reshape %x {shape = array<i64: 2, 12>} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %e = clika.matmul %d, %v : (tensor<2x12xf32>, tensor<12x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{it is not known to undo what the reshape before the product does to rows or batches}}
  %f = clika.reshape %e {shape = array<i64: 2, 1, 4>} : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  %g = clika.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %h = clika.matmul %g, %w : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  // expected-remark @+1 {{what it reads has another reader, or reads no reshape of its own}}
  %i = clika.reshape %h {shape = array<i64: 2, 3, 4>} : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %j = clika.reshape %x {shape = array<i64: 6, 1, 4>} : (tensor<2x3x4xf32>) -> tensor<6x1x4xf32>
  %k = clika.matmul %j, %z : (tensor<6x1x4xf32>, tensor<6x4x1xf32>) -> tensor<6x1x1xf32>
  // expected-remark @+1 {{it is not known to undo what the reshape before the product does to rows or batches}}
  %l = clika.reshape %k {shape = array<i64: 2, 3, 1, 1>} : (tensor<6x1x1xf32>) -> tensor<2x3x1x1xf32>
  return %c, %f, %i, %h, %l : tensor<3x2x4xf32>, tensor<2x1x4xf32>, tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<2x3x1x1xf32>
}
