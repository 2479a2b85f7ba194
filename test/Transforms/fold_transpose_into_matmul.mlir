// RUN: clika-opt --fold-transpose-into-matmul --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fold-transpose-into-matmul=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// CHECK-LABEL: func.func @both(
// CHECK-NEXT: %y = clika.matmul %arg0, %arg1 {activation = "Relu", transpose_a = true, transpose_b = true}
// CHECK-NEXT: return %y
func.func @both(%x: tensor<5x3x?xf32>, %w: tensor<4x3xf32>) -> tensor<5x?x4xf32> {
  %a = clika.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<5x3x?xf32>) -> tensor<5x?x3xf32>
  %b = clika.transpose %w : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %y = clika.matmul %a, %b {activation = "Relu"} : (tensor<5x?x3xf32>, tensor<3x4xf32>) -> tensor<5x?x4xf32>
  return %y : tensor<5x?x4xf32>
}

// -----

// A setting that is set already is taken back.
// CHECK-LABEL: func.func @back(
// CHECK-NEXT: %y = clika.matmul %arg0, %arg1
// CHECK-NEXT: return %y
func.func @back(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %a = clika.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %y = clika.matmul %a, %w {transpose_a = true} : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// Near misses: other dimensions move too, and a vector.
// CHECK-LABEL: func.func @near_misses(
// CHECK: clika.transpose 
// CHECK: clika.transpose 
// CHECK: clika.matmul 
// CHECK: clika.transpose 
// CHECK: clika.matmul 
func.func @near_misses(%x: tensor<2x2x2xf32>, %v: tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>) {
  %a = clika.transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %b = clika.transpose %x : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  // expected-remark @+1 {{neither operand is a transpose of the last two dimensions}}
  %c = clika.matmul %a, %b : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %t = clika.transpose %v : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{neither operand is a transpose of the last two dimensions}}
  %d = clika.matmul %x, %t : (tensor<2x2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %c, %d : tensor<2x2x2xf32>, tensor<2x2xf32>
}
