#ifndef CLIKA_LINEAR_OPS_TD
#define CLIKA_LINEAR_OPS_TD

include "WindowSettings.td"

// Sums of products: one accumulator an element of the result, taken in ascending order with fused multiply-add.
class Clika_LinearBase<string mnemonic, int number, list<Trait> traits = []> : Clika_InferredOp<mnemonic, number, traits> {
  let group = "linear";
  let hasVerifier = 1;
}

def Clika_Pads
    : Arg<Clika_Ints<"{}">, "zeros added to x: one number per spatial dimension for both its sides, or all beginnings "
                            "and then all ends; {}: none">;

def Clika_MatmulOp : Clika_LinearBase<"matmul", 120> {
  let summary = "The matrix product of a and b, with NumPy's rules for vectors and batches";
  let description = [{
    The last two dimensions are matrices, those before are broadcast. A vector a is a row, a vector b a column; the
    dimension added for it is not in the result.
  }];
  let formula = "activation(sum over k of a[..., i, k] * b[..., k, j])";
  let exactness = "one accumulator, k ascending, fused multiply-add; half types accumulate in float32; integers wrap";
  let arguments = (ins Arg<Clika_NumberTensor, "the left matrices">:$a, Arg<Clika_NumberTensor, "the right matrices">:$b,
                       Arg<Clika_Bool<"false">, "whether a's last two dimensions are swapped first">:$transpose_a,
                       Arg<Clika_Bool<"false">, "whether b's last two dimensions are swapped first">:$transpose_b,
                       Clika_Activation:$activation, Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "the products">:$result);
  let assemblyFormat = "$a `,` $b `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let example = [{
    a = crt.tensor(np.array([[1, 2], [3, 4]], np.float32))
    b = crt.tensor(np.array([[5, 6], [7, 8]], np.float32))
    crt.matmul(a, b)  # -> [[19.0, 22.0], [43.0, 50.0]]
  }];
}

def Clika_LinearOp : Clika_LinearBase<"linear", 121> {
  let summary = "A dense layer: x times the transpose of weight, plus bias";
  let formula = "activation(sum over k of x[..., k] * weight[j, k] + bias[j])";
  let exactness = "k ascending, fused multiply-add, then the bias; half types are rounded once, after the bias";
  let arguments = (ins Arg<Clika_NumberTensor, "the input, its last dimension the features">:$x,
                       Arg<Clika_NumberTensor, "the weight, [out features, in features]">:$weight,
                       Arg<Optional<Clika_NumberTensor>, "one number per out feature">:$bias,
                       Clika_Activation:$activation, Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "of x's shape, the last dimension being the out features">:$result);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let dataInput = "x";
  let example = [{
    x = crt.tensor(np.array([[1, 2]], np.float32))
    weight = crt.tensor(np.array([[1, 0], [0, 1], [1, 1]], np.float32))
    crt.linear(x, weight, crt.tensor(np.array([0, 0, 10], np.float32)))  # -> [[1.0, 2.0, 13.0]]
  }];
}

def Clika_ConvOp : Clika_LinearBase<"conv", 122> {
  let summary = "A convolution over one, two or three spatial dimensions";
  let formula = [{activation(sum over kernel positions k, then channels c, of
    x[n, c, o * stride + k * dilation - pad] * weight[f, c, k] + bias[f])}];
  let exactness = "kernel positions, then channels ascending, fused multiply-add, then the bias; half types are rounded once";
  let arguments = (ins Arg<Clika_NumberTensor, "the input, [batch, channels, spatial...]">:$x,
                       Arg<Clika_NumberTensor, "the weight, [out channels, channels / groups, kernel...]">:$weight,
                       Arg<Optional<Clika_NumberTensor>, "one number per out channel">:$bias,
                       Clika_Strides:$strides, Clika_Pads:$pads, Clika_Dilations:$dilations,
                       Arg<Clika_Int<"1">, "the number of groups that channels and out channels are split in">:$groups,
                       Clika_AutoPad:$auto_pad, Clika_Activation:$activation, Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "[batch, out channels, spatial...]">:$result);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let dataInput = "x";
  let example = [{
    x = crt.tensor(np.array([[[1, 2, 3, 4]]], np.float32))
    weight = crt.tensor(np.array([[[1, 10]]], np.float32))
    crt.conv(x, weight)  # -> [[[21.0, 32.0, 43.0]]]
  }];
}

def Clika_ConvTransposeOp : Clika_LinearBase<"conv_transpose", 123> {
  let summary = "A transposed convolution: each input element adds its multiple of the kernel to the result";
  let description = [{
    A result has (size - 1) * stride + (kernel - 1) * dilation + 1 + output_padding - pads elements per dimension.
    Where output_shape is given the pads follow from it, and from auto_pad the side that an odd one is on; Same* without
    output_shape stands for size * stride.
  }];
  let formula = [{result[n, f, i * stride + k * dilation - pad] += x[n, c, i] * weight[c, f, k], then + bias[f], then activation}];
  let exactness = "kernel positions, then channels ascending, fused multiply-add, then the bias; half types are rounded once";
  let arguments = (ins Arg<Clika_NumberTensor, "the input, [batch, channels, spatial...]">:$x,
                       Arg<Clika_NumberTensor, "the weight, [channels, out channels / groups, kernel...]">:$weight,
                       Arg<Optional<Clika_NumberTensor>, "one number per out channel">:$bias,
                       Clika_Strides:$strides,
                       Arg<Clika_Ints<"{}">, "what the result loses at its edges: one number per spatial dimension for "
                                             "both its sides, or all beginnings and then all ends; {}: none">:$pads,
                       Arg<Clika_Ints<"{}">, "elements added to the result's end, one per spatial dimension; {}: none">:$output_padding,
                       Clika_Dilations:$dilations,
                       Arg<Clika_Int<"1">, "the number of groups that channels and out channels are split in">:$groups,
                       Arg<Clika_Ints<"{}">, "the result's spatial sizes, in place of pads; {}: they follow from pads">:$output_shape,
                       Clika_AutoPad:$auto_pad, Clika_Activation:$activation, Clika_NodeProp:$node);
  let results = (outs Res<Clika_NumberTensor, "[batch, out channels, spatial...]">:$result);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let dataInput = "x";
  let example = [{
    x = crt.tensor(np.array([[[1, 2]]], np.float32))
    weight = crt.tensor(np.array([[[1, 10]]], np.float32))
    crt.conv_transpose(x, weight, strides=[2])  # -> [[[1.0, 10.0, 2.0, 20.0]]]
  }];
}

#endif
