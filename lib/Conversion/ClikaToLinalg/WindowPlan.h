// Where windows lie over a tensor, sizes known only at run time included.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_WINDOWPLAN_H
#define CLIKA_CONVERSION_CLIKATOLINALG_WINDOWPLAN_H

#include "Conversion/ClikaToLinalg/TensorBuilder.h"
#include "Dialect/Window.h"

namespace clika {

/// One entry per spatial dimension: how many windows there are, and what is added to the input so that all lie within
/// it.
struct WindowPlan {
  Sizes count, low, high;
};

/// `sizes` and `kernel`: the input's and the window's spatial sizes. Emits the check that a window fits.
WindowPlan planWindows(TensorBuilder &t, llvm::ArrayRef<Size> sizes, llvm::ArrayRef<Size> kernel, const Window &window);

/// [batch, channels, spatial...] to [batch, spatial..., channels] and back.
mlir::Value channelsLast(TensorBuilder &t, mlir::Value tensor);
mlir::Value channelsSecond(TensorBuilder &t, mlir::Value tensor);

/// A channels-last tensor with `low` and `high` elements of `with` around its spatial dimensions.
mlir::Value padSpatial(TensorBuilder &t, mlir::Value tensor, llvm::ArrayRef<Size> low, llvm::ArrayRef<Size> high,
                       mlir::TypedAttr with);

} // namespace clika

#endif
