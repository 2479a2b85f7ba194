// Transforms of casts, conditions and other pointwise operators, and of what goes into a convolution or product.
#ifndef CLIKA_TRANSFORMS_OPERATOR_PASSES_TD
#define CLIKA_TRANSFORMS_OPERATOR_PASSES_TD

include "TransformBase.td"

def MergeCasts : Clika_Transform<"merge_casts", 42> {
  let summary = "A cast of a cast that keeps every number is one, or none where it undoes it";
  let serves = ["CastCast"];
  let before = [{
    func.func @f(%x: tensor<2xi8>) -> tensor<2xf32> {
      %a = clika.cast %x to i32 : (tensor<2xi8>) -> tensor<2xi32>
      %y = clika.cast %a to f32 : (tensor<2xi32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xi8>) -> tensor<2xf32> {
      %y = clika.cast %x to f32 : (tensor<2xi8>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def NarrowCasts : Clika_Transform<"narrow_casts", 44> {
  let summary = "Casts around an operator that gives the same bits in the dtype before them go";
  let description = [{
    Comparisons, minimum, maximum, where and bits of two casts that keep every number. One operator between a cast to a wider dtype
    and the cast back: half precision in float32, which is how operators compute it; moves and selections; sums, products, quotients
    and roots of floats in one of more than twice the digits; sums, products and bits of integers, which wrap.
  }];
  let serves = ["CastCastBinary", "CastOpCast", "CastLayerNormalizationCast"];
  let before = [{
    func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> {
      %a = clika.cast %x to f32 : (tensor<2xf16>) -> tensor<2xf32>
      %b = clika.exp %a : tensor<2xf32>
      %y = clika.cast %b to f16 : (tensor<2xf32>) -> tensor<2xf16>
      return %y : tensor<2xf16>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> {
      %y = clika.exp %x : tensor<2xf16>
      return %y : tensor<2xf16>
    }
  }];
}

def RemoveDoubleNot : Clika_Transform<"remove_double_not", 52> {
  let summary = "LogicalNot(LogicalNot(x)) is x, and BitwiseNot(BitwiseNot(x)) too";
  let serves = ["NotNot"];
  let before = [{
    func.func @f(%x: tensor<2xi1>) -> tensor<2xi1> {
      %a = clika.logical_not %x : tensor<2xi1>
      %b = clika.logical_not %a : tensor<2xi1>
      %y = clika.logical_and %b, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
      return %y : tensor<2xi1>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xi1>) -> tensor<2xi1> {
      %y = clika.logical_and %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
      return %y : tensor<2xi1>
    }
  }];
}

def SimplifyWhere : Clika_Transform<"simplify_where", 54> {
  let summary = "where(not c, a, b) is where(c, b, a); f(where(c, k, l)) of constants is where(c, f(k), f(l)); where(c, f(a), f(b)) is f(where(c, a, b))";
  let description = [{
    f may have other operands: constants in the second form, the same on both branches in the third, where neither branch may have
    another reader or be broadcast.
  }];
  let serves = ["NotWhere", "WhereAdd"];
  let before = [{
    func.func @f(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>, %k: tensor<2xf32>) -> tensor<2xf32> {
      %p = clika.add %a, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %q = clika.add %b, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %y = clika.where %c, %p, %q : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>) -> tensor<2xf32> {
      %0 = clika.where %x, %arg1, %arg2 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %y = clika.add %0, %arg3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def FoldPadIntoConv : Clika_Transform<"fold_pad_into_conv", 155> {
  let summary = "A pad with zeros before a Conv, that nothing else reads, goes into the Conv's pads";
  let serves = ["PadConv"];
  let before = [{
    func.func @f(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x4xf32> {
      %a = clika.pad %x {axes = array<i64: 2>, pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
      %y = clika.conv %a, %w : (tensor<1x1x6xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
      return %y : tensor<1x1x4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x1x4xf32>, %arg1: tensor<1x1x3xf32>) -> tensor<1x1x4xf32> {
      %y = clika.conv %x, %arg1 {pads = array<i64: 1, 1>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
      return %y : tensor<1x1x4xf32>
    }
  }];
}

def DecomposedRelu : Clika_Transform<"decomposed_relu", 105> {
  let summary = "maximum(x, 0) is Relu, and where(x > 0, x, alpha * x) is LeakyRelu";
  let description = [{
    Operands in any order; the zero is +0, and alpha positive.
  }];
  let serves = ["MaxRelu", "LeakyRelu"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %k = clika.constant dense<0.0> : tensor<f32>
      %y = clika.maximum %x, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
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

def Reassociate : Clika_Transform<"reassociate", 112> {
  let summary = "Of op(op(x, a), b) the two smaller operands are joined first, where no bit depends on the order";
  let description = [{
    Sums and products of integers, minimum, maximum, logic and bits.
  }];
  let serves = ["SwitchOrderBinary"];
  let before = [{
    func.func @f(%x: tensor<4xi32>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<4xi32> {
      %p = clika.add %x, %a : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      %y = clika.add %p, %b : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      return %y : tensor<4xi32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<4xi32> {
      %0 = clika.add %arg1, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %y = clika.add %x, %0 : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
      return %y : tensor<4xi32>
    }
  }];
}

def ShiftRange : Clika_Transform<"shift_range", 113> {
  let summary = "A number added to a range of integers, or taken away, goes into its bounds";
  let description = [{
    Literals, or tensors of one element where the range's length is known, or where all are sizes: those do not wrap.
  }];
  let serves = ["SwapRangeAddScalar"];
  let before = [{
    func.func @f() -> tensor<3xi64> {
      %k = clika.constant dense<10> : tensor<i64>
      %a = clika.range {limit = 3 : i64} : () -> tensor<3xi64>
      %y = clika.add %a, %k : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
      return %y : tensor<3xi64>
    }
  }];
  let after = [{
    func.func @f() -> tensor<3xi64> {
      %y = clika.range {dtype = i64, limit = 13 : i64, start = 10 : i64} : () -> tensor<3xi64>
      return %y : tensor<3xi64>
    }
  }];
}

def MergeScales : Clika_Transform<"merge_scales", 114, Bounded<"1e-5", "1e-7">> {
  let summary = "Two products or quotients by numbers are one product";
  let description = [{
    Both numbers must be at least 1 in size, or both at most 1: else the first could overflow where both together do not.
  }];
  let serves = ["MulMulMulScalar"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %k = clika.constant dense<3.0> : tensor<f32>
      %l = clika.constant dense<5.0> : tensor<f32>
      %a = clika.mul %x, %k : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %y = clika.mul %l, %a : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = clika.constant dense<1.500000e+01> : tensor<f32>
      %y = clika.mul %x, %0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def DecomposedRmsNorm : Clika_Transform<"decomposed_rms_norm", 132, Bounded<"1e-5", "1e-5">> {
  let summary = "x / sqrt(mean(x * x) + epsilon), and a scale of the last dimension after it, is RmsNorm";
  let description = [{
    The square as a product or a power, the mean also as a sum divided, the root as a quotient, power, rsqrt or reciprocal, the scale
    before x or after it. float32 and float64: half precision rounds the mean, which RmsNorm does not. A scale of RmsNorm goes
    into it in half precision too; between casts, narrow_casts makes the whole one norm.
  }];
  let serves = ["RMSNormalization", "RMSNormalizationMul"];
  let before = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %k = clika.constant dense<1.000000e-05> : tensor<f32>
      %q = clika.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %m = clika.reduce_mean %q {axes = array<i64: 0>, keepdims = true} : (tensor<4xf32>) -> tensor<1xf32>
      %a = clika.add %m, %k : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
      %s = clika.sqrt %a : tensor<1xf32>
      %y = clika.div %x, %s : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = clika.rms_norm %x {epsilon = 9.9999997473787516E-6 : f64} : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
}

def ReciprocalMulToDiv : Clika_Transform<"reciprocal_mul_to_div", 135, Bounded<"1e-6", "1e-6">> {
  let summary = "x * (1 / y) is x / y where 1 / y cannot overflow";
  let description = [{
    Where y is a square root, or an integer as a float.
  }];
  let serves = ["DivMul"];
  let before = [{
    func.func @f(%x: tensor<2xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {
      %r = clika.sqrt %z : tensor<2xf32>
      %a = clika.reciprocal %r : tensor<2xf32>
      %y = clika.mul %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
      %r = clika.sqrt %arg1 : tensor<2xf32>
      %y = clika.div %x, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def FoldTransposeIntoMatmul : Clika_Transform<"fold_transpose_into_matmul", 153> {
  let summary = "A transpose of the last two dimensions before a MatMul is a setting of the MatMul";
  let serves = ["TransposeMatMul"];
  let before = [{
    func.func @f(%x: tensor<3x2xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %a = clika.transpose %x {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
      %y = clika.matmul %a, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<3x2xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %y = clika.matmul %x, %arg1 {transpose_a = true} : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }
  }];
}

def DropMatmulReshapes : Clika_Transform<"drop_matmul_reshapes", 154> {
  let summary = "Reshapes around a MatMul or Linear that only flatten rows or batches, and undo it, go";
  let description = [{
    Rows: the second operand is a matrix. Batches: both operands are reshaped alike.
  }];
  let serves = ["ReshapeMatMulReshape", "MatMulReshape2Of3"];
  let before = [{
    func.func @f(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
      %a = clika.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
      %b = clika.matmul %a, %w : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
      %y = clika.reshape %b {shape = array<i64: 2, 3, 5>} : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
      return %y : tensor<2x3x5xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
      %y = clika.matmul %x, %arg1 : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
      return %y : tensor<2x3x5xf32>
    }
  }];
}

def MatmulScale : Clika_Transform<"matmul_scale", 156, Bounded<"1e-4", "1e-4">> {
  let summary = "Numbers that a MatMul's operands are multiplied or divided by go into a constant operand, or into one product after it";
  let description = [{
    float32 and float64, and numbers between 2^-20 and 2^20. Where neither operand is constant, both must be scaled.
  }];
  let serves = ["MulMulMatMul"];
  let before = [{
    func.func @f(%x: tensor<1x2xf32>, %z: tensor<2x1xf32>) -> tensor<1x1xf32> {
      %k = clika.constant dense<3.0> : tensor<f32>
      %l = clika.constant dense<5.0> : tensor<f32>
      %a = clika.mul %x, %k : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
      %b = clika.mul %z, %l : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
      %y = clika.matmul %a, %b : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
      return %y : tensor<1x1xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x2xf32>, %arg1: tensor<2x1xf32>) -> tensor<1x1xf32> {
      %0 = clika.matmul %x, %arg1 : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
      %1 = clika.constant dense<1.500000e+01> : tensor<f32>
      %y = clika.mul %0, %1 : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
      return %y : tensor<1x1xf32>
    }
  }];
}

def FoldScaleAndShift : Clika_Transform<"fold_scale_and_shift", 172, Bounded<"1e-4", "1e-4">> {
  let summary = "A product, quotient, sum or difference of a Conv, Linear or MatMul with constant weights, and one constant number for each channel, goes into the weights and the bias";
  let description = [{
    float32 and float64. A number added to a MatMul is matmul_add_to_linear's.
  }];
  let serves = ["ConvMulFusion", "ConvAddFusion", "GemmSumFusion", "MatMulScaleFusion"];
  let before = [{
    func.func @f(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
      %w = clika.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
      %k = clika.constant dense<[[3.0], [5.0]]> : tensor<2x1xf32>
      %a = clika.conv %x, %w : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
      %y = clika.mul %a, %k : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
      return %y : tensor<1x2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x1x3xf32>) -> tensor<1x2x3xf32> {
      %0 = clika.constant dense<[[[3.000000e+00]], [[1.000000e+01]]]> : tensor<2x1x1xf32>
      %y = clika.conv %x, %0 : (tensor<1x1x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
      return %y : tensor<1x2x3xf32>
    }
  }];
}

def DropZeroBias : Clika_Transform<"drop_zero_bias", 174, Bounded<"0.0", "0.0">> {
  let summary = "A bias of zeros of a Conv, ConvTranspose or Linear goes";
  let description = [{
    Only the sign of a zero may change.
  }];
  let serves = ["ConvBiasNull"];
  let before = [{
    func.func @f(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>) -> tensor<1x3xf32> {
      %k = clika.constant dense<0.0> : tensor<3xf32>
      %y = clika.linear %x, %w bias %k : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xf32>
      return %y : tensor<1x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x2xf32>, %arg1: tensor<3x2xf32>) -> tensor<1x3xf32> {
      %y = clika.linear %x, %arg1 : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<1x3xf32>
      return %y : tensor<1x3xf32>
    }
  }];
}

#endif
