// Ops that move, select and make elements by position: reshape, transpose, concat, slice, pad, …
#ifndef CLIKA_SHAPE_OPS_TD
#define CLIKA_SHAPE_OPS_TD

include "ClikaBase.td"

class Clika_ShapeOp<string mnemonic, int number, list<Trait> traits = []>
    : Clika_InferredOp<mnemonic, number, traits> {
  let group = "shape";
  let assemblyFormat = [{
    operands `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
}

// One data operand and no other.
class Clika_MoveOp<string mnemonic, int number, list<Trait> traits = []> : Clika_ShapeOp<mnemonic, number, traits> {
  let results = (outs Res<Clika_AnyTensor, "of x's dtype">:$result);
  let dataInput = "x";
}

// An op whose result's elements may be known sizes: see ShapeValues.h.
defvar Clika_KnowsValues = [DeclareOpInterfaceMethods<Clika_ShapeValueOp>];

def Clika_ReshapeOp : Clika_MoveOp<"reshape", 200, Clika_KnowsValues> {
  let summary = "The elements of x in row-major order, in another shape";
  let formula = "result.flat[i] = x.flat[i]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "the shape, as a 1-d tensor">:$shape_tensor,
                       Arg<Clika_Ints<"{}">, "the shape; one -1 stands for what the others leave">:$shape,
                       Arg<Clika_Bool<"false">, "whether 0 is a size; otherwise it copies x's size there">:$allow_zero,
                       Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`shape` $shape_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["shape"];
  let example = "crt.reshape(crt.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)), [-1])  # -> [1.0, 2.0, 3.0, 4.0]";
}

def Clika_TransposeOp : Clika_MoveOp<"transpose", 201> {
  let summary = "x with its dimensions in another order";
  let formula = "result.shape[i] = x.shape[perm[i]]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_Ints<"{}">, "the order of dimensions; empty: reversed">:$perm, Clika_NodeProp:$node);
  let example = "crt.transpose(crt.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)))  # -> [[1.0, 3.0], [2.0, 4.0]]";
  let reference = "np.transpose(x, perm or None)";
}

def Clika_ConcatOp : Clika_ShapeOp<"concat", 202, Clika_KnowsValues> {
  let summary = "Tensors joined along an axis";
  let formula = "result = inputs[0] then inputs[1] then … along axis";
  let arguments = (ins Arg<Variadic<Clika_AnyTensor>, "the tensors, of one dtype and of one shape but for axis">:$inputs,
                       Arg<Clika_Int<"0">, "the axis; negative counts from the end">:$axis, Clika_NodeProp:$node);
  let results = (outs Res<Clika_AnyTensor, "of the inputs' dtype">:$result);
  let assemblyFormat = "$inputs `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let dataInput = "inputs";
  let example = "crt.concat([crt.tensor(np.array([1.0], np.float32)), crt.tensor(np.array([2.0, 3.0], np.float32))])  # -> [1.0, 2.0, 3.0]";
  let reference = "np.concatenate(inputs, axis)";
}

def Clika_SplitOp : Clika_ShapeOp<"split", 203, Clika_KnowsValues> {
  let summary = "x cut along an axis";
  let formula = "concat(parts, axis) = x";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "the parts' sizes, as a 1-d tensor">:$sizes_tensor,
                       Arg<Clika_Ints<"{}">, "the parts' sizes">:$sizes,
                       Arg<Clika_Int<"0">, "instead of sizes: the number of parts, the last of them smaller where it does not divide">:$num,
                       Arg<Clika_Int<"0">, "the axis; negative counts from the end">:$axis, Clika_NodeProp:$node);
  let results = (outs Res<Variadic<Clika_AnyTensor>, "the parts, of x's dtype">:$parts);
  let assemblyFormat = [{
    $x (`sizes` $sizes_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["sizes"];
  let needsInsert = 1;
  let example = "crt.split(crt.tensor(np.array([1.0, 2.0, 3.0], np.float32)), [1, 2])[1]  # -> [2.0, 3.0]";
}

def Clika_SliceOp : Clika_MoveOp<"slice", 204, !listconcat(Clika_KnowsValues, [AttrSizedOperandSegments])> {
  let summary = "Every step-th element from starts up to ends, along some axes";
  let formula = "result = x[starts:ends:steps] along axes";
  let description = [{
    Bounds count from the end where negative and are clamped to the tensor. A negative step walks backwards; a
    bound below -size then stands for the place before the first element.
  }];
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "the first positions, as a 1-d tensor">:$starts_tensor,
                       Arg<Optional<Clika_IndexTensor>, "the ends, as a 1-d tensor">:$ends_tensor,
                       Arg<Optional<Clika_IndexTensor>, "the axes, as a 1-d tensor">:$axes_tensor,
                       Arg<Optional<Clika_IndexTensor>, "the steps, as a 1-d tensor">:$steps_tensor,
                       Arg<Clika_Ints<"{}">, "the first positions">:$starts,
                       Arg<Clika_Ints<"{}">, "the ends (exclusive)">:$ends,
                       Arg<Clika_Ints<"{}">, "the axes; empty: the first ones">:$axes,
                       Arg<Clika_Ints<"{}">, "the steps, not 0; empty: all 1">:$steps, Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`starts` $starts_tensor^)? (`ends` $ends_tensor^)? (`axes` $axes_tensor^)? (`steps` $steps_tensor^)?
    `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["starts", "ends", "axes", "steps"];
  let example = "crt.slice(crt.tensor(np.array([1.0, 2.0, 3.0, 4.0], np.float32)), [1], [4], [0], [2])  # -> [2.0, 4.0]";
}

def Clika_PadModeAttr
    : Clika_EnumAttr<"PadMode", ["Constant", "Reflect", "Edge", "Wrap"], "what lies around a padded tensor">;

def Clika_PadOp : Clika_MoveOp<"pad", 205, [AttrSizedOperandSegments]> {
  let summary = "x with elements added around it; a negative pad removes elements";
  let formula = "result[i] = x[i - pads_before] inside, else by mode";
  let description = [{
    `Constant` adds `value`, `Reflect` mirrors about the outermost element, `Edge` repeats it, `Wrap` starts again at the
    other end. Elements that negative pads remove are removed first.
  }];
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "the pads, as a 1-d tensor">:$pads_tensor,
                       Arg<Optional<Clika_IndexTensor>, "the axes, as a 1-d tensor">:$axes_tensor,
                       Arg<Optional<Clika_AnyTensor>, "the value added, as a tensor of one element">:$value_tensor,
                       Arg<Clika_Ints<"{}">, "the elements added before each axis, then after each">:$pads,
                       Arg<Clika_Ints<"{}">, "the axes that pads speak of; empty: all">:$axes,
                       Arg<Clika_Scalar, "the value added; none: 0">:$value,
                       Arg<Clika_Enum<Clika_PadModeAttr, "Constant">, "what is added">:$mode, Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`pads` $pads_tensor^)? (`axes` $axes_tensor^)? (`value` $value_tensor^)?
    `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["pads", "axes", "value"];
  let example = "crt.pad(crt.tensor(np.array([1.0, 2.0], np.float32)), [1, 2])  # -> [0.0, 1.0, 2.0, 0.0, 0.0]";
}

def Clika_SqueezeOp : Clika_MoveOp<"squeeze", 206, Clika_KnowsValues> {
  let summary = "x without some dimensions of size 1";
  let formula = "result.flat[i] = x.flat[i]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_Ints<"{}">, "the dimensions removed; empty: all of size 1, where every size is known">:$axes,
                       Clika_NodeProp:$node);
  let example = "crt.squeeze(crt.tensor(np.array([[1.0, 2.0]], np.float32)), [0])  # -> [1.0, 2.0]";
  let reference = "np.squeeze(x, tuple(axes) if len(axes) else None)";
}

def Clika_UnsqueezeOp : Clika_MoveOp<"unsqueeze", 207, Clika_KnowsValues> {
  let summary = "x with dimensions of size 1 added";
  let formula = "result.flat[i] = x.flat[i]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_Ints<"{}">, "where in the result the new dimensions stand">:$axes, Clika_NodeProp:$node);
  let example = "crt.unsqueeze(crt.tensor(np.array([1.0, 2.0], np.float32)), [0])  # -> [[1.0, 2.0]]";
  let reference = "np.expand_dims(x, tuple(axes))";
}

def Clika_ExpandOp : Clika_MoveOp<"expand", 208, Clika_KnowsValues> {
  let summary = "x broadcast together with a shape (a size of 1 there keeps x's)";
  let formula = "result = x broadcast to broadcast(x.shape, shape)";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "the shape, as a 1-d tensor">:$shape_tensor,
                       Arg<Clika_Ints<"{}">, "the shape">:$shape, Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`shape` $shape_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["shape"];
  let example = "crt.expand(crt.tensor(np.array([[1.0], [2.0]], np.float32)), [2, 2])  # -> [[1.0, 1.0], [2.0, 2.0]]";
}

def Clika_TileOp : Clika_MoveOp<"tile", 209> {
  let summary = "x repeated along each dimension";
  let formula = "result[i, …] = x[i mod x.shape, …]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Optional<Clika_IndexTensor>, "the repeats, as a 1-d tensor">:$repeats_tensor,
                       Arg<Clika_Ints<"{}">, "how often x is repeated along each of its dimensions">:$repeats,
                       Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`repeats` $repeats_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["repeats"];
  let example = "crt.tile(crt.tensor(np.array([1.0, 2.0], np.float32)), [2])  # -> [1.0, 2.0, 1.0, 2.0]";
}

def Clika_FlipOp : Clika_MoveOp<"flip", 210> {
  let summary = "x in reverse order along some axes";
  let formula = "result[i, …] = x[size - 1 - i, …]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_Ints<"{}">, "the axes; empty: all">:$axes, Clika_NodeProp:$node);
  let example = "crt.flip(crt.tensor(np.array([1.0, 2.0], np.float32)))  # -> [2.0, 1.0]";
  let reference = "np.flip(x, tuple(axes) if len(axes) else None)";
}

def Clika_ShapeOfOp : Clika_ShapeOp<"shape", 211, Clika_KnowsValues> {
  let summary = "The sizes of x as a tensor";
  let formula = "x.shape[start:end]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x,
                       Arg<Clika_Int<"0">, "the first dimension; negative counts from the end">:$start,
                       Arg<Clika_OptionalInt, "the dimension after the last; none: the rank">:$end, Clika_NodeProp:$node);
  let results = (outs Res<Clika_Index64Tensor, "the sizes, a 1-d tensor">:$result);
  let example = "crt.shape(crt.tensor(np.zeros((2, 3), np.float32)))  # -> [2, 3]";
  let reference = "np.array(x.shape[start:end], np.int64)";
}

def Clika_SizeOp : Clika_ShapeOp<"size", 212, Clika_KnowsValues> {
  let summary = "The number of elements of x as a tensor";
  let formula = "product(x.shape)";
  let arguments = (ins Arg<Clika_AnyTensor, "the input">:$x, Clika_NodeProp:$node);
  let results = (outs Res<Clika_Index64Tensor, "the number, of rank 0">:$result);
  let example = "crt.size(crt.tensor(np.zeros((2, 3), np.float32)))  # -> 6";
  let reference = "np.array(x.size, np.int64)";
}

def Clika_FullOp : Clika_ShapeOp<"full", 213, !listconcat(Clika_KnowsValues, [AttrSizedOperandSegments])> {
  let summary = "A tensor of one value";
  let formula = "result[i, …] = value";
  let arguments = (ins Arg<Optional<Clika_IndexTensor>, "the shape, as a 1-d tensor">:$shape_tensor,
                       Arg<Optional<Clika_AnyTensor>, "the value, as a tensor of one element">:$value_tensor,
                       Arg<Clika_Ints<"{}">, "the shape">:$shape,
                       Arg<Clika_Scalar, "the value; none: 0.0">:$value,
                       Arg<Clika_OptionalDType, "the dtype; none: value's (bool, int64, float32 for a literal)">:$dtype,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_AnyTensor, "of that shape">:$result);
  let assemblyFormat = [{
    (`shape` $shape_tensor^)? (`value` $value_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["shape", "value"];
  let example = "crt.full([2], 1.5)  # -> [1.5, 1.5]";
}

def Clika_RangeOp : Clika_ShapeOp<"range", 214, !listconcat(Clika_KnowsValues, [AttrSizedOperandSegments])> {
  let summary = "Numbers from start towards limit, limit excluded, by delta";
  let formula = "result[i] = start + i * delta for i < ceil((limit - start) / delta)";
  let exactness = "i * delta is rounded, then the sum";
  let arguments = (ins Arg<Optional<Clika_NumberTensor>, "start, as a tensor of one element">:$start_tensor,
                       Arg<Optional<Clika_NumberTensor>, "limit, as a tensor of one element">:$limit_tensor,
                       Arg<Optional<Clika_NumberTensor>, "delta, as a tensor of one element">:$delta_tensor,
                       Arg<Clika_Scalar, "the first number; none: 0">:$start, Arg<Clika_Scalar, "the limit">:$limit,
                       Arg<Clika_Scalar, "the step; none: 1">:$delta,
                       Arg<Clika_OptionalDType, "the dtype; none: the tensors', else int64, or float32 where a literal is a float">:$dtype,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "a 1-d tensor">:$result);
  let assemblyFormat = [{
    (`start` $start_tensor^)? (`limit` $limit_tensor^)? (`delta` $delta_tensor^)?
    `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["start", "limit", "delta"];
  let example = "crt.range(1, 7, 2)  # -> [1, 3, 5]";
}

def Clika_DepthOrder
    : Clika_EnumAttr<"DepthOrder", ["Dcr", "Crd"], "how channels are laid out: depth, column, row or column, row, depth">;

def Clika_DepthToSpaceOp : Clika_MoveOp<"depth_to_space", 215> {
  let summary = "Channels of x[n, c, h, w] spread over blocks of rows and columns";
  let formula = "result of shape [n, c / block_size^2, h * block_size, w * block_size]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input, of rank 4">:$x,
                       Arg<Clika_Int<"2">, "rows and columns of a block">:$block_size,
                       Arg<Clika_Enum<Clika_DepthOrder, "Dcr">, "the order of channels">:$mode, Clika_NodeProp:$node);
  let example = "crt.depth_to_space(crt.tensor(np.arange(4, dtype=np.float32).reshape(1, 4, 1, 1)))  # -> [[[[0.0, 1.0], [2.0, 3.0]]]]";
}

def Clika_SpaceToDepthOp : Clika_MoveOp<"space_to_depth", 216> {
  let summary = "Blocks of rows and columns of x[n, c, h, w] as channels";
  let formula = "result of shape [n, c * block_size^2, h / block_size, w / block_size]";
  let arguments = (ins Arg<Clika_AnyTensor, "the input, of rank 4">:$x,
                       Arg<Clika_Int<"2">, "rows and columns of a block">:$block_size, Clika_NodeProp:$node);
  let example = "crt.space_to_depth(crt.tensor(np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)))  # -> [[[[0.0]], [[1.0]], [[2.0]], [[3.0]]]]";
}

def Clika_TriluOp : Clika_MoveOp<"trilu", 217> {
  let summary = "The upper or lower triangle of x's last two dimensions, zeros elsewhere";
  let formula = "x[…, i, j] where j - i >= k (upper) or j - i <= k, else 0";
  let arguments = (ins Arg<Clika_AnyTensor, "the input, of rank 2 or more">:$x,
                       Arg<Optional<Clika_Index64Tensor>, "the diagonal, as a tensor of one element">:$k_tensor,
                       Arg<Clika_Scalar, "the diagonal the triangle ends at, an integer; none: 0, the main one">:$k,
                       Arg<Clika_Bool<"true">, "whether it is the upper triangle">:$upper, Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`k` $k_tensor^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let bounds = ["k"];
  let example = "crt.trilu(crt.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)))  # -> [[1.0, 2.0], [0.0, 4.0]]";
}

#endif
