#ifndef CLIKA_QUANTIZE_OPS_TD
#define CLIKA_QUANTIZE_OPS_TD

include "ClikaBase.td"

class Clika_QuantizeLikeOp<string mnemonic, int number> : Clika_InferredOp<mnemonic, number> {
  let group = "quantize";
  let needsInsert = 1;
  let assemblyFormat = [{
    $x `,` $scale (`,` $zero_point^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
}

def Clika_QuantizeOp : Clika_QuantizeLikeOp<"quantize", 260> {
  let summary = "x in steps of scale, as integers around zero_point";
  let formula = "saturate(round(x / scale) + zero_point)";
  let exactness = "the quotient is rounded to float32 (float64 for float64), then half to even; NaN gives zero_point";
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x,
                       Arg<Clika_FloatTensor, "the step: of one element, or one a position along axis, or one a block; of x's dtype">:$scale,
                       Arg<Optional<Clika_QuantizedTensor>, "the integer that stands for 0, shaped as scale; none: 0">:$zero_point,
                       Arg<Clika_Int<"1">, "the axis that scale runs along">:$axis,
                       Arg<Clika_Int<"0">, "elements along axis that share a step; 0: not in blocks">:$block_size,
                       Arg<Clika_OptionalDType, "the dtype; none: zero_point's, else uint8">:$dtype, Clika_NodeProp:$node);
  let results = (outs Res<Clika_QuantizedTensor, "of x's shape">:$result);
  let example = "crt.quantize(crt.tensor(np.array([0.0, 1.0, 200.0], np.float32)), crt.tensor(np.float32(0.5)))  # -> [0, 2, 255]";
}

def Clika_DequantizeOp : Clika_QuantizeLikeOp<"dequantize", 261> {
  let summary = "The numbers that quantized integers stand for";
  let formula = "(x - zero_point) * scale";
  let exactness = "the difference is exact, rounded to float32 (float64 for a float64 scale); then the product";
  let arguments = (ins Arg<Clika_QuantizedTensor, "the input">:$x,
                       Arg<Clika_FloatTensor, "the step: of one element, or one a position along axis, or one a block">:$scale,
                       Arg<Optional<Clika_QuantizedTensor>, "the integer that stands for 0, shaped as scale and of x's dtype; none: 0">:$zero_point,
                       Arg<Clika_Int<"1">, "the axis that scale runs along">:$axis,
                       Arg<Clika_Int<"0">, "elements along axis that share a step; 0: not in blocks">:$block_size,
                       Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "of x's shape and scale's dtype">:$result);
  let example = "crt.dequantize(crt.tensor(np.array([0, 2], np.uint8)), crt.tensor(np.float32(0.5)))  # -> [0.0, 1.0]";
}

#endif
