// The axes a resize samples anew: their sizes, where the result's elements lie in x, and which of x's elements they
// weigh.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_RESIZEAXIS_H
#define CLIKA_CONVERSION_CLIKATOLINALG_RESIZEAXIS_H

#include "Conversion/ClikaToLinalg/Movement.h"
#include "Dialect/ResizeOps.h"

namespace clika {

struct ResizeAxis {
  int64_t axis = 0;
  /// The sizes of x and of the result.
  Index in, out;
  /// size * scale as a float64: the result's size before it was rounded down.
  mlir::Value length;
  /// From roi, as float64; null unless it counts.
  mlir::Value start, end;
};

/// The axes along which the result is not x itself; checks at run time what their sizes must be.
llvm::SmallVector<ResizeAxis> resizeAxes(Lowering &lowering, ResizeOp op, ResizeOp::Adaptor adaptor);

/// For Nearest: the position of the element taken for each of the result's (int64); -1 for one outside in
/// TfCropAndResize.
mlir::Value nearestTable(Lowering &lowering, ResizeOp op, const ResizeAxis &axis);
/// For TfCropAndResize: whether each of the result's positions lies inside x (int8).
mlir::Value insideTable(Lowering &lowering, ResizeOp op, const ResizeAxis &axis);

/// `count` neighbours of each of the result's elements.
struct Taps {
  Index count;
  /// [out, count]: their positions (int64, held inside x) and weights (`type`).
  mlir::Value places, weights;
};
Taps tapTables(Lowering &lowering, ResizeOp op, const ResizeAxis &axis, mlir::Type type);

} // namespace clika

#endif
