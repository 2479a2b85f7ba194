#ifndef CLIKA_RESIZE_OPS_TD
#define CLIKA_RESIZE_OPS_TD

include "ClikaBase.td"

def Clika_ResizeModeAttr
    : Clika_EnumAttr<"ResizeMode", ["Nearest", "Linear", "Cubic"], "how an element between others is computed">;
def Clika_CoordinateModeAttr
    : Clika_EnumAttr<"CoordinateMode",
                     ["HalfPixel", "HalfPixelSymmetric", "PytorchHalfPixel", "AlignCorners", "Asymmetric",
                      "TfHalfPixelForNn", "TfCropAndResize"],
                     "where in the input an element of the result lies">;
def Clika_NearestModeAttr
    : Clika_EnumAttr<"NearestMode", ["RoundPreferFloor", "RoundPreferCeil", "Floor", "Ceil"],
                     "which of two neighbours is the nearest">;
def Clika_AspectPolicyAttr
    : Clika_EnumAttr<"AspectPolicy", ["Stretch", "NotLarger", "NotSmaller"],
                     "whether sizes are met exactly, or as bounds that keep the aspect ratio">;

def Clika_ResizeOp : Clika_InferredOp<"resize", 250, [AttrSizedOperandSegments]> {
  let summary = "x sampled anew along some axes";
  let group = "resize";
  let formula = "result[i] = sum over neighbours j of weight(i, j) * x[j], along each axis";
  let description = [{
    One of `sizes` and `scales` is given. The result's sizes are `sizes`, or floor(size * scale). With r = result size / size
    (exact), the given scale, or the ratio that an aspect ratio policy keeps, and length = size * r, element i lies in the input at

        HalfPixel            (i + 0.5) / r - 0.5
        HalfPixelSymmetric   the same, moved so that the input's centre stays the centre
        PytorchHalfPixel     the same where the result's size is above 1, else 0
        AlignCorners         i * (size - 1) / (length - 1); 0 where length is 1
        Asymmetric           i / r
        TfHalfPixelForNn     (i + 0.5) / r
        TfCropAndResize      start * (size - 1) + i * (end - start) * (size - 1) / (length - 1), start and end from roi;
                             the middle of both where length is 1

    A scale that is the float32 nearest to result size / size is taken for that ratio. So with sizes length is the result's size;
    with other scales it is the product before it is rounded down, as in ONNX's own test data: AlignCorners of 4 elements by 0.6
    puts the second of two at 3 / 1.4, and not in the corner, at 3.
  }];
  let exactness = [{
positions are rounded once, in float64, so that ties and whole positions are exact; weights and sums are float32 (float64 for
float64 and 32- and 64-bit integers), one axis after the other from the last; integers are cut off towards zero and saturate
  }];
  let arguments = (ins Arg<Clika_NumberTensor, "the input">:$x,
                       Arg<Optional<Clika_FloatTensor>, "starts, then ends, for TfCropAndResize, in units of the size">:$roi,
                       Arg<Optional<Clika_FloatTensor>, "the factor of each axis, a 1-d tensor">:$scales,
                       Arg<Optional<Clika_IndexTensor>, "the result's sizes, as a 1-d tensor">:$sizes_tensor,
                       Arg<Clika_Ints<"{}">, "the result's sizes">:$sizes,
                       Arg<Clika_Ints<"{}">, "the axes that sizes, scales and roi speak of; empty: all">:$axes,
                       Arg<Clika_Enum<Clika_ResizeModeAttr, "Nearest">, "how neighbours are weighted">:$mode,
                       Arg<Clika_Enum<Clika_CoordinateModeAttr, "HalfPixel">, "where elements lie in the input">:$coordinate_transformation_mode,
                       Arg<Clika_Enum<Clika_NearestModeAttr, "RoundPreferFloor">, "how a position is rounded for Nearest">:$nearest_mode,
                       Arg<Clika_Bool<"false">, "whether Linear and Cubic widen their filter when they scale down">:$antialias,
                       Arg<Clika_Enum<Clika_AspectPolicyAttr, "Stretch">, "how sizes are met">:$keep_aspect_ratio_policy,
                       Arg<Clika_Bool<"false">, "whether neighbours outside weigh nothing, instead of being the edge's">:$exclude_outside,
                       Arg<Clika_Float<"0.0">, "the value outside the input, for TfCropAndResize">:$extrapolation_value,
                       Arg<Clika_Float<"-0.75">, "the coefficient a of Cubic">:$cubic_coeff_a, Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "of x's dtype">:$result);
  let assemblyFormat = [{
    $x (`roi` $roi^)? (`scales` $scales^)? (`sizes` $sizes_tensor^)? `` custom<NodeName>($node) attr-dict
    `:` functional-type(operands, results)
  }];
  let bounds = ["sizes"];
  let example = "crt.resize(crt.tensor(np.array([[1.0, 2.0]], np.float32)), sizes=[1, 4])  # -> [[1.0, 1.0, 2.0, 2.0]]";
}

#endif
