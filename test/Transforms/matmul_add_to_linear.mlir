// RUN: clika-opt --matmul-add-to-linear --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --matmul-add-to-linear=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// The add's activation goes along; a b that is transposed already is taken as it is, constant or not.
// CHECK-LABEL: func.func @fires(
// CHECK: %s = clika.linear %arg0, %{{.*}} bias %arg1 {activation = "Relu"}
// CHECK-NEXT: %t = clika.linear %s, %arg2 bias %arg1
// CHECK-NEXT: return %t
func.func @fires(%x: tensor<3x2xf32>, %bias: tensor<2xf32>, %w: tensor<2x2xf32>) -> tensor<3x2xf32> {
  %k = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %m = clika.matmul %x, %k : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %s = clika.add %bias, %m {activation = "Relu"} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %n = clika.matmul %s, %w {transpose_b = true} : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %t = clika.add %n, %bias : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %t : tensor<3x2xf32>
}

// -----

// Near misses: a sum that grows the result, an alpha, a matmul with another reader, half precision.
// CHECK-LABEL: func.func @near_misses(
// CHECK-NOT: clika.linear
// CHECK: return
func.func @near_misses(%x: tensor<3x3xf32>, %row: tensor<1x4xf32>, %bias: tensor<1xf32>, %h: tensor<3x3xf16>, %hb: tensor<1xf16>)
    -> (tensor<3x4xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf16>) {
  %k = clika.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %kh = clika.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf16>
  %m = clika.matmul %x, %k : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  // expected-remark @+1 {{the other operand is not one number per column}}
  %a = clika.add %m, %row : (tensor<3x1xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %n = clika.matmul %x, %k : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  // expected-remark @+1 {{alpha is not 1}}
  %b = clika.add %n, %bias {alpha = 2.0 : f64} : (tensor<3x1xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %o = clika.matmul %x, %k : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  // expected-remark @+1 {{the matmul has another reader, or an activation}}
  %c = clika.add %o, %bias : (tensor<3x1xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %p = clika.matmul %h, %kh : (tensor<3x3xf16>, tensor<3x1xf16>) -> tensor<3x1xf16>
  // expected-remark @+1 {{the dtype is not float32 or float64, where linear rounds as the two do}}
  %d = clika.add %p, %hb : (tensor<3x1xf16>, tensor<1xf16>) -> tensor<3x1xf16>
  return %a, %b, %o, %c, %d : tensor<3x4xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<3x1xf16>
}
