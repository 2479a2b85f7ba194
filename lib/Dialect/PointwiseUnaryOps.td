// Pointwise ops of one operand: activations, elementary functions, tests and casts.
#ifndef CLIKA_POINTWISE_UNARY_OPS_TD
#define CLIKA_POINTWISE_UNARY_OPS_TD

include "PointwiseBase.td"

// Bounds of docs/semantics.md, for float32.
defvar Clika_Elementary = "float32: within 4 ulp over the whole range, subnormals included; float64: within 3 ulp";
defvar Clika_Composite =
    "float32: within 4 ulp or 2^-23 * max(1, |x|), whichever is larger; float64: the same of its own precision";

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

def Clika_ReluOp : Clika_UnaryOp<"relu", 20, Clika_NumberTensor> {
  let summary = "The larger of x and zero";
  let formula = "maximum(x, 0)";
  let example = "crt.relu(crt.tensor(np.array([-1.0, 0.5], np.float32)))  # -> [0.0, 0.5]";
  let reference = "np.maximum(x, np.zeros((), x.dtype)) + np.zeros((), x.dtype)";
}

def Clika_LeakyReluOp
    : Clika_UnaryOpWith<"leaky_relu", 23, (ins Arg<Clika_Float<"0.01">, "the factor below zero">:$alpha)> {
  let summary = "x, times alpha where it is negative";
  let formula = "where(x < 0, alpha * x, x)";
  let example = "crt.leaky_relu(crt.tensor(np.array([-4.0, 2.0], np.float32)), alpha=0.25)  # -> [-1.0, 2.0]";
  let reference = "np.where(x < 0, number(alpha, x) * x, x)";
}

def Clika_EluOp : Clika_UnaryOpWith<"elu", 24, (ins Arg<Clika_Float<"1.0">, "the negated limit at -infinity">:$alpha)> {
  let summary = "x, and below zero a curve that levels off at -alpha";
  let formula = "where(x > 0, x, alpha * (e^x - 1))";
  let exactness = Clika_Composite;
  let example = "crt.elu(crt.tensor(np.array([-200.0, 2.0], np.float32)), alpha=0.5)  # -> [-0.5, 2.0]";
  let reference = "np.where(x > 0, x, number(alpha, x) * np.expm1(np.minimum(x, 0)))";
}

def Clika_SeluOp
    : Clika_UnaryOpWith<"selu", 25, (ins
          Arg<Clika_Float<"1.6732632423543772">, "the negated limit at -infinity, before scaling">:$alpha,
          Arg<Clika_Float<"1.0507009873554805">, "the factor of the whole">:$gamma)> {
  let summary = "The scaled exponential linear unit";
  let formula = "gamma * where(x > 0, x, alpha * (e^x - 1))";
  let exactness = Clika_Composite;
  let example = "crt.selu(crt.tensor(np.array([-200.0, 2.0], np.float32)), alpha=0.5, gamma=2.0)  # -> [-1.0, 4.0]";
  let reference = "number(gamma, x) * np.where(x > 0, x, number(alpha, x) * np.expm1(np.minimum(x, 0)))";
}

def Clika_CeluOp
    : Clika_UnaryOpWith<"celu", 46, (ins Arg<Clika_Float<"1.0">, "the scale of the curve; not 0">:$alpha)> {
  let summary = "The continuously differentiable exponential linear unit";
  let formula = "maximum(x, 0) + minimum(alpha * (e^(x / alpha) - 1), 0)";
  let exactness = Clika_Composite;
  let hasVerifier = 1;
  let example = "crt.celu(crt.tensor(np.array([-200.0, 2.0], np.float32)), alpha=0.5)  # -> [-0.5, 2.0]";
  let reference = "np.maximum(x, 0) + np.minimum(number(alpha, x) * np.expm1(x / number(alpha, x)), 0)";
}

def Clika_GeluFormAttr
    : Clika_EnumAttr<"GeluForm", ["Erf", "Tanh"], "how gelu's normal distribution is computed">;

def Clika_GeluOp
    : Clika_UnaryOpWith<"gelu", 26, (ins
          Arg<Clika_Enum<Clika_GeluFormAttr, "Erf">, "Erf, or Tanh for the usual approximation by tanh">:$form)> {
  let summary = "x times the normal distribution's share below x";
  let formula = "x / 2 * (1 + erf(x / sqrt(2))), or x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))";
  let exactness = Clika_Composite;
  let example = "crt.gelu(crt.tensor(np.array([0.0, 8.0], np.float32)))  # -> [0.0, 8.0]";
  let reference = "gelu(x, form)";
}

def Clika_SiluOp : Clika_UnaryOp<"silu", 27> {
  let summary = "x times its sigmoid";
  let formula = "x * sigmoid(x)";
  let exactness = Clika_Composite;
  let example = "crt.silu(crt.tensor(np.array([0.0, 40.0], np.float32)))  # -> [0.0, 40.0]";
  let reference = "x * sigmoid(x)";
}

def Clika_SigmoidOp : Clika_UnaryOp<"sigmoid", 28> {
  let summary = "The logistic function";
  let formula = "1 / (1 + e^-x)";
  let exactness = Clika_Elementary;
  let example = "crt.sigmoid(crt.tensor(np.array([0.0, 40.0], np.float32)))  # -> [0.5, 1.0]";
  let reference = "sigmoid(x)";
}

def Clika_HardSigmoidOp
    : Clika_UnaryOpWith<"hard_sigmoid", 29, (ins
          Arg<Clika_Float<"0.16666666666666666">, "the slope of the line">:$alpha,
          Arg<Clika_Float<"0.5">, "the line's value at zero">:$beta)> {
  let summary = "A line held between 0 and 1";
  let formula = "clamp(alpha * x + beta, 0, 1)";
  let example = "crt.hard_sigmoid(crt.tensor(np.array([-9.0, 0.0, 1.0], np.float32)), alpha=0.25)  # -> [0.0, 0.5, 0.75]";
  let reference = "np.clip(number(alpha, x) * x + number(beta, x), number(0, x), number(1, x)) + number(0, x)";
}

def Clika_HardSwishOp : Clika_UnaryOp<"hard_swish", 30> {
  let summary = "x times its hard sigmoid";
  let formula = "x * clamp(x / 6 + 1 / 2, 0, 1)";
  let exactness = "x / 6 is a product with 1/6 rounded";
  let example = "crt.hard_swish(crt.tensor(np.array([-9.0, 0.0, 9.0], np.float32)))  # -> [0.0, 0.0, 9.0]";
  let reference = "x * (np.clip(number(1 / 6, x) * x + number(0.5, x), number(0, x), number(1, x)) + number(0, x))";
}

def Clika_SoftplusOp
    : Clika_UnaryOpWith<"softplus", 31, (ins
          Arg<Clika_Float<"1.0">, "the sharpness of the bend; not 0">:$beta,
          Arg<Clika_Float<"20.0">, "where beta * x is above it, the result is x">:$threshold)> {
  let summary = "A smooth form of relu";
  let formula = "where(beta * x > threshold, x, log(1 + e^(beta * x)) / beta)";
  let exactness = Clika_Composite;
  let hasVerifier = 1;
  let example = "crt.softplus(crt.tensor(np.array([-200.0, 40.0], np.float32)))  # -> [0.0, 40.0]";
  let reference = "softplus(x, beta, threshold)";
}

def Clika_MishOp : Clika_UnaryOp<"mish", 32> {
  let summary = "x times the hyperbolic tangent of its softplus";
  let formula = "x * tanh(log(1 + e^x))";
  let exactness = Clika_Composite;
  let example = "crt.mish(crt.tensor(np.array([0.0, 40.0], np.float32)))  # -> [0.0, 40.0]";
  let reference = "x * np.tanh(np.logaddexp(x, 0))";
}

def Clika_ThresholdedReluOp
    : Clika_UnaryOpWith<"thresholded_relu", 47, (ins Arg<Clika_Float<"1.0">, "the threshold">:$alpha)> {
  let summary = "x where it is above alpha, else zero";
  let formula = "where(x > alpha, x, 0)";
  let example = "crt.thresholded_relu(crt.tensor(np.array([0.5, 1.0, 2.0], np.float32)))  # -> [0.0, 0.0, 2.0]";
  let reference = "np.where(x > number(alpha, x), x, number(0, x))";
}

def Clika_SoftsignOp : Clika_UnaryOp<"softsign", 48> {
  let summary = "x over one plus its magnitude";
  let formula = "x / (1 + |x|)";
  let example = "crt.softsign(crt.tensor(np.array([-1.0, 3.0], np.float32)))  # -> [-0.5, 0.75]";
  let reference = "x / (number(1, x) + np.abs(x))";
}

def Clika_ShrinkOp
    : Clika_UnaryOpWith<"shrink", 49, (ins
          Arg<Clika_Float<"0.5">, "half the width of the band that becomes zero">:$lambd,
          Arg<Clika_Float<"0.0">, "what is taken off the magnitude outside the band">:$bias)> {
  let summary = "x moved towards zero by a bias, zero near zero";
  let formula = "where(x < -lambd, x + bias, where(x > lambd, x - bias, 0))";
  let example = "crt.shrink(crt.tensor(np.array([-2.0, 0.25, 2.0], np.float32)), bias=1.0)  # -> [-1.0, 0.0, 1.0]";
  let reference = "np.where(x < -number(lambd, x), x + number(bias, x), np.where(x > number(lambd, x), x - number(bias, x), number(0, x)))";
}

//===----------------------------------------------------------------------===//
// Arithmetic and rounding
//===----------------------------------------------------------------------===//

def Clika_NegOp : Clika_UnaryOp<"neg", 21, Clika_NumberTensor> {
  let summary = "The negative of x; integers wrap";
  let formula = "-x";
  let example = "crt.neg(crt.tensor(np.array([1.0, -2.0], np.float32)))  # -> [-1.0, 2.0]";
  let reference = "np.negative(x)";
}

def Clika_AbsOp : Clika_UnaryOp<"abs", 39, Clika_NumberTensor> {
  let summary = "The magnitude of x; the smallest integer stays";
  let formula = "|x|";
  let example = "crt.abs(crt.tensor(np.array([-1.5, 2.0], np.float32)))  # -> [1.5, 2.0]";
  let reference = "np.abs(x)";
}

def Clika_SignOp : Clika_UnaryOp<"sign", 40, Clika_NumberTensor> {
  let summary = "-1, 0 or 1 by the sign of x; both zeros and NaN stay";
  let formula = "x / |x|";
  let example = "crt.sign(crt.tensor(np.array([-3.0, 0.0, 2.0], np.float32)))  # -> [-1.0, 0.0, 1.0]";
  let reference = "np.where(x == 0, x, np.sign(x))";
}

def Clika_SqrtOp : Clika_UnaryOp<"sqrt", 36> {
  let summary = "The square root of x; NaN below zero";
  let formula = "sqrt(x)";
  let example = "crt.sqrt(crt.tensor(np.array([4.0, 9.0], np.float32)))  # -> [2.0, 3.0]";
  let reference = "np.sqrt(x)";
}

def Clika_RsqrtOp : Clika_UnaryOp<"rsqrt", 37> {
  let summary = "One over the square root of x";
  let formula = "1 / sqrt(x)";
  let exactness = "the root is rounded, then the quotient";
  let example = "crt.rsqrt(crt.tensor(np.array([4.0, 16.0], np.float32)))  # -> [0.5, 0.25]";
  let reference = "number(1, x) / np.sqrt(x)";
}

def Clika_ReciprocalOp : Clika_UnaryOp<"reciprocal", 38> {
  let summary = "One over x";
  let formula = "1 / x";
  let example = "crt.reciprocal(crt.tensor(np.array([4.0, -2.0], np.float32)))  # -> [0.25, -0.5]";
  let reference = "number(1, x) / x";
}

def Clika_FloorOp : Clika_UnaryOp<"floor", 41, Clika_NumberTensor> {
  let summary = "The largest whole number not above x";
  let formula = "floor(x)";
  let example = "crt.floor(crt.tensor(np.array([-1.5, 2.5], np.float32)))  # -> [-2.0, 2.0]";
  let reference = "np.floor(x)";
}

def Clika_CeilOp : Clika_UnaryOp<"ceil", 42, Clika_NumberTensor> {
  let summary = "The smallest whole number not below x";
  let formula = "ceil(x)";
  let example = "crt.ceil(crt.tensor(np.array([-1.5, 2.5], np.float32)))  # -> [-1.0, 3.0]";
  let reference = "np.ceil(x)";
}

def Clika_RoundOp : Clika_UnaryOp<"round", 43, Clika_NumberTensor> {
  let summary = "The whole number nearest to x, of two the even one";
  let formula = "round_half_to_even(x)";
  let example = "crt.round(crt.tensor(np.array([0.5, 1.5, 2.6], np.float32)))  # -> [0.0, 2.0, 3.0]";
  let reference = "rint(x)";
}

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

def Clika_ExpOp : Clika_UnaryOp<"exp", 22> {
  let summary = "e to the power of x";
  let formula = "e^x";
  let exactness = Clika_Elementary;
  let example = "crt.exp(crt.tensor(np.array([0.0, 1.0], np.float32)))  # -> [1.0, 2.7182817]";
  let reference = "np.exp(x)";
}

def Clika_LogOp : Clika_UnaryOp<"log", 35> {
  let summary = "The natural logarithm of x; NaN below zero";
  let formula = "log(x)";
  let exactness = Clika_Elementary;
  let example = "crt.log(crt.tensor(np.array([1.0, np.inf], np.float32)))  # -> [0.0, np.inf]";
  let reference = "np.log(x)";
}

def Clika_TanhOp : Clika_UnaryOp<"tanh", 33> {
  let summary = "The hyperbolic tangent of x";
  let formula = "tanh(x)";
  let exactness = Clika_Elementary;
  let example = "crt.tanh(crt.tensor(np.array([-40.0, 0.0], np.float32)))  # -> [-1.0, 0.0]";
  let reference = "np.tanh(x)";
}

def Clika_ErfOp : Clika_UnaryOp<"erf", 34> {
  let summary = "The error function of x";
  let formula = "2 / sqrt(pi) * integral of e^-t^2 from 0 to x";
  let exactness = Clika_Elementary;
  let example = "crt.erf(crt.tensor(np.array([-40.0, 0.0], np.float32)))  # -> [-1.0, 0.0]";
  let reference = "erf(x)";
}

// The functions that semantics.md sets no bound for: `name` is NumPy's.
class Clika_FunctionOp<string mnemonic, int number, string name, string what> : Clika_UnaryOp<mnemonic, number> {
  let summary = what;
  let formula = mnemonic # "(x)";
  let exactness = Clika_Elementary;
  let example = "crt." # mnemonic # "(crt.tensor(np.array([0.0], np.float32)))  # -> [0.0]";
  let reference = "np." # name # "(x)";
}

def Clika_SinOp : Clika_FunctionOp<"sin", 44, "sin", "The sine of x, an angle in radians">;
def Clika_CosOp : Clika_FunctionOp<"cos", 45, "cos", "The cosine of x, an angle in radians"> {
  let example = "crt.cos(crt.tensor(np.array([0.0], np.float32)))  # -> [1.0]";
}
def Clika_TanOp : Clika_FunctionOp<"tan", 55, "tan", "The tangent of x, an angle in radians">;
def Clika_AsinOp : Clika_FunctionOp<"asin", 56, "arcsin", "The angle in radians whose sine is x; NaN outside [-1, 1]">;
def Clika_AcosOp
    : Clika_FunctionOp<"acos", 57, "arccos", "The angle in radians whose cosine is x; NaN outside [-1, 1]"> {
  let example = "crt.acos(crt.tensor(np.array([1.0], np.float32)))  # -> [0.0]";
}
def Clika_AtanOp : Clika_FunctionOp<"atan", 58, "arctan", "The angle in radians whose tangent is x">;
def Clika_SinhOp : Clika_FunctionOp<"sinh", 87, "sinh", "The hyperbolic sine of x">;
def Clika_CoshOp : Clika_FunctionOp<"cosh", 88, "cosh", "The hyperbolic cosine of x"> {
  let example = "crt.cosh(crt.tensor(np.array([0.0], np.float32)))  # -> [1.0]";
}
def Clika_AsinhOp : Clika_FunctionOp<"asinh", 89, "arcsinh", "The number whose hyperbolic sine is x">;
def Clika_AcoshOp
    : Clika_FunctionOp<"acosh", 90, "arccosh", "The number at or above 0 whose hyperbolic cosine is x; NaN below 1"> {
  let example = "crt.acosh(crt.tensor(np.array([1.0], np.float32)))  # -> [0.0]";
}
def Clika_AtanhOp
    : Clika_FunctionOp<"atanh", 91, "arctanh", "The number whose hyperbolic tangent is x; NaN outside [-1, 1]">;

//===----------------------------------------------------------------------===//
// Identity, negation of bits, tests, cast
//===----------------------------------------------------------------------===//

def Clika_IdentityOp : Clika_UnaryOp<"identity", 92, Clika_AnyTensor> {
  let summary = "x itself";
  let formula = "x";
  let hasFolder = 1;
  let example = "crt.identity(crt.tensor(np.array([1, 2], np.int32)))  # -> [1, 2]";
  let reference = "x";
}

def Clika_LogicalNotOp : Clika_UnaryOp<"logical_not", 50, Clika_BoolTensor> {
  let summary = "True where x is false";
  let formula = "not x";
  let example = "crt.logical_not(crt.tensor(np.array([True, False])))  # -> [False, True]";
  let reference = "np.logical_not(x)";
}

def Clika_BitwiseNotOp : Clika_UnaryOp<"bitwise_not", 51, Clika_BitsTensor> {
  let summary = "x with every bit inverted";
  let formula = "~x";
  let example = "crt.bitwise_not(crt.tensor(np.array([0, 5], np.int32)))  # -> [-1, -6]";
  let reference = "np.bitwise_not(x)";
}

def Clika_IsNanOp : Clika_UnaryTestOp<"is_nan", 52> {
  let summary = "True where x is not a number";
  let formula = "x != x";
  let example = "crt.is_nan(crt.tensor(np.array([1.0, np.nan], np.float32)))  # -> [False, True]";
  let reference = "np.isnan(x)";
}

def Clika_IsInfOp
    : Clika_UnaryTestOp<"is_inf", 53, (ins Arg<Clika_Bool<"true">, "whether -infinity counts">:$detect_negative,
                                           Arg<Clika_Bool<"true">, "whether +infinity counts">:$detect_positive)> {
  let summary = "True where x is infinite";
  let formula = "|x| == infinity";
  let example = "crt.is_inf(crt.tensor(np.array([1.0, -np.inf], np.float32)))  # -> [False, True]";
  let reference = "(np.isneginf(x) & detect_negative) | (np.isposinf(x) & detect_positive)";
}

def Clika_CastOp : Clika_PointwiseBase<"cast", 54, [InferTypeOpAdaptorWithIsCompatible]> {
  let summary = "x converted to another dtype";
  let formula = "dtype(x)";
  let exactness = [{
    To a float: rounded to nearest, half to even. Float to integer: truncated, held in the dtype's range, NaN is 0. Integer to integer:
    wraps. To bool: true where x is not zero (NaN included).
  }];
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x, Arg<Clika_DType, "the dtype of the result">:$dtype,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_AnyTensor, "of x's shape">:$result);
  let assemblyFormat = "$x `to` $dtype `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let dataInput = "x";
  let hasFolder = 1;
  let example = "crt.cast(crt.tensor(np.array([-1.5, 300.0], np.float32)), crt.uint8)  # -> [0, 255]";
  let reference = "cast(x, dtype)";
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
      return ::clika::compatibleTypes(inferred, actual);
    }
  }];
}

#endif
