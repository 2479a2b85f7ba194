// Transforms of what moves, joins and selects elements.
#ifndef CLIKA_TRANSFORMS_MOVE_PASSES_TD
#define CLIKA_TRANSFORMS_MOVE_PASSES_TD

include "TransformBase.td"

def MergePads : Clika_Transform<"merge_pads", 65> {
  let summary = "A pad of a pad with the same literal number is one";
  let description = [{
    Neither may remove elements.
  }];
  let serves = ["PadPadFusion"];
  let before = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<6xf32> {
      %a = clika.pad %x {pads = array<i64: 1, 0>} : (tensor<2xf32>) -> tensor<3xf32>
      %y = clika.pad %a {pads = array<i64: 1, 2>} : (tensor<3xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>) -> tensor<6xf32> {
      %y = clika.pad %x {pads = array<i64: 2, 2>} : (tensor<2xf32>) -> tensor<6xf32>
      return %y : tensor<6xf32>
    }
  }];
}

def MergeSlices : Clika_Transform<"merge_slices", 66> {
  let summary = "A slice of a slice is one, where bounds are literals";
  let description = [{
    Two cuts of one axis become one where its size is known and both go forward.
  }];
  let serves = ["SliceSlice"];
  let before = [{
    func.func @f(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
      %a = clika.slice %x {axes = array<i64: 0>, ends = array<i64: 3>, starts = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
      %y = clika.slice %a {axes = array<i64: 1>, ends = array<i64: 6>, starts = array<i64: 0>, steps = array<i64: 2>} : (tensor<2x6xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
      %y = clika.slice %x {axes = array<i64: 0, 1>, ends = array<i64: 3, 6>, starts = array<i64: 1, 0>, steps = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
}

def MergeGathers : Clika_Transform<"merge_gathers", 67> {
  let summary = "A gather of a gather along the same axis, both by constants, is one";
  let serves = ["GatherGather"];
  let before = [{
    func.func @f(%x: tensor<4x2xf32>) -> tensor<1x2xf32> {
      %i = clika.constant dense<[3, 1]> : tensor<2xi64>
      %j = clika.constant dense<[1]> : tensor<1xi64>
      %a = clika.gather %x, %i : (tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
      %y = clika.gather %a, %j : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
      return %y : tensor<1x2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4x2xf32>) -> tensor<1x2xf32> {
      %0 = clika.constant dense<1> : tensor<1xi64>
      %y = clika.gather %x, %0 : (tensor<4x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
      return %y : tensor<1x2xf32>
    }
  }];
}

def SimplifyConcat : Clika_Transform<"simplify_concat", 68> {
  let summary = "A concat loses its empty pieces; of all parts of a split it is what was split; f(concat(x, x)) is concat(f(x), f(x))";
  let description = [{
    The pieces must be known to fit together, and the split's sizes to be accepted.
  }];
  let serves = ["ConcatEmpty", "SplitConcat", "ConcatTwiceUnary"];
  let before = [{
    func.func @f(%x: tensor<2xf32>, %e: tensor<0xf32>) -> tensor<4xf32> {
      %y = clika.concat %x, %e, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>, %arg1: tensor<0xf32>) -> tensor<4xf32> {
      %y = clika.concat %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }];
}

def ReadThroughConcat : Clika_Transform<"read_through_concat", 69> {
  let summary = "A slice or constant gather of one piece of a concat reads that piece";
  let description = [{
    The pieces' sizes along the axis must be known.
  }];
  let serves = ["ConcatSliceElimination", "ConcatGather", "GatherConcat"];
  let before = [{
    func.func @f(%x: tensor<2xf32>, %z: tensor<3xf32>) -> tensor<2xf32> {
      %a = clika.concat %z, %x {axis = 0 : i64} : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
      %b = clika.slice %a {axes = array<i64: 0>, ends = array<i64: 5>, starts = array<i64: 3>} : (tensor<5xf32>) -> tensor<2xf32>
      %y = clika.neg %b : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {
      %y = clika.neg %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def ShapeOfSource : Clika_Transform<"shape_of_source", 71> {
  let summary = "The shape of what keeps or moves its operand's dimensions is read off the operand, and only the sizes that are needed";
  let description = [{
    Through pointwise operators of one operand, norms, transpose and unsqueeze; a constant gather or slice of neighbouring sizes is a
    shape of these dimensions.
  }];
  let serves = ["PreShapeNodeElimination", "ShapeTranspose", "UnsqueezeShape", "GatherShape"];
  let before = [{
    func.func @f(%x: tensor<?x3xf32>) -> tensor<1xi64> {
      %i = clika.constant dense<[0]> : tensor<1xi64>
      %s = clika.shape %x : (tensor<?x3xf32>) -> tensor<2xi64>
      %y = clika.gather %s, %i : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
      return %y : tensor<1xi64>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<?x3xf32>) -> tensor<1xi64> {
      %y = clika.shape %x {end = 1 : i64} : (tensor<?x3xf32>) -> tensor<1xi64>
      return %y : tensor<1xi64>
    }
  }];
}

def HoistGather : Clika_Transform<"hoist_gather", 72> {
  let summary = "A constant gather of fewer slices than there are moves above the operator that makes them";
  let description = [{
    Above pointwise operators, transpose, squeeze, unsqueeze and reshapes that keep the axis; above softmax and norms over other axes,
    linear, and rows and batches of matmul. Along a size that only a run knows, by one index. The operator's result may have no other
    reader.
  }];
  let serves = ["GatherUpstreamPropagation", "TransposeGather"];
  let before = [{
    func.func @f(%x: tensor<4x2xf32>) -> tensor<2x2xf32> {
      %i = clika.constant dense<[3, 1]> : tensor<2xi64>
      %a = clika.exp %x : tensor<4x2xf32>
      %y = clika.gather %a, %i : (tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<4x2xf32>) -> tensor<2x2xf32> {
      %i = clika.constant dense<[3, 1]> : tensor<2xi64>
      %0 = clika.gather %x, %i : (tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
      %y = clika.exp %0 : tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    }
  }];
}

def SlicesToSplit : Clika_Transform<"slices_to_split", 73> {
  let summary = "Slices, and gathers at one index, that together are all of an axis are one split";
  let description = [{
    The axis' size must be known; a gather at a single index is a squeeze of its part.
  }];
  let serves = ["GathersSplit", "GatherSliceToSplit", "SlicesSplit"];
  let before = [{
    func.func @f(%x: tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
      %a = clika.slice %x {axes = array<i64: 0>, ends = array<i64: 2>, starts = array<i64: 0>} : (tensor<5xf32>) -> tensor<2xf32>
      %b = clika.slice %x {axes = array<i64: 0>, ends = array<i64: 5>, starts = array<i64: 2>} : (tensor<5xf32>) -> tensor<3xf32>
      return %a, %b : tensor<2xf32>, tensor<3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
      %a:2 = clika.split %x {sizes = array<i64: 2, 3>} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>)
      return %a#0, %a#1 : tensor<2xf32>, tensor<3xf32>
    }
  }];
}

def GatherToSlice : Clika_Transform<"gather_to_slice", 74> {
  let summary = "A gather by constants that ascend by equal steps is a slice, and a squeeze where it picks by one index";
  let description = [{
    The indices must be known to be in range: a slice would not refuse them.
  }];
  let serves = ["GatherToSlice"];
  let before = [{
    func.func @f(%x: tensor<5xf32>) -> tensor<2xf32> {
      %i = clika.constant dense<[1, 3]> : tensor<2xi64>
      %y = clika.gather %x, %i : (tensor<5xf32>, tensor<2xi64>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<5xf32>) -> tensor<2xf32> {
      %y = clika.slice %x {axes = array<i64: 0>, ends = array<i64: 4>, starts = array<i64: 1>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def SlicesToSpaceToDepth : Clika_Transform<"slices_to_space_to_depth", 75> {
  let summary = "Four slices of every other row and column, joined along channels, are a SpaceToDepth";
  let description = [{
    In its order: row by row. Rows and columns must be known to be even.
  }];
  let serves = ["SliceConcatToSpaceToDepth"];
  let before = [{
    func.func @f(%x: tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32> {
      %a = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 2, 2>, starts = array<i64: 0, 0>, steps = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
      %b = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 2, 2>, starts = array<i64: 0, 1>, steps = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
      %c = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 2, 2>, starts = array<i64: 1, 0>, steps = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
      %d = clika.slice %x {axes = array<i64: 2, 3>, ends = array<i64: 2, 2>, starts = array<i64: 1, 1>, steps = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
      %y = clika.concat %a, %b, %c, %d {axis = 1 : i64} : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x1x1xf32>
      return %y : tensor<1x4x1x1xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32> {
      %y = clika.space_to_depth %x : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
      return %y : tensor<1x4x1x1xf32>
    }
  }];
}

def LiteralShapes : Clika_Transform<"literal_shapes", 39> {
  let summary = "A reshape or expand by a shape that is computed, but known, takes literal sizes";
  let description = [{
    A size that stays is 1 for an expand. One size of a reshape may be left to be found (-1), and those that stay in place may be copied (0).
  }];
  let serves = ["ShapeBasedConcatExpand", "ShapeBasedStaticExpand", "ConcatReshape", "StaticConcatReshape", "ShapeBasedEditDistanceReshape", "ShapeBasedSameChildren"];
  let before = [{
    func.func @f(%x: tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>> {
      %k = clika.constant dense<[2, 3]> : tensor<2xi64>
      %s = clika.shape %x {end = 1 : i64} : (tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<1xi64>
      %t = clika.concat %s, %k {axis = 0 : i64} : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
      %y = clika.reshape %x shape %t : (tensor<?x6xf32, #clika.dims<n, 6>>, tensor<3xi64>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
      return %y : tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>> {
      %y = clika.reshape %x {allow_zero = true, shape = array<i64: -1, 2, 3>} : (tensor<?x6xf32, #clika.dims<n, 6>>) -> tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
      return %y : tensor<?x2x3xf32, #clika.dims<n, 2, 3>>
    }
  }];
}

def ReshapeToSqueeze : Clika_Transform<"reshape_to_squeeze", 76> {
  let summary = "A reshape or expand that only drops, or adds, dimensions of size 1 is a squeeze, or an unsqueeze";
  let serves = ["ShapeBasedReshapeIsSqueeze", "UnsqueezeReshape"];
  let before = [{
    func.func @f(%x: tensor<2x1x3xf32>) -> tensor<2x3xf32> {
      %y = clika.reshape %x {shape = array<i64: 2, 3>} : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x1x3xf32>) -> tensor<2x3xf32> {
      %y = clika.squeeze %x {axes = array<i64: 1>} : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
}

def TransposeToReshape : Clika_Transform<"transpose_to_reshape", 77> {
  let summary = "A transpose that moves only dimensions of size 1 is a reshape";
  let description = [{
    At most one of its sizes may be unknown.
  }];
  let serves = ["TransposeEqualReshape"];
  let before = [{
    func.func @f(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
      %y = clika.transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
      return %y : tensor<1x2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
      %y = clika.reshape %x {allow_zero = true, shape = array<i64: 1, 2, 3>} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
      return %y : tensor<1x2x3xf32>
    }
  }];
}

def UnsqueezeLast : Clika_Transform<"unsqueeze_last", 78> {
  let summary = "A transpose of an unsqueeze, that nothing else reads, is an unsqueeze of a transpose";
  let serves = ["SwapUnsqueezeTranspose"];
  let before = [{
    func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2x1xf32> {
      %a = clika.unsqueeze %x {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
      %y = clika.transpose %a {perm = array<i64: 2, 1, 0>} : (tensor<1x2x3xf32>) -> tensor<3x2x1xf32>
      return %y : tensor<3x2x1xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2x1xf32> {
      %0 = clika.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %y = clika.unsqueeze %0 {axes = array<i64: 2>} : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
      return %y : tensor<3x2x1xf32>
    }
  }];
}

def DropReducedDims : Clika_Transform<"drop_reduced_dims", 79> {
  let summary = "A reduction that keeps dimensions, which the squeeze or reshape that alone reads it drops, does not keep them";
  let serves = ["ReduceReshape"];
  let before = [{
    func.func @f(%x: tensor<2x3xf32>) -> tensor<2xf32> {
      %a = clika.reduce_max %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
      %y = clika.squeeze %a {axes = array<i64: 1>} : (tensor<2x1xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x3xf32>) -> tensor<2xf32> {
      %y = clika.reduce_max %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
  }];
}

def MergeExpands : Clika_Transform<"merge_expands", 81> {
  let summary = "An expand of an expand is one";
  let description = [{
    Sizes that they add must be known.
  }];
  let serves = ["ExpandUnsqueezeExpand"];
  let before = [{
    func.func @f(%x: tensor<1x1xf32>) -> tensor<2x3xf32> {
      %a = clika.expand %x {shape = array<i64: 1, 3>} : (tensor<1x1xf32>) -> tensor<1x3xf32>
      %y = clika.expand %a {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x1xf32>) -> tensor<2x3xf32> {
      %y = clika.expand %x {shape = array<i64: 2, 3>} : (tensor<1x1xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
}

def RemoveBroadcastExpand : Clika_Transform<"remove_broadcast_expand", 82> {
  let summary = "An expand goes where the operator that reads it broadcasts to the same shape without it";
  let description = [{
    Pointwise operators, and the dimensions before the matrices of a matmul. The shape must be known, by number or name.
  }];
  let serves = ["ExpandBroadcast", "ShapeBasedExpandBroadcast", "ShapeBasedExpandBroadcastMatMul"];
  let before = [{
    func.func @f(%x: tensor<2x3xf32>, %z: tensor<3xf32>) -> tensor<2x3xf32> {
      %a = clika.expand %z {shape = array<i64: 2, 3>} : (tensor<3xf32>) -> tensor<2x3xf32>
      %y = clika.add %x, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
      %y = clika.add %x, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
}

def SinkExpand : Clika_Transform<"sink_expand", 83> {
  let summary = "A pointwise operator of expands to one shape computes before them, and an unsqueeze of an expand stands before it";
  let description = [{
    Operands of rank 0 may stand beside the expands, which may have no other reader. What is broadcast is then computed once for each element there is.
  }];
  let serves = ["ShapeBasedExpandSwap", "ShapeBasedExpandCastWhereSwap", "ExpandSwap", "SwapExpandUnsqueeze"];
  let before = [{
    func.func @f(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
      %a = clika.expand %x {shape = array<i64: 2, 1>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
      %y = clika.exp %a : tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
      %0 = clika.exp %x : tensor<1x3xf32>
      %y = clika.expand %0 {shape = array<i64: 2, 1>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
  }];
}

def SinkMoves : Clika_Transform<"sink_moves", 152> {
  let summary = "A pointwise operator of values that are reshaped or transposed alike computes before that, and of two reshapes around a binary operator one goes";
  let description = [{
    Single elements may stand beside the moved values, which may have no other reader. reshape(op(reshape(a), b)) back to a's shape is op(a, reshape(b)).
  }];
  let serves = ["SwapUnary", "SwitchReshapeActivation", "ReshapeReshapeBinary", "Reshape2Of3", "SqueezeAdd", "MulUnsqueezeUnsqueeze", "SqueezeBinaryUnsqueeze", "UnsqueezeEqual"];
  let before = [{
    func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %a = clika.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %y = clika.relu %a : tensor<3x2xf32>
      return %y : tensor<3x2xf32>
    }
  }];
  let after = [{
    func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
      %0 = clika.relu %x : tensor<2x3xf32>
      %y = clika.transpose %0 {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %y : tensor<3x2xf32>
    }
  }];
}

#endif
