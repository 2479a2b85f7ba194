#ifndef CLIKA_POOL_OPS_TD
#define CLIKA_POOL_OPS_TD

include "WindowSettings.td"

// A function of each window of the spatial dimensions, channel by channel.
class Clika_PoolBase<string mnemonic, int number> : Clika_InferredOp<mnemonic, number> {
  let group = "pool";
  let dataInput = "x";
  let assemblyFormat = "$x `` custom<NodeName>($node) attr-dict `:` functional-type(operands, results)";
}

def Clika_Kernel : Arg<DenseI64ArrayAttr, "the window's sizes, one per spatial dimension">;
def Clika_PoolStrides : Arg<Clika_Ints<"{}">, "the window's step, one per spatial dimension; {}: the window's sizes">;
def Clika_PoolPads
    : Arg<Clika_Ints<"{}">, "how far windows reach over x's edges: one number per spatial dimension for both its sides, "
                            "or all beginnings and then all ends; {}: not at all">;
def Clika_CeilMode
    : Arg<Clika_Bool<"false">, "whether a last window that reaches over the end counts, as long as it starts within x or "
                               "the padding at its beginning">;

class Clika_MaxPoolBase<string mnemonic, int number> : Clika_PoolBase<mnemonic, number> {
  let arguments = (ins Arg<Clika_NumberTensor, "the input, [batch, channels, spatial...]">:$x, Clika_Kernel:$kernel,
                       Clika_PoolStrides:$strides, Clika_PoolPads:$pads, Clika_Dilations:$dilations, Clika_CeilMode:$ceil_mode,
                       Clika_AutoPad:$auto_pad, Clika_NodeProp:$node);
}

def Clika_MaxPoolOp : Clika_MaxPoolBase<"max_pool", 130> {
  let summary = "The largest element of each window; a NaN is handed on";
  let formula = "max over k of x[n, c, o * stride + k * dilation - pad]";
  let exactness = "exact; a window that holds no element of x gives -inf, or the lowest integer";
  let results = (outs Res<Clika_NumberTensor, "[batch, channels, spatial...]">:$result);
  let example = [{
    x = crt.tensor(np.array([[[1, 3, 2, 0]]], np.float32))
    crt.max_pool(x, kernel=[2], strides=[1])  # -> [[[3.0, 3.0, 2.0]]]
  }];
}

def Clika_MaxPoolWithIndicesOp : Clika_MaxPoolBase<"max_pool_with_indices", 131> {
  let summary = "The largest element of each window, and where in x it is";
  let description = [{
    A place is an index into x seen as one row of elements, the padding not counted. Of equal elements it is the first
    one's, and with a NaN in the window the first NaN's.
  }];
  let formula = "max and argmax over k of x[n, c, o * stride + k * dilation - pad]";
  let exactness = "exact; a window that holds no element of x gives -inf (or the lowest integer) and -1";
  let results = (outs Res<Clika_NumberTensor, "[batch, channels, spatial...]">:$result,
                      Res<Clika_Index64Tensor, "the places, of the same shape">:$indices);
  let needsInsert = 1;
  let example = [{
    x = crt.tensor(np.array([[[1, 3, 2, 0]]], np.float32))
    values, places = crt.max_pool_with_indices(x, kernel=[2], strides=[1])
    places  # -> [[[1, 1, 2]]]
  }];
}

def Clika_AvgPoolOp : Clika_PoolBase<"avg_pool", 132> {
  let summary = "The mean of each window";
  let formula = "(sum over k of x[n, c, o * stride + k * dilation - pad]) / count";
  let exactness = "kernel positions ascending, one accumulator, then one division; half types are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, spatial...]">:$x, Clika_Kernel:$kernel,
                       Clika_PoolStrides:$strides, Clika_PoolPads:$pads, Clika_Dilations:$dilations, Clika_CeilMode:$ceil_mode,
                       Arg<Clika_Bool<"false">, "whether the zeros that pads adds count; what ceil_mode reaches beyond them "
                                                "never does">:$count_include_pad,
                       Clika_AutoPad:$auto_pad, Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "[batch, channels, spatial...]">:$result);
  let example = [{
    x = crt.tensor(np.array([[[1, 3, 2, 0]]], np.float32))
    crt.avg_pool(x, kernel=[2])  # -> [[[2.0, 1.0]]]
  }];
}

def Clika_LpPoolOp : Clika_PoolBase<"lp_pool", 133> {
  let summary = "The p-norm of each window";
  let formula = "(sum over k of |x[n, c, o * stride + k * dilation - pad]|^p)^(1/p)";
  let exactness = "kernel positions ascending, one accumulator; half types are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, spatial...]">:$x, Clika_Kernel:$kernel,
                       Arg<Clika_Float<"2.0">, "the norm's order">:$p,
                       Clika_PoolStrides:$strides, Clika_PoolPads:$pads, Clika_Dilations:$dilations, Clika_CeilMode:$ceil_mode,
                       Clika_AutoPad:$auto_pad, Clika_NodeProp:$node);
  let results = (outs Res<Clika_FloatTensor, "[batch, channels, spatial...]">:$result);
  let hasVerifier = 1;
  let example = [{
    x = crt.tensor(np.array([[[3, 4, 0, 5]]], np.float32))
    crt.lp_pool(x, kernel=[2])  # -> [[[5.0, 5.0]]]
  }];
}

class Clika_GlobalPoolBase<string mnemonic, int number, Clika_Tensor tensor> : Clika_PoolBase<mnemonic, number> {
  let arguments = (ins Arg<tensor, "the input, [batch, channels, spatial...]">:$x, Clika_NodeProp:$node);
  let results = (outs Res<tensor, "[batch, channels, 1...]">:$result);
}

def Clika_GlobalMaxPoolOp : Clika_GlobalPoolBase<"global_max_pool", 134, Clika_NumberTensor> {
  let summary = "The largest element of each channel; a NaN is handed on";
  let formula = "max over spatial positions s of x[n, c, s]";
  let exactness = "exact; without elements -inf, or the lowest integer";
  let example = [{
    x = crt.tensor(np.array([[[1, 3, 2, 0]]], np.float32))
    crt.global_max_pool(x)  # -> [[[3.0]]]
  }];
}

def Clika_GlobalAvgPoolOp : Clika_GlobalPoolBase<"global_avg_pool", 135, Clika_FloatTensor> {
  let summary = "The mean of each channel";
  let formula = "(sum over spatial positions s of x[n, c, s]) / count";
  let exactness = "positions ascending, one accumulator, then one division; half types are rounded once";
  let example = [{
    x = crt.tensor(np.array([[[1, 3, 2, 0]]], np.float32))
    crt.global_avg_pool(x)  # -> [[[1.5]]]
  }];
}

def Clika_GlobalLpPoolOp : Clika_GlobalPoolBase<"global_lp_pool", 136, Clika_FloatTensor> {
  let summary = "The p-norm of each channel";
  let formula = "(sum over spatial positions s of |x[n, c, s]|^p)^(1/p)";
  let exactness = "positions ascending, one accumulator; half types are rounded once";
  let arguments = (ins Arg<Clika_FloatTensor, "the input, [batch, channels, spatial...]">:$x,
                       Arg<Clika_Float<"2.0">, "the norm's order">:$p, Clika_NodeProp:$node);
  let hasVerifier = 1;
  let example = [{
    x = crt.tensor(np.array([[[3, 4]]], np.float32))
    crt.global_lp_pool(x)  # -> [[[5.0]]]
  }];
}

#endif
