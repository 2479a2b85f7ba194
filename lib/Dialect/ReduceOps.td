#ifndef CLIKA_REDUCE_OPS_TD
#define CLIKA_REDUCE_OPS_TD

include "ClikaBase.td"

// One number for all elements along some dimensions.
class Clika_ReduceBase<string mnemonic, int number, Clika_Tensor tensor> : Clika_InferredOp<mnemonic, number> {
  let group = "reduce";
  let dataInput = "x";
  let exactness = "docs/semantics.md's order of sums; half types accumulate in float32 and are rounded once; integers wrap";
  let arguments = (ins Arg<tensor, "the input">:$x,
                       Arg<Clika_Ints<"{}">, "the dimensions reduced, negative ones counted from the end; {}: all">:$axes,
                       Arg<Clika_Bool<"false">, "whether a reduced dimension stays, with size 1">:$keepdims, Clika_NodeProp:$node);
  let results = (outs Res<tensor, "the reduced tensor">:$result);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

def Clika_ReduceSumOp : Clika_ReduceBase<"reduce_sum", 170, Clika_NumberTensor> {
  let summary = "The sum over some dimensions; 0 over no elements";
  let formula = "sum over axes of x";
  let example = "crt.reduce_sum(crt.tensor(np.array([[1, 2], [3, 4]], np.float32)), axes=[1])  # -> [3.0, 7.0]";
}

def Clika_ReduceMeanOp : Clika_ReduceBase<"reduce_mean", 171, Clika_NumberTensor> {
  let summary = "The mean over some dimensions; NaN (for integers 0) over no elements";
  let formula = "(sum over axes of x) / count";
  let exactness = "reduce_sum, then one division; half types are rounded once; integers wrap, and divide as div does";
  let example = "crt.reduce_mean(crt.tensor(np.array([[1, 2], [3, 4]], np.float32)), axes=[1])  # -> [1.5, 3.5]";
}

def Clika_ReduceMaxOp : Clika_ReduceBase<"reduce_max", 172, Clika_AnyTensor> {
  let summary = "The largest element over some dimensions; a NaN is handed on; the lowest value over no elements";
  let formula = "max over axes of x";
  let exactness = "exact";
  let example = "crt.reduce_max(crt.tensor(np.array([[1, 2], [3, 4]], np.float32)), axes=[1])  # -> [2.0, 4.0]";
}

def Clika_ReduceMinOp : Clika_ReduceBase<"reduce_min", 173, Clika_AnyTensor> {
  let summary = "The smallest element over some dimensions; a NaN is handed on; the highest value over no elements";
  let formula = "min over axes of x";
  let exactness = "exact";
  let example = "crt.reduce_min(crt.tensor(np.array([[1, 2], [3, 4]], np.float32)), axes=[1])  # -> [1.0, 3.0]";
}

def Clika_ReduceProdOp : Clika_ReduceBase<"reduce_prod", 174, Clika_NumberTensor> {
  let summary = "The product over some dimensions; 1 over no elements";
  let formula = "product over axes of x";
  let example = "crt.reduce_prod(crt.tensor(np.array([[1, 2], [3, 4]], np.float32)), axes=[1])  # -> [2.0, 12.0]";
}

def Clika_ReduceL1Op : Clika_ReduceBase<"reduce_l1", 175, Clika_NumberTensor> {
  let summary = "The sum of absolute values over some dimensions";
  let formula = "sum over axes of |x|";
  let example = "crt.reduce_l1(crt.tensor(np.array([[1, -2], [-3, 4]], np.float32)), axes=[1])  # -> [3.0, 7.0]";
}

def Clika_ReduceL2Op : Clika_ReduceBase<"reduce_l2", 176, Clika_FloatTensor> {
  let summary = "The Euclidean norm over some dimensions";
  let formula = "sqrt(sum over axes of x * x)";
  let exactness = "each square is rounded, then docs/semantics.md's order of sums, then the root; half types are rounded once";
  let example = "crt.reduce_l2(crt.tensor(np.array([[3, 4], [6, 8]], np.float32)), axes=[1])  # -> [5.0, 10.0]";
}

def Clika_ReduceLogsumexpOp : Clika_ReduceBase<"reduce_logsumexp", 177, Clika_FloatTensor> {
  let summary = "The logarithm of the sum of exponentials over some dimensions, without overflow; -inf over no elements";
  let formula = "m + log(sum over axes of e^(x - m)), m = max over axes of x";
  let exactness = "4 ulp or 2^-23 * max(1, |x|), the larger, plus the sum's error; a row of -inf gives NaN; half types are rounded once";
  let example = "crt.reduce_logsumexp(crt.tensor(np.array([1000.0, 1000.0], np.float32)))  # -> 1000.6932";
}

def Clika_ReduceSumsqOp : Clika_ReduceBase<"reduce_sumsq", 178, Clika_NumberTensor> {
  let summary = "The sum of squares over some dimensions";
  let formula = "sum over axes of x * x";
  let exactness = "each square is rounded, then docs/semantics.md's order of sums; half types are rounded once; integers wrap";
  let example = "crt.reduce_sumsq(crt.tensor(np.array([[1, 2], [3, 4]], np.float32)), axes=[1])  # -> [5.0, 25.0]";
}

class Clika_ArgBase<string mnemonic, int number> : Clika_InferredOp<mnemonic, number> {
  let group = "reduce";
  let dataInput = "x";
  let exactness = "exact; no elements along the axis is an error";
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Clika_OptionalInt, "the dimension searched, negative counted from the end; none: all elements, "
                                              "as one row">:$axis,
                       Arg<Clika_Bool<"false">, "whether the searched dimension stays, with size 1">:$keepdims,
                       Arg<Clika_Bool<"false">, "whether the last of equal elements counts, not the first">:$select_last,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_Index64Tensor, "the positions along the dimension">:$result);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

def Clika_ArgmaxOp : Clika_ArgBase<"argmax", 179> {
  let summary = "Where the largest element along a dimension is; a NaN counts as largest";
  let formula = "argmax over axis of x";
  let example = "crt.argmax(crt.tensor(np.array([[1, 5], [7, 2]], np.float32)), axis=1)  # -> [1, 0]";
}

def Clika_ArgminOp : Clika_ArgBase<"argmin", 180> {
  let summary = "Where the smallest element along a dimension is; a NaN counts as smallest";
  let formula = "argmin over axis of x";
  let example = "crt.argmin(crt.tensor(np.array([[1, 5], [7, 2]], np.float32)), axis=1)  # -> [0, 1]";
}

def Clika_CumsumOp : Clika_InferredOp<"cumsum", 181> {
  let summary = "The running sum along a dimension";
  let group = "reduce";
  let dataInput = "x";
  let formula = "result[i] = sum over j <= i of x[j]; exclusive: j < i; reverse: j >= i (exclusive: j > i)";
  let exactness = "one accumulator from the first element on (reverse: from the last); half types accumulate in float32; integers wrap";
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Clika_Int<"-1">, "the dimension summed along, negative counted from the end">:$axis,
                       Arg<Clika_Bool<"false">, "whether an element's own value is left out of its sum">:$exclusive,
                       Arg<Clika_Bool<"false">, "whether the sums run from the end">:$reverse, Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "of x's shape">:$result);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let example = "crt.cumsum(crt.tensor(np.array([1, 2, 3], np.float32)))  # -> [1.0, 3.0, 6.0]";
}

#endif
