// Every pointwise op: those of one operand are in PointwiseUnaryOps.td.
#ifndef CLIKA_POINTWISE_OPS_TD
#define CLIKA_POINTWISE_OPS_TD

include "PointwiseBase.td"
include "PointwiseUnaryOps.td"

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// With a fusable tail.
class Clika_FusableBinaryOp<string mnemonic, int number, dag settings = (ins), list<Trait> traits = []>
    : Clika_BinaryOp<mnemonic, number, Clika_NumberTensor, !con(settings, (ins Clika_Activation:$activation)), traits> {
  let hasVerifier = 1;
}

class Clika_AddLikeOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_FusableBinaryOp<mnemonic, number,
                            (ins Arg<Clika_Float<"1.0">, "the factor of b; integral for integer tensors">:$alpha),
                            traits> {
  let exactness = "alpha * b is rounded, then the sum";
}

def Clika_AddOp : Clika_AddLikeOp<"add", 60, [Clika_OperandsCommute]> {
  let summary = "The sum of a and alpha times b";
  let formula = "activation(a + alpha * b)";
  let example = "crt.add(crt.tensor(np.array([1.0, 2.0], np.float32)), 3.0)  # -> [4.0, 5.0]";
  let reference = "activate(activation, a + b * number(alpha, b))";
}

def Clika_SubOp : Clika_AddLikeOp<"sub", 61> {
  let summary = "The difference of a and alpha times b";
  let formula = "activation(a - alpha * b)";
  let example = "crt.sub(crt.tensor(np.array([1.0, 2.0], np.float32)), 3.0)  # -> [-2.0, -1.0]";
  let reference = "activate(activation, a - b * number(alpha, b))";
}

def Clika_MulOp : Clika_FusableBinaryOp<"mul", 62, (ins), [Clika_OperandsCommute]> {
  let summary = "The product of a and b";
  let formula = "activation(a * b)";
  let example = "crt.mul(crt.tensor(np.array([1.0, 2.0], np.float32)), 3.0)  # -> [3.0, 6.0]";
  let reference = "activate(activation, a * b)";
}

def Clika_DivOp : Clika_FusableBinaryOp<"div", 63> {
  let summary = "The quotient of a and b; of integers truncated, and 0 where b is 0";
  let formula = "activation(a / b)";
  let example = "crt.div(crt.tensor(np.array([-7, 7, 7], np.int32)), crt.tensor(np.array([2, 2, 0], np.int32)))  # -> [-3, 3, 0]";
  let reference = "activate(activation, divide(a, b))";
}

def Clika_FloorDivOp : Clika_BinaryOp<"floor_div", 64> {
  let summary = "The largest whole number not above the quotient of a and b; of integers 0 where b is 0";
  let formula = "floor(a / b)";
  let exactness = "floats: the exact quotient is rounded down, not a rounded one";
  let example = "crt.floor_div(crt.tensor(np.array([-7, 7], np.int32)), 2)  # -> [-4, 3]";
  let reference = "floor_divide(a, b)";
}

def Clika_RemainderOp : Clika_BinaryOp<"remainder", 65> {
  let summary = "What a leaves after floor_div by b, with b's sign; of integers 0 where b is 0";
  let formula = "a - b * floor(a / b)";
  let example = "crt.remainder(crt.tensor(np.array([-7, 7], np.int32)), 3)  # -> [2, 1]";
  let reference = "np.remainder(a, b)";
}

def Clika_FmodOp : Clika_BinaryOp<"fmod", 66> {
  let summary = "What a leaves after a truncated division by b, with a's sign; of integers 0 where b is 0";
  let formula = "a - b * truncate(a / b)";
  let example = "crt.fmod(crt.tensor(np.array([-7, 7], np.int32)), 3)  # -> [-1, 1]";
  let reference = "np.fmod(a, b)";
}

def Clika_PowOp : Clika_BinaryOp<"pow", 69> {
  let summary = "a to the power of b; of integers it wraps, and a negative power is truncated towards 0";
  let formula = "a^b";
  let exactness = Clika_Elementary;
  let example = "crt.pow(crt.tensor(np.array([2.0, 3.0], np.float32)), 2.0)  # -> [4.0, 9.0]";
  let reference = "power(a, b)";
}

def Clika_MaximumOp : Clika_BinaryOp<"maximum", 67, Clika_NumberTensor, (ins), [Clika_OperandsCommute]> {
  let summary = "The larger of a and b; a NaN is handed on, and +0 is larger than -0";
  let formula = "maximum(a, b)";
  let example = "crt.maximum(crt.tensor(np.array([1.0, 5.0], np.float32)), 3.0)  # -> [3.0, 5.0]";
  let reference = "maximum(a, b)";
}

def Clika_MinimumOp : Clika_BinaryOp<"minimum", 68, Clika_NumberTensor, (ins), [Clika_OperandsCommute]> {
  let summary = "The smaller of a and b; a NaN is handed on, and -0 is smaller than +0";
  let formula = "minimum(a, b)";
  let example = "crt.minimum(crt.tensor(np.array([1.0, 5.0], np.float32)), 3.0)  # -> [1.0, 3.0]";
  let reference = "minimum(a, b)";
}

def Clika_ClampOp : Clika_BroadcastOp<"clamp", 70, [AttrSizedOperandSegments]> {
  let summary = "x held between a floor and a ceiling, each a literal, a tensor or absent";
  let formula = "minimum(maximum(x, min), max)";
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Optional<Clika_NumberTensor>, "the floor, as a tensor">:$min_tensor,
                       Arg<Optional<Clika_NumberTensor>, "the ceiling, as a tensor">:$max_tensor,
                       Arg<Clika_Scalar, "the floor, as a literal">:$min, Arg<Clika_Scalar, "the ceiling, as a literal">:$max,
                       Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`min` $min_tensor^)? (`max` $max_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["min", "max"];
  let dataInput = "x";
  let hasVerifier = 1;
  let example = "crt.clamp(crt.tensor(np.array([-1.0, 0.5, 9.0], np.float32)), 0.0, 6.0)  # -> [0.0, 0.5, 6.0]";
}

def Clika_PreluOp : Clika_BroadcastOp<"prelu", 71> {
  let summary = "x, times a slope of its own where it is negative";
  let formula = "where(x < 0, slope * x, x)";
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Clika_NumberTensor, "the factors below zero, broadcast to x">:$slope, Clika_NodeProp:$node);
  let assemblyFormat = "$x `,` $slope `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let dataInput = "x";
  let example = "crt.prelu(crt.tensor(np.array([-4.0, 2.0], np.float32)), crt.tensor(np.array([0.25], np.float32)))  # -> [-1.0, 2.0]";
  let reference = "np.where(x < 0, slope * x, x)";
}

def Clika_WhereOp : Clika_PointwiseInferredOp<"where", 72, "inferWhere"> {
  let summary = "a where the condition holds, else b";
  let formula = "condition ? a : b";
  let arguments = (ins Arg<Clika_BoolTensor, "which to take">:$condition, Arg<Clika_AnyTensor, "taken where true">:$a,
                       Arg<Clika_AnyTensor, "taken where false">:$b, Clika_NodeProp:$node);
  let results = (outs Res<Clika_AnyTensor, "of the broadcast shape and a's dtype">:$result);
  let assemblyFormat = "$condition `,` $a `,` $b `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let example = [{
    crt.where(crt.tensor(np.array([True, False])), crt.tensor(np.array([1, 2])), crt.tensor(np.array([7, 8])))  # -> [1, 8]
  }];
  let reference = "np.where(condition, a, b)";
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

class Clika_ComparisonOp<string mnemonic, int number, string symbol, string name, string what, string value,
                         Clika_Tensor tensor = Clika_NumberTensor, list<Trait> traits = []>
    : Clika_CompareOp<mnemonic, number, tensor, traits> {
  let summary = "True where a is " # what # " b";
  let formula = "a " # symbol # " b";
  let example = "crt." # mnemonic # "(crt.tensor(np.array([1.0, 2.0, 3.0], np.float32)), 2.0)  # -> " # value;
  let reference = "np." # name # "(a, b)";
}

def Clika_EqualOp
    : Clika_ComparisonOp<"equal", 73, "==", "equal", "equal to", "[False, True, False]", Clika_AnyTensor,
                         [Clika_OperandsCommute]>;
def Clika_NotEqualOp
    : Clika_ComparisonOp<"not_equal", 74, "!=", "not_equal", "not equal to", "[True, False, True]", Clika_AnyTensor,
                         [Clika_OperandsCommute]>;
def Clika_LessOp : Clika_ComparisonOp<"less", 75, "<", "less", "less than", "[True, False, False]">;
def Clika_LessEqualOp
    : Clika_ComparisonOp<"less_equal", 76, "<=", "less_equal", "less than or equal to", "[True, True, False]">;
def Clika_GreaterOp : Clika_ComparisonOp<"greater", 77, ">", "greater", "greater than", "[False, False, True]">;
def Clika_GreaterEqualOp
    : Clika_ComparisonOp<"greater_equal", 78, ">=", "greater_equal", "greater than or equal to", "[False, True, True]">;

//===----------------------------------------------------------------------===//
// Logic and bits
//===----------------------------------------------------------------------===//

class Clika_LogicalOp<string mnemonic, int number, string word, string what, string value>
    : Clika_BinaryOp<mnemonic, number, Clika_BoolTensor, (ins), [Clika_OperandsCommute]> {
  let summary = "True where " # what;
  let formula = "a " # word # " b";
  let example = "crt." # mnemonic # "(crt.tensor(np.array([True, True, False])), crt.tensor(np.array([True, False, False])))  # -> " # value;
  let reference = "np." # mnemonic # "(a, b)";
}

def Clika_LogicalAndOp : Clika_LogicalOp<"logical_and", 79, "and", "a and b are both true", "[True, False, False]">;
def Clika_LogicalOrOp : Clika_LogicalOp<"logical_or", 80, "or", "a or b is true", "[True, True, False]">;
def Clika_LogicalXorOp : Clika_LogicalOp<"logical_xor", 81, "xor", "one of a and b is true", "[False, True, False]">;

class Clika_BitwiseOp<string mnemonic, int number, string symbol, string what, string value>
    : Clika_BinaryOp<mnemonic, number, Clika_BitsTensor, (ins), [Clika_OperandsCommute]> {
  let summary = "The bits that are set in " # what;
  let formula = "a " # symbol # " b";
  let example = "crt." # mnemonic # "(crt.tensor(np.array([5, 12], np.int32)), 6)  # -> " # value;
  let reference = "np." # mnemonic # "(a, b)";
}

def Clika_BitwiseAndOp : Clika_BitwiseOp<"bitwise_and", 82, "&", "a and in b", "[4, 4]">;
def Clika_BitwiseOrOp : Clika_BitwiseOp<"bitwise_or", 83, "|", "a or in b", "[7, 14]">;
def Clika_BitwiseXorOp : Clika_BitwiseOp<"bitwise_xor", 84, "^", "one of a and b", "[3, 10]">;

class Clika_ShiftOp<string mnemonic, int number, string symbol, string direction, string value>
    : Clika_BinaryOp<mnemonic, number, Clika_IntTensor> {
  let formula = "a " # symbol # " b";
  let exactness = "A shift by the width or more, or by a negative number, leaves " # direction # ".";
  let example = "crt." # mnemonic # "(crt.tensor(np.array([5, -12], np.int32)), 2)  # -> " # value;
}

def Clika_BitwiseLeftShiftOp : Clika_ShiftOp<"bitwise_left_shift", 85, "<<", "0", "[20, -48]"> {
  let summary = "a with its bits moved up by b";
  let reference = "left_shift(a, b)";
}
def Clika_BitwiseRightShiftOp
    : Clika_ShiftOp<"bitwise_right_shift", 86, ">>", "0, or -1 where a is negative", "[1, -3]"> {
  let summary = "a with its bits moved down by b, its sign kept";
  let reference = "right_shift(a, b)";
}

#endif
