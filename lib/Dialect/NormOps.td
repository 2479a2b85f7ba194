#ifndef CLIKA_NORM_OPS_TD
#define CLIKA_NORM_OPS_TD

include "ClikaBase.td"

// Elements scaled by what a part of the tensor is like; a result of x's type.
class Clika_NormBase<string mnemonic, int number, list<Trait> traits = []> : Clika_InferredOp<mnemonic, number, traits> {
  let group = "norm";
  let dataInput = "x";
  let results = (outs Res<Clika_FloatTensor, "of x's shape">:$result);
}

def Clika_Epsilon : Arg<Clika_Float<"1e-5">, "what is added to the variance">;

class Clika_SoftmaxBase<string mnemonic, int number> : Clika_NormBase<mnemonic, number> {
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x,
                       Arg<Clika_Int<"-1">, "the dimension normalized, negative counted from the end">:$axis, Clika_NodeProp:$node);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let exactness = "4 ulp or 2^-23 * max(1, |x|), the larger, plus the sum's error; a row of -inf gives NaN; half types are rounded once";
}

def Clika_SoftmaxOp : Clika_SoftmaxBase<"softmax", 140> {
  let summary = "Exponentials along a dimension, scaled to add up to 1";
  let formula = "e^(x - m) / sum over axis of e^(x - m), m = max over axis of x";
  let example = "crt.softmax(crt.tensor(np.array([1000.0, 1000.0], np.float32)))  # -> [0.5, 0.5]";
}

def Clika_LogSoftmaxOp : Clika_SoftmaxBase<"log_softmax", 141> {
  let summary = "The logarithm of softmax";
  let formula = "(x - m) - log(sum over axis of e^(x - m)), m = max over axis of x";
  let example = "crt.log_softmax(crt.tensor(np.array([0.0, 0.0], np.float32)))  # -> [-0.6931472, -0.6931472]";
}

def Clika_BatchNormOp : Clika_NormBase<"batch_norm", 142, [AttrSizedOperandSegments]> {
  let summary = "Channels shifted and scaled by statistics that are known";
  let formula = "activation((x - mean[c]) * (scale[c] / sqrt(variance[c] + epsilon)) + bias[c])";
  let exactness = "each step is rounded, in this order; half types compute in float32 and are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, ...]">:$x,
                       Arg<Clika_FloatTensor, "one number per channel">:$mean, Arg<Clika_FloatTensor, "one number per channel">:$variance,
                       Arg<Optional<Clika_FloatTensor>, "one number per channel; left out: 1">:$scale,
                       Arg<Optional<Clika_FloatTensor>, "one number per channel; left out: 0">:$bias,
                       Clika_Epsilon:$epsilon, Clika_Activation:$activation, Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x `,` $mean `,` $variance (`scale` $scale^)? (`bias` $bias^)? `` custom<NodeName>($node) attr-dict `:`
    functional-type(operands, results)
  }];
  let example = [{
    x = crt.tensor(np.array([[1, 2]], np.float32))
    crt.batch_norm(x, crt.tensor(np.array([1, 1], np.float32)), crt.tensor(np.array([4, 4], np.float32)), epsilon=0.0)  # -> [[0.0, 0.5]]
  }];
}

// Statistics of x itself; scale and bias may be left out.
class Clika_OwnStatisticsBase<string mnemonic, int number> : Clika_NormBase<mnemonic, number, [AttrSizedOperandSegments]> {
  let assemblyFormat = [{
    $x (`scale` $scale^)? (`bias` $bias^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let exactness = "mean, then mean of squared differences, then (x - mean) * (1 / sqrt(variance + epsilon)), each step rounded, sums in docs/semantics.md's row order; half types compute in float32 and are rounded once";
}

def Clika_LayerNormOp : Clika_OwnStatisticsBase<"layer_norm", 143> {
  let summary = "x normalized over its last dimensions, from axis on";
  let formula = "(x - mean(x)) * (1 / sqrt(variance(x) + epsilon)) * scale + bias";
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x,
                       Arg<Optional<Clika_FloatTensor>, "broadcast to x's shape">:$scale,
                       Arg<Optional<Clika_FloatTensor>, "broadcast to x's shape">:$bias,
                       Arg<Clika_Int<"-1">, "the first dimension normalized, negative counted from the end">:$axis,
                       Clika_Epsilon:$epsilon, Clika_NodeProp:$node);
  let example = [{
    x = crt.tensor(np.array([[1, 3]], np.float32))
    crt.layer_norm(x, epsilon=0.0)  # -> [[-1.0, 1.0]]
  }];
}

def Clika_RmsNormOp : Clika_NormBase<"rms_norm", 144> {
  let summary = "x scaled by the root of the mean square of its last dimensions, from axis on";
  let formula = "x * (1 / sqrt(mean(x * x) + epsilon)) * scale";
  let exactness = "each step is rounded, sums in docs/semantics.md's row order; half types compute in float32 and are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input">:$x,
                       Arg<Optional<Clika_FloatTensor>, "broadcast to x's shape">:$scale,
                       Arg<Clika_Int<"-1">, "the first dimension normalized, negative counted from the end">:$axis,
                       Clika_Epsilon:$epsilon, Clika_NodeProp:$node);
  let assemblyFormat = [{
    $x (`scale` $scale^)? `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    x = crt.tensor(np.array([[1, 7]], np.float32))
    crt.rms_norm(x, epsilon=0.0)  # -> [[0.2, 1.4]]
  }];
}

def Clika_GroupNormOp : Clika_OwnStatisticsBase<"group_norm", 145> {
  let summary = "x normalized over groups of channels, all positions together";
  let formula = "(x - mean(group)) * (1 / sqrt(variance(group) + epsilon)) * scale[c] + bias[c]";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, ...]">:$x, Arg<I64Attr, "the number of groups">:$groups,
                       Arg<Optional<Clika_FloatTensor>, "one number per channel">:$scale,
                       Arg<Optional<Clika_FloatTensor>, "one number per channel">:$bias,
                       Clika_Epsilon:$epsilon, Clika_NodeProp:$node);
  let example = [{
    x = crt.tensor(np.array([[[1], [3]]], np.float32))
    crt.group_norm(x, groups=1, epsilon=0.0)  # -> [[[-1.0], [1.0]]]
  }];
}

def Clika_InstanceNormOp : Clika_OwnStatisticsBase<"instance_norm", 146> {
  let summary = "x normalized over the positions of each channel";
  let formula = "(x - mean(channel)) * (1 / sqrt(variance(channel) + epsilon)) * scale[c] + bias[c]";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, ...]">:$x,
                       Arg<Optional<Clika_FloatTensor>, "one number per channel">:$scale,
                       Arg<Optional<Clika_FloatTensor>, "one number per channel">:$bias,
                       Clika_Epsilon:$epsilon, Clika_NodeProp:$node);
  let example = [{
    x = crt.tensor(np.array([[[1, 3]]], np.float32))
    crt.instance_norm(x, epsilon=0.0)  # -> [[[-1.0, 1.0]]]
  }];
}

def Clika_LrnOp : Clika_NormBase<"lrn", 147> {
  let summary = "x divided by a power of the sum of squares over neighbouring channels";
  let formula = "x / (bias + alpha / size * sum over j of x[n, j, ...]^2)^beta, j from c - floor((size - 1) / 2) to c + ceil((size - 1) / 2)";
  let exactness = "each step is rounded, channels ascending; the power as pow computes it; half types are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, ...]">:$x,
                       Arg<I64Attr, "the number of channels summed over">:$size,
                       Arg<Clika_Float<"1e-4">, "the factor of the sum">:$alpha, Arg<Clika_Float<"0.75">, "the exponent">:$beta,
                       Arg<Clika_Float<"1.0">, "what is added to the sum">:$bias, Clika_NodeProp:$node);
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
  let example = [{
    x = crt.tensor(np.array([[[3], [4]]], np.float32))
    crt.lrn(x, size=1, alpha=1.0, beta=0.5, bias=0.0)  # -> [[[1.0], [1.0]]]
  }];
}

#endif
