// RUN: clika-opt --fold-batch-norm --split-input-file %s | FileCheck %s -enable-var-scope
// RUN: clika-opt --fold-batch-norm=remarks --split-input-file --verify-diagnostics=only-expected %s -o /dev/null

// Weight times scale / sqrt(variance + epsilon) = 1 / 2 and 10, bias (1 - mean) * that + bias; the activation is kept.
// CHECK-LABEL: func.func @conv(
// CHECK-NEXT: %[[W:.*]] = clika.constant dense<{{\[\[\[}}5.000000e-01, 1.000000e+00]]{{.*}}[3.000000e+01, 4.000000e+01]]]> : tensor<2x1x2xf32>
// CHECK-NEXT: %[[B:.*]] = clika.constant dense<[-5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %y = clika.conv %arg0, %[[W]] bias %[[B]] {activation = "Relu", pads = array<i64: 1>}
// CHECK-NEXT: return %y
func.func @conv(%x: tensor<1x1x4xf32>) -> tensor<1x2x5xf32> {
  %w = clika.constant dense<[[[1.0, 2.0]], [[3.0, 4.0]]]> : tensor<2x1x2xf32>
  %mean = clika.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %variance = clika.constant dense<[4.0, 1.0]> : tensor<2xf32>
  %scale = clika.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %bias = clika.constant dense<[0.0, 2.0]> : tensor<2xf32>
  %c = clika.conv %x, %w {pads = array<i64: 1>} : (tensor<1x1x4xf32>, tensor<2x1x2xf32>) -> tensor<1x2x5xf32>
  %y = clika.batch_norm %c, %mean, %variance scale %scale bias %bias {epsilon = 0.0 : f64, activation = "Relu"} : (tensor<1x2x5xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x5xf32>
  return %y : tensor<1x2x5xf32>
}

// -----

// Near misses: a conv with another reader, one with an activation, a variance that is no constant.
// CHECK-LABEL: func.func @near_misses(
// CHECK-COUNT-3: clika.batch_norm
func.func @near_misses(%x: tensor<1x1x4xf32>, %v: tensor<1xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %w = clika.constant dense<2.0> : tensor<1x1x1xf32>
  %one = clika.constant dense<1.0> : tensor<1xf32>
  %a = clika.conv %x, %w : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{the operator before it has another reader or an activation}}
  %b = clika.batch_norm %a, %one, %one : (tensor<1x1x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
  %c = clika.conv %x, %w {activation = "Relu"} : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{the operator before it has another reader or an activation}}
  %d = clika.batch_norm %c, %one, %one : (tensor<1x1x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
  %e = clika.conv %b, %w : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{its numbers, or the weights before it, are not finite constants}}
  %f = clika.batch_norm %e, %one, %v : (tensor<1x1x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4xf32>
  return %a, %b, %d, %f : tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// -----

// Near miss: the folded weight, 2 * 3e38, is more than float32 holds.
// CHECK-LABEL: func.func @too_large(
// CHECK: clika.batch_norm
func.func @too_large(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %w = clika.constant dense<2.0> : tensor<1x1xf32>
  %m = clika.constant dense<0.0> : tensor<1xf32>
  %v = clika.constant dense<1.0> : tensor<1xf32>
  %k = clika.constant dense<3.0e+38> : tensor<1xf32>
  %a = clika.linear %x, %w : (tensor<3x1xf32>, tensor<1x1xf32>) -> tensor<3x1xf32>
  // expected-remark @+1 {{a folded number is not finite, or too large for the dtype}}
  %y = clika.batch_norm %a, %m, %v scale %k {epsilon = 0.0 : f64} : (tensor<3x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// -----

// A matmul becomes a linear, of which the weights are b's columns, times 1 / 2 and 10.
// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: %[[W:.*]] = clika.constant dense<{{\[\[}}5.000000e-01, 1.500000e+00], [2.000000e+01, 4.000000e+01]]> : tensor<2x2xf32>
// CHECK-NEXT: %[[B:.*]] = clika.constant dense<[-5.000000e-01, 0.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %y = clika.linear %arg0, %[[W]] bias %[[B]] {activation = "Relu"}
// CHECK-NEXT: return %y
func.func @matmul(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %mean = clika.constant dense<[1.0, 0.0]> : tensor<2xf32>
  %variance = clika.constant dense<[4.0, 1.0]> : tensor<2xf32>
  %scale = clika.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %c = clika.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %y = clika.batch_norm %c, %mean, %variance scale %scale {epsilon = 0.0 : f64, activation = "Relu"} : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Near misses: a is transposed, and batches of matrices, whose columns are no channels.
// CHECK-LABEL: func.func @near_matmul(
// CHECK-COUNT-2: clika.batch_norm
func.func @near_matmul(%x: tensor<2x2xf32>, %z: tensor<2x2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2x2xf32>) {
  %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %one = clika.constant dense<1.0> : tensor<2xf32>
  %a = clika.matmul %x, %w {transpose_a = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark @+1 {{the matmul's a is transposed}}
  %b = clika.batch_norm %a, %one, %one : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %c = clika.matmul %z, %w : (tensor<2x2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  // expected-remark @+1 {{the product before it is no matrix}}
  %d = clika.batch_norm %c, %one, %one : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32>
  return %b, %d : tensor<2x2xf32>, tensor<2x2x2xf32>
}

// -----

// A near miss: half precision.
// CHECK-LABEL: func.func @near_half(
// CHECK: clika.batch_norm
func.func @near_half(%x: tensor<3x2xf16>) -> tensor<3x2xf16> {
  %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %one = clika.constant dense<1.0> : tensor<2xf16>
  %c = clika.matmul %x, %w : (tensor<3x2xf16>, tensor<2x2xf16>) -> tensor<3x2xf16>
  // expected-remark @+1 {{half precision rounds the folded weights anew}}
  %y = clika.batch_norm %c, %one, %one : (tensor<3x2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<3x2xf16>
  return %y : tensor<3x2xf16>
}
