// The runtime's transforms: each record is an entry of graph::transforms, a pass of clika-opt (`--` and the name with
// dashes) and an entry of docs/transforms.md. What it does is in the .cpp that defines `run` and the record's name.
#ifndef CLIKA_TRANSFORMS_PASSES_TD
#define CLIKA_TRANSFORMS_PASSES_TD

include "StandardPatterns.td"

def RemoveUnused : Clika_Transform<"remove_unused", 10> {
  let summary = "Removes nodes and constants that nothing reads";
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.exp %x : tensor<2xf32>
      %y = clika.neg %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.neg %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def ShareConstants : Clika_Transform<"share_constants", 20> {
  let summary = "Of constants that hold the same bytes, shape and dtype, the first serves all";
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %k = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %l = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %a = clika.mul %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %y = clika.sub %a, %l : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %k = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %a = clika.mul %x, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %y = clika.sub %a, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def FoldConstants : Clika_Transform<"fold_constants", 30> {
  let summary = "A node whose operands are all constants becomes the constant it computes";
  let description = [{
    It is computed by the code a run would use. A result of more than 16 MiB (`OptimizeOptions::fold_limit`) is made only where it
    takes no more room than the constants that go with it, and none of an operator of `OptimizeOptions::fold_excluded`. Sizes that are known fold too, though what has them is not constant.
    Bytes that `dequantize` makes numbers of stay where a product that reads them is computed of bytes.
    An `if` of a constant condition becomes the branch that it takes, and a `loop` that never begins what it is given.
  }];
  let serves = ["InitializerUnsqueezeCast", "TransposeToInitializer"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %k = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %l = clika.neg %k : tensor<2xf32>
      %y = clika.mul %x, %l : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %l = clika.constant dense<[-1.0, -2.0]> : tensor<2xf32>
      %y = clika.mul %x, %l : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def RemoveIdentity : Clika_Transform<"remove_identity", 40> {
  let summary = "Removes nodes that hand their input on: casts to the same dtype, moves that move nothing, x * 1, x / 1, x - 0";
  let description = [{
    Identity; reshape, squeeze, unsqueeze, transpose, expand, tile, slice, pad, concat and split where the shape is known to
    stay; clamp without bounds; x + (-0.0), but not x + 0.0, which turns -0.0 into +0.0; x and true, x or false, x xor false,
    and the same of bits with 0.
  }];
  let serves = ["Cast", "Identity", "Dropout", "SliceElimination", "Expand", "Reshape", "ShapedBasedReshape", "ShapeBasedIdentity"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.transpose %x {perm = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
      %y = clika.exp %a : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.exp %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def RemoveDoubleNeg : Clika_Transform<"remove_double_neg", 50> {
  let summary = "Neg(Neg(x)) is x";
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.neg %x : tensor<2xf32>
      %b = clika.neg %a : tensor<2xf32>
      %y = clika.exp %b : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.exp %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def MergeTransposes : Clika_Transform<"merge_transposes", 60> {
  let summary = "A transpose of a transpose is one, or none where they undo each other";
  let serves = ["TransposeTranspose"];
  let before = [{
    func.func @f(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
      %a = clika.transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
      %y = clika.transpose %a {perm = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
      return %y : tensor<4x3x2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
      %y = clika.transpose %x {perm = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
      return %y : tensor<4x3x2xf32>
    }
  }];
}

def MergeReshapes : Clika_Transform<"merge_reshapes", 70> {
  let summary = "A reshape, squeeze or unsqueeze of another is one reshape, or none where they undo each other";
  let description = [{
    The outer shape must have at most one size that is not known.
  }];
  let serves = ["ReshapeReshape", "ReshapeSqueeze", "UnsqueezeOrSqueezeReshape", "UnsqueezeUnsqueeze", "SqueezeUnsqueeze"];
  let before = [{
    func.func @f(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
      %a = clika.reshape %x {shape = array<i64: 12>} : (tensor<3x4xf32>) -> tensor<12xf32>
      %y = clika.reshape %a {shape = array<i64: 2, 6>} : (tensor<12xf32>) -> tensor<2x6xf32>
      return %y : tensor<2x6xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
      %y = clika.reshape %x {allow_zero = true, shape = array<i64: 2, 6>} : (tensor<3x4xf32>) -> tensor<2x6xf32>
      return %y : tensor<2x6xf32>
    }
  }];
}

def RemoveRedundantRelu : Clika_Transform<"remove_redundant_relu", 80> {
  let summary = "Relu(Relu(x)) is Relu(x)";
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.relu %x : tensor<2xf32>
      %y = clika.relu %a : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.relu %x : tensor<2xf32>
      return %a : tensor<2xf32>
    }
  }];
}

def MergeClamps : Clika_Transform<"merge_clamps", 90> {
  let summary = "A Clamp or Relu of a Clamp or Relu with literal bounds is one Clamp";
  let description = [{
    A pair of Relus is remove_redundant_relu's.
  }];
  let serves = ["ClipClip", "ReluClipFusion"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.clamp %x {max = 6.0 : f64, min = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
      %y = clika.clamp %a {max = 9.0 : f64, min = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.clamp %x {max = 6.0 : f64, min = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def ClampToRelu : Clika_Transform<"clamp_to_relu", 100> {
  let summary = "Clamp with the literal floor 0 and no ceiling is Relu";
  let description = [{
    A floor of -0.0 is left alone: the two differ in the sign of zero.
  }];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.clamp %x {min = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.relu %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def AddNegToSub : Clika_Transform<"add_neg_to_sub", 110> {
  let summary = "a + alpha * Neg(b) is a - alpha * b, and Neg(a) + b is b - a";
  let description = [{
    The Sub keeps the Add's alpha and activation; the second form asks for alpha 1.
  }];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.neg %x : tensor<2xf32>
      %y = clika.add %x, %a {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.sub %x, %x {alpha = 2.0 : f64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def DecomposedSoftmax : Clika_Transform<"decomposed_softmax", 120, Bounded<"1e-5", "1e-7">> {
  let summary = "exp(x - max(x)) / sum(exp(x - max(x))) along one dimension is Softmax";
  let description = [{
    Or times the reciprocal of the sum; with keepdims or an unsqueeze. Only the form that subtracts the maximum: the other overflows
    where Softmax does not.
  }];
  let before = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %m = clika.reduce_max %x {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
      %d = clika.sub %x, %m : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      %e = clika.exp %d : tensor<4xf32>
      %s = clika.reduce_sum %e {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
      %y = clika.div %e, %s : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = clika.softmax %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
}

def DecomposedLayerNorm : Clika_Transform<"decomposed_layer_norm", 130, Bounded<"1e-5", "1e-5">> {
  let summary = "(x - mean) / sqrt(mean((x - mean)^2) + epsilon), and a scale and bias of the last dimension after it, is LayerNorm";
  let description = [{
    The square as a product or a power, means also as sums divided, the root as a quotient, power, rsqrt or reciprocal, the scale
    before x or after it, or x * g + (bias - mean * g) of a finite constant scale. A scale or bias that would broadcast x is not taken in. float32 and float64:
    half precision rounds the mean, which LayerNorm does not; between casts, narrow_casts makes the whole one norm.
  }];
  let serves = ["LayerNormalization", "LayerNormalizationScale"];
  let before = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %k = clika.constant dense<1.000000e-05> : tensor<f32>
      %m = clika.reduce_mean %x {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
      %d = clika.sub %x, %m : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      %q = clika.mul %d, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %v = clika.reduce_mean %q {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
      %a = clika.add %v, %k : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
      %s = clika.sqrt %a : tensor<1xf32>
      %y = clika.div %d, %s : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = clika.layer_norm %x {epsilon = 9.9999997473787516E-6 : f64} : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
}

def DecomposedGelu : Clika_Transform<"decomposed_gelu", 140, Bounded<"1e-5", "1e-5">> {
  let summary = "0.5 * x * (1 + erf(x / sqrt(2))), or the tanh form, is Gelu";
  let description = [{
    However it is written: operands in any order, the half at any place or in both terms, the numbers of tanh's argument
    multiplied together, x^3 as a power or products. The literals as six digits keep them, or as half precision does in half precision.
  }];
  let serves = ["Gelu"];
  let before = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %h = clika.constant dense<5.000000e-01> : tensor<f32>
      %o = clika.constant dense<1.000000e+00> : tensor<f32>
      %r = clika.constant dense<1.41421354> : tensor<f32>
      %d = clika.div %x, %r : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %e = clika.erf %d : tensor<4xf32>
      %p = clika.add %e, %o : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %t = clika.mul %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %y = clika.mul %t, %h : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = clika.gelu %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
}

def DecomposedSilu : Clika_Transform<"decomposed_silu", 150, Bounded<"1e-5", "1e-7">> {
  let summary = "x * sigmoid(x), or x / (1 + exp(-x)), is Silu";
  let description = [{
    Operands in any order, the sigmoid as an operator or written out, with literals within a millionth of 1 and -1.
  }];
  let before = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %s = clika.sigmoid %x : tensor<4xf32>
      %y = clika.mul %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = clika.silu %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
}

def FoldBatchNorm : Clika_Transform<"fold_batch_norm", 160, Bounded<"1e-4", "1e-4">> {
  let summary = "BatchNorm after a Conv, Linear or MatMul with constant weights goes into them";
  let description = [{
    Where the folded weights and bias are finite in the dtype. The MatMul becomes a Linear, for the bias. float32 and float64: half
    precision rounds the weights anew, and a sum that cancels shows it; fuse_half_precision does it there.
  }];
  let serves = ["ConvBatchNormalizationFusion", "MatMulBatchNormalizationFusion"];
  let before = [{
    func.func @f(%x: tensor<3x2xf32>) -> tensor<3x1xf32> {
      %w = clika.constant dense<1.000000e+00> : tensor<1x2xf32>
      %m = clika.constant dense<1.000000e+00> : tensor<1xf32>
      %v = clika.constant dense<4.000000e+00> : tensor<1xf32>
      %a = clika.linear %x, %w : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
      %y = clika.batch_norm %a, %m, %v {epsilon = 0.0 : f64} : (tensor<3x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x1xf32>
      return %y : tensor<3x1xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<3x2xf32>) -> tensor<3x1xf32> {
      %0 = clika.constant dense<5.000000e-01> : tensor<1x2xf32>
      %1 = clika.constant dense<-5.000000e-01> : tensor<1xf32>
      %y = clika.linear %x, %0 bias %1 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
      return %y : tensor<3x1xf32>
    }
  }];
}

def MatmulAddToLinear : Clika_Transform<"matmul_add_to_linear", 170> {
  let summary = "MatMul with a constant matrix, plus one number per column, is Linear";
  let description = [{
    float32 and float64, where Linear rounds as the two do.
  }];
  let serves = ["MatMulAdd", "GemmTranspose"];
  let before = [{
    func.func @f(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
      %w = clika.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %b = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %a = clika.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
      %y = clika.add %a, %b : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
      return %y : tensor<3x2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
      %b = clika.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %0 = clika.constant dense<[[1.0, 3.0], [2.0, 4.0]]> : tensor<2x2xf32>
      %y = clika.linear %x, %0 bias %b : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
      return %y : tensor<3x2xf32>
    }
  }];
}

def FuseActivation : Clika_Transform<"fuse_activation", 180> {
  let summary = "An activation with default settings goes into the operator before it that nothing else reads";
  let description = [{
    The operators that have the setting `activation`.
  }];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %y = clika.relu %a : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = clika.add %x, %x {activation = "Relu"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def RemoveDuplicates : Clika_Transform<"remove_duplicates", 190> {
  let summary = "Of nodes that compute the same from the same values with the same settings, the first serves all";
  let serves = ["SameChildren", "SameChildrenFromInput"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.exp %x : tensor<2xf32>
      %b = clika.exp %x : tensor<2xf32>
      %y = clika.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = clika.exp %x : tensor<2xf32>
      %y = clika.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

include "MovePasses.td"
include "OperatorPasses.td"
include "AttentionPasses.td"

#endif
