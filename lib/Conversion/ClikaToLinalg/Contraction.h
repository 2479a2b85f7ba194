// What conv and conv_transpose have in common.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_CONTRACTION_H
#define CLIKA_CONVERSION_CLIKATOLINALG_CONTRACTION_H

#include "Conversion/ClikaToLinalg/TensorBuilder.h"

namespace clika {

/// Adds the products of both inputs' elements to `start`, in ascending order of the loops that the last map leaves out,
/// with one rounding for each product and sum.
mlir::Value contract(TensorBuilder &t, mlir::ValueRange inputs, mlir::Value start,
                     llvm::ArrayRef<llvm::SmallVector<mlir::AffineExpr>> maps, unsigned loopCount);

/// The sizes of a tensor [batch, channels, spatial...] without the first two.
Sizes spatialSizes(TensorBuilder &t, mlir::Value tensor);

/// `bias` is the lowered form of `value`, or null.
void checkBias(TensorBuilder &t, mlir::Value value, mlir::Value bias, Dim outputs, Size count);

} // namespace clika

#endif
