// RUN: clika-opt %s | clika-opt | FileCheck %s
// RUN: clika-opt %s --convert-clika-to-linalg | FileCheck %s --check-prefix=LOWERED

// Parsed, printed, parsed again; then every op becomes a linalg.generic.
// LOWERED-LABEL: func.func @unary
// LOWERED-NOT: clika.
// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<2x?xf32>, %bits: tensor<3xui8>, %flags: tensor<3xi1>) -> tensor<2x?xf32> {
  // CHECK: %relu = clika.relu %
  %relu = clika.relu %x : tensor<2x?xf32>
  // CHECK: %leaky_relu = clika.leaky_relu %
  %leaky_relu = clika.leaky_relu %relu : tensor<2x?xf32>
  // CHECK: %elu = clika.elu %
  %elu = clika.elu %leaky_relu : tensor<2x?xf32>
  // CHECK: %selu = clika.selu %
  %selu = clika.selu %elu : tensor<2x?xf32>
  // CHECK: %celu = clika.celu %
  %celu = clika.celu %selu : tensor<2x?xf32>
  // CHECK: %gelu = clika.gelu %
  %gelu = clika.gelu %celu : tensor<2x?xf32>
  // CHECK: %silu = clika.silu %
  %silu = clika.silu %gelu : tensor<2x?xf32>
  // CHECK: %sigmoid = clika.sigmoid %
  %sigmoid = clika.sigmoid %silu : tensor<2x?xf32>
  // CHECK: %hard_sigmoid = clika.hard_sigmoid %
  %hard_sigmoid = clika.hard_sigmoid %sigmoid : tensor<2x?xf32>
  // CHECK: %hard_swish = clika.hard_swish %
  %hard_swish = clika.hard_swish %hard_sigmoid : tensor<2x?xf32>
  // CHECK: %softplus = clika.softplus %
  %softplus = clika.softplus %hard_swish : tensor<2x?xf32>
  // CHECK: %mish = clika.mish %
  %mish = clika.mish %softplus : tensor<2x?xf32>
  // CHECK: %thresholded_relu = clika.thresholded_relu %
  %thresholded_relu = clika.thresholded_relu %mish : tensor<2x?xf32>
  // CHECK: %softsign = clika.softsign %
  %softsign = clika.softsign %thresholded_relu : tensor<2x?xf32>
  // CHECK: %shrink = clika.shrink %
  %shrink = clika.shrink %softsign : tensor<2x?xf32>
  // CHECK: %neg = clika.neg %
  %neg = clika.neg %shrink : tensor<2x?xf32>
  // CHECK: %abs = clika.abs %
  %abs = clika.abs %neg : tensor<2x?xf32>
  // CHECK: %sign = clika.sign %
  %sign = clika.sign %abs : tensor<2x?xf32>
  // CHECK: %sqrt = clika.sqrt %
  %sqrt = clika.sqrt %sign : tensor<2x?xf32>
  // CHECK: %rsqrt = clika.rsqrt %
  %rsqrt = clika.rsqrt %sqrt : tensor<2x?xf32>
  // CHECK: %reciprocal = clika.reciprocal %
  %reciprocal = clika.reciprocal %rsqrt : tensor<2x?xf32>
  // CHECK: %floor = clika.floor %
  %floor = clika.floor %reciprocal : tensor<2x?xf32>
  // CHECK: %ceil = clika.ceil %
  %ceil = clika.ceil %floor : tensor<2x?xf32>
  // CHECK: %round = clika.round %
  %round = clika.round %ceil : tensor<2x?xf32>
  // CHECK: %exp = clika.exp %
  %exp = clika.exp %round : tensor<2x?xf32>
  // CHECK: %log = clika.log %
  %log = clika.log %exp : tensor<2x?xf32>
  // CHECK: %tanh = clika.tanh %
  %tanh = clika.tanh %log : tensor<2x?xf32>
  // CHECK: %erf = clika.erf %
  %erf = clika.erf %tanh : tensor<2x?xf32>
  // CHECK: %sin = clika.sin %
  %sin = clika.sin %erf : tensor<2x?xf32>
  // CHECK: %cos = clika.cos %
  %cos = clika.cos %sin : tensor<2x?xf32>
  // CHECK: %tan = clika.tan %
  %tan = clika.tan %cos : tensor<2x?xf32>
  // CHECK: %asin = clika.asin %
  %asin = clika.asin %tan : tensor<2x?xf32>
  // CHECK: %acos = clika.acos %
  %acos = clika.acos %asin : tensor<2x?xf32>
  // CHECK: %atan = clika.atan %
  %atan = clika.atan %acos : tensor<2x?xf32>
  // CHECK: %sinh = clika.sinh %
  %sinh = clika.sinh %atan : tensor<2x?xf32>
  // CHECK: %cosh = clika.cosh %
  %cosh = clika.cosh %sinh : tensor<2x?xf32>
  // CHECK: %asinh = clika.asinh %
  %asinh = clika.asinh %cosh : tensor<2x?xf32>
  // CHECK: %acosh = clika.acosh %
  %acosh = clika.acosh %asinh : tensor<2x?xf32>
  // CHECK: %atanh = clika.atanh %
  %atanh = clika.atanh %acosh : tensor<2x?xf32>
  // CHECK: %identity = clika.identity %
  %identity = clika.identity %atanh : tensor<2x?xf32>
  // CHECK: %logical_not = clika.logical_not %
  %logical_not = clika.logical_not %flags : tensor<3xi1>
  // CHECK: %bitwise_not = clika.bitwise_not %
  %bitwise_not = clika.bitwise_not %bits : tensor<3xui8>
  // CHECK: %is_nan = clika.is_nan %
  %is_nan = clika.is_nan %x : (tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK: %is_inf = clika.is_inf %{{.*}} {detect_negative = false}
  %is_inf = clika.is_inf %x {detect_negative = false} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  return %identity : tensor<2x?xf32>
}
