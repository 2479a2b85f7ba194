// What convolutions and pools have in common: kernel, strides, pads, dilations, auto_pad.
#pragma once
#include "IO/Onnx/Call.h"

namespace clika::onnx {

/// Sets strides, pads, dilations and auto_pad of `op` from the node's attributes.
void setWindow(Call &call, OpMaker &op, int64_t spatialRank);
/// Checks kernel_shape, which repeats the sizes of `weight`.
void checkKernel(Call &call, mlir::Value weight);
/// The number of spatial dimensions of an input of [batch, channels, spatial...].
int64_t spatialRankOf(Call &call, mlir::Value input);

} // namespace clika::onnx
