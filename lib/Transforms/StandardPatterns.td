// The patterns that an ONNX optimizer of this kind ships, by family, and why some have no place here. Which
// of ours serves each is in the transforms' records (`serves`).
#ifndef CLIKA_TRANSFORMS_STANDARD_PATTERNS_TD
#define CLIKA_TRANSFORMS_STANDARD_PATTERNS_TD

include "TransformBase.td"

def : Clika_PatternFamily<1, "Canonicalization", [
    "Cast", "CastCast", "CastCastBinary", "CastOpCast", "ClipClip", "ReluClipFusion", "ConstantToInitializer",
    "InitializerUnsqueezeCast", "ConvBiasNull", "ConvAddFusion", "ConvMulFusion", "ConvBatchNormalizationFusion",
    "Dropout", "Identity", "NotNot", "PadConv", "PadPadFusion", "STFTFusion"]>;
def : Clika_PatternFamily<2, "Collections, shapes, slices", [
    "ConcatEmpty", "ConcatSliceElimination", "ConcatGather", "ConcatTwiceUnary", "SliceConcatToSpaceToDepth",
    "GatherConcat", "GatherGather", "GatherShape", "GatherToSlice", "GatherUpstreamPropagation", "GathersSplit",
    "GatherSliceToSplit", "SlicesSplit", "SliceSlice", "SliceElimination", "SplitConcat", "PreShapeNodeElimination",
    "ShapeTranspose", "UnsqueezeShape", "SequenceConstructAt", "SplitToSequenceSequenceAt"]>;
def : Clika_PatternFamily<3, "Expand and Where", [
    "Expand", "ExpandBroadcast", "ShapeBasedExpandBroadcast", "ShapeBasedExpandBroadcastMatMul",
    "ShapeBasedConcatExpand", "ShapeBasedStaticExpand", "ShapeBasedExpandSwap", "ShapeBasedExpandCastWhereSwap",
    "ExpandSwap", "SwapExpandUnsqueeze", "ExpandUnsqueezeExpand", "SwapExpandReshape", "NotWhere", "UnsqueezeEqual",
    "WhereAdd"]>;
def : Clika_PatternFamily<4, "Reshape", [
    "Reshape", "ShapedBasedReshape", "ReshapeReshape", "ReshapeSqueeze", "UnsqueezeOrSqueezeReshape",
    "UnsqueezeReshape", "ReduceReshape", "ConcatReshape", "StaticConcatReshape", "ShapeBasedEditDistanceReshape",
    "ShapeBasedReshapeIsSqueeze", "ReshapeReshapeBinary", "Reshape2Of3"]>;
def : Clika_PatternFamily<5, "Layout", [
    "TransposeTranspose", "TransposeToInitializer", "TransposeGather", "TransposeEqualReshape",
    "TransposeReshapeTranspose", "SwapUnsqueezeTranspose", "UnsqueezeUnsqueeze", "SqueezeUnsqueeze", "SqueezeAdd",
    "MulUnsqueezeUnsqueeze", "SqueezeBinaryUnsqueeze"]>;
def : Clika_PatternFamily<6, "Algebra, reduction, common nodes", [
    "DivMul", "MulMulMulScalar", "SwitchOrderBinary", "Sub1Mul", "SwapRangeAddScalar", "SwapUnary", "ReduceArgTopK",
    "ReduceSumNormalize", "SameChildren", "SameChildrenFromInput", "ShapeBasedSameChildren", "ShapeBasedIdentity",
    "ShapeBasedShapeShapeAdd"]>;
def : Clika_PatternFamily<7, "MatMul and Gemm", [
    "MatMulAdd", "GemmSumFusion", "GemmTranspose", "TransposeMatMul", "TransposeReshapeMatMul", "MatMulReshape2Of3",
    "ReshapeMatMulReshape", "MulMulMatMul", "MatMulScaleFusion", "MatMulBatchNormalizationFusion",
    "ShapeBasedMatMulToMul", "SwitchReshapeActivation"]>;
def : Clika_PatternFamily<8, "Normalization and activation", [
    "LayerNormalization", "LayerNormalizationScale", "CastLayerNormalizationCast", "RMSNormalization",
    "RMSNormalizationMul", "BatchNormalization", "BatchNormalizationTraining", "Gelu", "LeakyRelu", "MaxRelu",
    "SoftmaxCrossEntropyLossCast"]>;
def : Clika_PatternFamily<9, "Rotary and attention", [
    "FunctionHalfRotaryEmbedding", "RotaryEmbedding", "RotaryConcatPart", "FunctionCosSinCache", "FunctionCausalMask",
    "FunctionCausalMaskMulAdd", "FunctionAttention", "FunctionAttentionGQA", "AttentionGQA", "LinearAttention"]>;
def : Clika_PatternFamily<10, "Traditional ML", [
    "TreeEnsemble", "LabelEncoderFusion"]>;

def : Clika_LeftOut<"ConstantToInitializer", "constants are values already, not nodes">;
def : Clika_LeftOut<"STFTFusion", "there is no short-time Fourier transform among the ops">;
def : Clika_LeftOut<"SequenceConstructAt", "there are no sequences: the reader refuses a model that has them">;
def : Clika_LeftOut<"SplitToSequenceSequenceAt", "there are no sequences: the reader refuses a model that has them">;
def : Clika_LeftOut<"SwapExpandReshape", "one exporter's form of rank 3; an expand moves below pointwise operators and unsqueezes, and goes where they broadcast">;
def : Clika_LeftOut<"TransposeReshapeTranspose", "a transpose moves above an unsqueeze alone: what moves above another reshape is seldom one transpose">;
def : Clika_LeftOut<"Sub1Mul", "z - x * z is NaN where (1 - x) * z is infinite, and cancels where that does not">;
def : Clika_LeftOut<"ReduceArgTopK", "topk orders zeros and NaN otherwise than reduce_max, reduce_min and argmin, and sorts where they only look">;
def : Clika_LeftOut<"ReduceSumNormalize", "each step of the chain is rounded to another dtype, so that no bound holds">;
def : Clika_LeftOut<"ShapeBasedShapeShapeAdd", "a placeholder there, which never matches">;
def : Clika_LeftOut<"TransposeReshapeMatMul", "it exchanges two moves and removes none">;
def : Clika_LeftOut<"ShapeBasedMatMulToMul", "a sum begins with +0 and turns a product of -0 into it, which mul does not">;
def : Clika_LeftOut<"BatchNormalization", "its epsilon makes it no identity; fold_batch_norm folds it">;
def : Clika_LeftOut<"BatchNormalizationTraining", "there is no training form of batch_norm">;
def : Clika_LeftOut<"SoftmaxCrossEntropyLossCast", "there are no losses among the ops">;
def : Clika_LeftOut<"RotaryConcatPart", "one exporter's form, halves padded with zeros and added; decomposed_rotary finds the form that others join">;
def : Clika_LeftOut<"FunctionCosSinCache", "the angles stay the operators they are computed with: a function would hide them from the rules that look for rotations">;
def : Clika_LeftOut<"FunctionCausalMaskMulAdd", "an index of additions and products that one exporter writes; it stays the operators it is written with">;
def : Clika_LeftOut<"AttentionGQA", "what it adds to FunctionAttentionGQA, the cache, stays two concats, whose results attention takes as its keys and values">;
def : Clika_LeftOut<"LinearAttention", "there is no linear attention among the ops">;
def : Clika_LeftOut<"TreeEnsemble", "there are no tree ensembles among the ops">;
def : Clika_LeftOut<"LabelEncoderFusion", "there are no label encoders among the ops">;

#endif
