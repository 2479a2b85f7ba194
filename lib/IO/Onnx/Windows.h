// What convolutions and pools have in common: kernel, strides, pads, dilations, auto_pad; and what products of integers
// have.
#pragma once
#include "IO/Onnx/Call.h"

namespace clika::onnx {

/// Sets strides, pads, dilations and auto_pad of `op` from the node's attributes.
void setWindow(Call &call, OpMaker &op, int64_t spatialRank);
/// Checks kernel_shape, which repeats the sizes of `weight`.
void checkKernel(Call &call, mlir::Value weight);
/// The number of spatial dimensions of an input of [batch, channels, spatial...].
int64_t spatialRankOf(Call &call, mlir::Value input);

/// An input's integers less their zero point, if it is given, in int32. One per row of a matrix, or of each in a stack,
/// may be a list.
mlir::Value centered(Call &call, size_t input, size_t zeroPoint, bool isPerRow);
/// The same of a convolution's kernel, with a zero point for each of the out channels, or for all.
mlir::Value centeredKernel(Call &call, size_t input, size_t zeroPoint);

} // namespace clika::onnx
