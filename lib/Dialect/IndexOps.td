// Ops that address elements by index tensors, and that order them: gather, scatter, one_hot, topk, non_zero.
#ifndef CLIKA_INDEX_OPS_TD
#define CLIKA_INDEX_OPS_TD

include "ClikaBase.td"

class Clika_IndexingOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_InferredOp<mnemonic, number, traits> {
  let group = "index";
  let assemblyFormat = [{
    operands `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
}

// A result of the elements of x that `indices` point to.
class Clika_GatherLikeOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_IndexingOp<mnemonic, number, traits> {
  let results = (outs Res<Clika_AnyTensor, "of x's dtype">:$result);
  let exactness = "an index is negative (from the end) or not; one out of range ends the run with an error";
}

def Clika_GatherOp : Clika_GatherLikeOp<"gather", 240, [DeclareOpInterfaceMethods<Clika_ShapeValueOp>]> {
  let summary = "Slices of x along an axis, by index";
  let formula = "result[i, j, k] = x[i, indices[j], k], j at axis";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x, Arg<Clika_IndexTensor, "positions along axis">:$indices,
                       Arg<Clika_Int<"0">, "the axis; negative counts from the end">:$axis, Clika_NodeProp:$node);
  let example = "crt.gather(crt.tensor(np.array([1.0, 2.0, 3.0], np.float32)), crt.tensor(np.array([2, 0])))  # -> [3.0, 1.0]";
  let reference = "np.take(x, indices, axis)";
}

def Clika_GatherElementsOp : Clika_GatherLikeOp<"gather_elements", 241> {
  let summary = "Elements of x along an axis, one index for each element of the result";
  let formula = "result[i, j, k] = x[i, indices[i, j, k], k], the second at axis";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_IndexTensor, "positions along axis; of x's rank, and no larger elsewhere">:$indices,
                       Arg<Clika_Int<"0">, "the axis; negative counts from the end">:$axis, Clika_NodeProp:$node);
  let example = "crt.gather_elements(crt.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)), crt.tensor(np.array([[1, 0]])))  # -> [[3.0, 2.0]]";
}

def Clika_GatherNdOp : Clika_GatherLikeOp<"gather_nd", 242> {
  let summary = "Slices of x at the positions that the rows of indices name";
  let formula = "result[b, i] = x[b, indices[b, i, 0], indices[b, i, 1], …]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_IndexTensor, "positions, one a row of the last dimension">:$indices,
                       Arg<Clika_Int<"0">, "how many leading dimensions x and indices share">:$batch_dims,
                       Clika_NodeProp:$node);
  let example = "crt.gather_nd(crt.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)), crt.tensor(np.array([[0, 1], [1, 0]])))  # -> [2.0, 3.0]";
}

def Clika_ScatterReductionAttr
    : Clika_EnumAttr<"ScatterReduction", ["Replace", "Add", "Mul", "Max", "Min"],
                     "how an update meets the element it is written to">;

// A copy of x with updates written to the elements that `indices` point to.
class Clika_ScatterLikeOp<string mnemonic, int number> : Clika_IndexingOp<mnemonic, number> {
  let results = (outs Res<Clika_AnyTensor, "of x's shape and dtype">:$result);
  let exactness = "updates are applied in row-major order, each rounded to the dtype; an index out of range ends the run with an error";
  let dataInput = "x";
}

def Clika_ScatterElementsOp : Clika_ScatterLikeOp<"scatter_elements", 243> {
  let summary = "x with elements replaced or reduced, one index for each update";
  let formula = "result[i, indices[i, j, k], k] = reduction(result there, updates[i, j, k]), the second at axis";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_IndexTensor, "positions along axis; of x's rank, and no larger elsewhere">:$indices,
                       Arg<Clika_AnyTensor, "of indices' shape and x's dtype">:$updates,
                       Arg<Clika_Int<"0">, "the axis; negative counts from the end">:$axis,
                       Arg<Clika_Enum<Clika_ScatterReductionAttr, "Replace">, "how an update is applied">:$reduction,
                       Clika_NodeProp:$node);
  let example = "crt.scatter_elements(crt.tensor(np.zeros(3, np.float32)), crt.tensor(np.array([2])), crt.tensor(np.array([5.0], np.float32)))  # -> [0.0, 0.0, 5.0]";
}

def Clika_ScatterNdOp : Clika_ScatterLikeOp<"scatter_nd", 244> {
  let summary = "x with slices replaced or reduced at the positions that the rows of indices name";
  let formula = "result[indices[i, 0], indices[i, 1], …] = reduction(result there, updates[i])";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_IndexTensor, "positions, one a row of the last dimension">:$indices,
                       Arg<Clika_AnyTensor, "of x's dtype, one slice for each position">:$updates,
                       Arg<Clika_Enum<Clika_ScatterReductionAttr, "Replace">, "how an update is applied">:$reduction,
                       Clika_NodeProp:$node);
  let example = "crt.scatter_nd(crt.tensor(np.zeros(3, np.float32)), crt.tensor(np.array([[1]])), crt.tensor(np.array([5.0], np.float32)))  # -> [0.0, 5.0, 0.0]";
}

def Clika_OneHotOp : Clika_IndexingOp<"one_hot", 245> {
  let summary = "One value where a new axis meets the index, another elsewhere";
  let formula = "result[i, j] = values[1] if j == indices[i] mod depth else values[0], j at axis";
  let exactness = "an index outside [-depth, depth) marks nothing";
  let arguments = (ins Arg<Clika_NumberTensor, "the positions; fractions are cut off">:$indices,
                       Arg<Clika_AnyTensor, "the value elsewhere and the value at the index, a tensor of two">:$values,
                       Arg<Optional<Clika_NumberTensor>, "the new axis' size, as a tensor of one element">:$depth_tensor,
                       Arg<Clika_Scalar, "the new axis' size">:$depth,
                       Arg<Clika_Int<"-1">, "where in the result the new axis stands">:$axis, Clika_NodeProp:$node);
  let results = (outs Res<Clika_AnyTensor, "of values' dtype">:$result);
  let assemblyFormat = [{
    $indices `,` $values (`depth` $depth_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["depth"];
  let example = "crt.one_hot(crt.tensor(np.array([1])), crt.tensor(np.array([0.0, 1.0], np.float32)), 3)  # -> [[0.0, 1.0, 0.0]]";
}

def Clika_TopkOp : Clika_IndexingOp<"topk", 246> {
  let summary = "The k largest (or smallest) elements along an axis, and where they stand";
  let formula = "values, indices = the first k of x ordered along axis";
  let exactness = "of equal elements the one of the lower index comes first; NaN is larger than any number, -0 equals +0";
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "k, as a tensor of one element">:$k_tensor,
                       Arg<Clika_Scalar, "how many, an integer">:$k,
                       Arg<Clika_Int<"-1">, "the axis; negative counts from the end">:$axis,
                       Arg<Clika_Bool<"true">, "whether the largest are taken">:$largest,
                       Arg<Clika_Bool<"true">, "whether the result must be in order (it always is)">:$sorted,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "the elements">:$values, Res<Clika_Index64Tensor, "their positions along axis">:$indices);
  let assemblyFormat = [{
    $x (`k` $k_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["k"];
  let needsInsert = 1;
  let example = "crt.topk(crt.tensor(np.array([1.0, 3.0, 2.0], np.float32)), 2)[1]  # -> [1, 2]";
}

def Clika_NonZeroOp : Clika_IndexingOp<"non_zero", 247> {
  let summary = "The positions of the elements that are not zero, one a column, in row-major order";
  let formula = "x[result[0, j], result[1, j], …] != 0";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x, Clika_NodeProp:$node);
  let results = (outs Res<Clika_Index64Tensor, "of shape [rank of x, elements found]">:$result);
  let example = "crt.non_zero(crt.tensor(np.array([0.0, 7.0, 8.0], np.float32)))  # -> [[1, 2]]";
  let reference = "np.array(np.nonzero(x) if x.ndim else np.zeros((0, int(x != 0))), np.int64)";
}

#endif
