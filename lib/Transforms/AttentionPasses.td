// Transforms that find attention and rotary embeddings written out.
#ifndef CLIKA_TRANSFORMS_ATTENTION_PASSES_TD
#define CLIKA_TRANSFORMS_ATTENTION_PASSES_TD

include "TransformBase.td"

def DecomposedRotary : Clika_Transform<"decomposed_rotary", 122> {
  let summary = "x * cos + concat(-second half of x, first half) * sin is RotaryEmbedding";
  let description = [{
    Where both halves of cos and of sin are known to be equal: two of one value joined, also through operators of single
    elements, or constants. The form that computes the two halves apart, with neighbours too, and the rest of a head after the part
    that is rotated. x is [batch, heads, sequence, head size], or has the heads after the sequence. float32 and float64: half
    precision rounds the products, which RotaryEmbedding does not.
  }];
  let serves = ["FunctionHalfRotaryEmbedding", "RotaryEmbedding"];
  let before = [{
    func.func @f(%x: tensor<1x2x3x4xf32>, %t: tensor<1x1x3x2xf32>) -> tensor<1x2x3x4xf32> {
      %a = clika.concat %t, %t {axis = 3 : i64} : (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x4xf32>
      %c = clika.cos %a : tensor<1x1x3x4xf32>
      %s = clika.sin %a : tensor<1x1x3x4xf32>
      %l = clika.slice %x {axes = array<i64: 3>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
      %r = clika.slice %x {axes = array<i64: 3>, ends = array<i64: 4>, starts = array<i64: 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
      %n = clika.neg %r : tensor<1x2x3x2xf32>
      %p = clika.concat %n, %l {axis = 3 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
      %u = clika.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
      %v = clika.mul %p, %s : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
      %y = clika.add %u, %v : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
      return %y : tensor<1x2x3x4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x2x3x4xf32>, %arg1: tensor<1x1x3x2xf32>) -> tensor<1x2x3x4xf32> {
      %a = clika.concat %arg1, %arg1 {axis = 3 : i64} : (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x4xf32>
      %c = clika.cos %a : tensor<1x1x3x4xf32>
      %s = clika.sin %a : tensor<1x1x3x4xf32>
      %0 = clika.slice %c {axes = array<i64: 3>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
      %1 = clika.squeeze %0 {axes = array<i64: 1>} : (tensor<1x1x3x2xf32>) -> tensor<1x3x2xf32>
      %2 = clika.slice %s {axes = array<i64: 3>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
      %3 = clika.squeeze %2 {axes = array<i64: 1>} : (tensor<1x1x3x2xf32>) -> tensor<1x3x2xf32>
      %y = clika.rotary_embedding %x, %1, %3 : (tensor<1x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<1x2x3x4xf32>
      return %y : tensor<1x2x3x4xf32>
    }
  }];
}

def DecomposedAttention : Clika_Transform<"decomposed_attention", 124, Bounded<"1e-4", "1e-4">> {
  let summary = "softmax(q * transpose(k) * scale + mask) * v is Attention, where the mask leaves a key to every query";
  let description = [{
    The scale before the product, on either side or both, or after it, and softly capped; the keys transposed by an operator or by the product; a mask
    added, or -inf chosen where it is false; keys and values whose heads are repeated in the same way. A mask that is true
    up to a diagonal, constant or from positions compared, is the setting causal. The mask is none, a
    constant with a key in every row, or one of the diagonal, or computed from bools and numbers so that it holds no -inf: Attention gives the
    weight 0 where softmax, without any key, gives NaN. float32 and float64: half precision rounds the scores.
  }];
  let serves = ["FunctionCausalMask"];
  let before = [{
    func.func @f(%x: tensor<1x2x3x4xf32>, %z: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %k = clika.constant dense<5.000000e-01> : tensor<f32>
      %a = clika.matmul %x, %z {transpose_b = true} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x5xf32>
      %b = clika.mul %a, %k : (tensor<1x2x3x5xf32>, tensor<f32>) -> tensor<1x2x3x5xf32>
      %w = clika.softmax %b : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
      %y = clika.matmul %w, %z : (tensor<1x2x3x5xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
      return %y : tensor<1x2x3x4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %y = clika.attention %x, %arg1, %arg1 {scale = 5.000000e-01 : f64} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
      return %y : tensor<1x2x3x4xf32>
    }
  }];
}

def DecomposedMaskedAttention : Clika_Transform<"decomposed_masked_attention", 0, Approximate<"1e-4", "1e-4">> {
  let summary = "softmax(q * transpose(k) * scale + mask) * v is Attention, with any mask";
  let description = [{
    A query without keys gives the weight 0 where it gave NaN, an added mask of 0 up to a diagonal and -inf above it is the setting causal,
    though NaN plus -inf was NaN, and where(isnan(weights), 0, weights), which guards against that, goes: scores that
    are NaN for another reason give NaN.
  }];
  let serves = ["FunctionAttention", "FunctionAttentionGQA"];
  let before = [{
    func.func @f(%x: tensor<1x2x3x4xf32>, %m: tensor<3x3xf32>) -> tensor<1x2x3x4xf32> {
      %a = clika.matmul %x, %x {transpose_b = true} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
      %b = clika.add %a, %m : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
      %w = clika.softmax %b : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
      %y = clika.matmul %w, %x : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
      return %y : tensor<1x2x3x4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x2x3x4xf32>, %arg1: tensor<3x3xf32>) -> tensor<1x2x3x4xf32> {
      %y = clika.attention %x, %x, %x mask %arg1 {scale = 1.000000e+00 : f64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<3x3xf32>) -> tensor<1x2x3x4xf32>
      return %y : tensor<1x2x3x4xf32>
    }
  }];
}

def FuseHalfPrecision : Clika_Transform<"fuse_half_precision", 0, Approximate<"0.1", "0.1">> {
  let summary = "In float16 and bfloat16: what decomposed_attention, decomposed_rotary, decomposed_layer_norm, decomposed_rms_norm, matmul_add_to_linear, fold_batch_norm and fold_scale_and_shift do in float32";
  let description = [{
    One operator computes in float32 and rounds once where the chain rounded what it handed on: its numbers are nearer to what is
    meant, and differ from the chain's by several roundings, more where large numbers cancel, and where a score or a square was
    infinite in float16. A mask may be any, as in decomposed_masked_attention. Beside the default list: graph.optimize([*graph.default_transforms(), …]).
    The forms that compute in float32 between casts need it not.
  }];
  let before = [{
    func.func @f(%x: tensor<3x2xf16>) -> tensor<3x2xf16> {
      %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
      %b = clika.constant dense<[1.0, 2.0]> : tensor<2xf16>
      %a = clika.matmul %x, %w : (tensor<3x2xf16>, tensor<2x2xf16>) -> tensor<3x2xf16>
      %y = clika.add %a, %b : (tensor<3x2xf16>, tensor<2xf16>) -> tensor<3x2xf16>
      return %y : tensor<3x2xf16>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<3x2xf16>) -> tensor<3x2xf16> {
      %b = clika.constant dense<[1.0, 2.0]> : tensor<2xf16>
      %0 = clika.constant dense<[[1.0, 3.0], [2.0, 4.0]]> : tensor<2x2xf16>
      %y = clika.linear %x, %0 bias %b : (tensor<3x2xf16>, tensor<2x2xf16>, tensor<2xf16>) -> tensor<3x2xf16>
      return %y : tensor<3x2xf16>
    }
  }];
}

#endif
