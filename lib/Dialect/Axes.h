// Settings that name dimensions.
#ifndef CLIKA_DIALECT_AXES_H
#define CLIKA_DIALECT_AXES_H

#include "Dialect/Shape.h"

namespace clika {

/// The dimension that `axis` names, from 0 on; of a scalar, 0 and -1 name its only element. Errors begin with `op`.
mlir::FailureOr<int64_t> readAxis(std::optional<mlir::Location> location, llvm::StringRef op, int64_t axis,
                                  int64_t rank);
/// The dimensions that `axes` names, ascending; all where it is empty.
mlir::FailureOr<llvm::SmallVector<int64_t>> readAxes(std::optional<mlir::Location> location, llvm::StringRef op,
                                                     llvm::ArrayRef<int64_t> axes, int64_t rank);
/// `dims` without the dimensions `axes`, or with size 1 in their places.
Dims reducedDims(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims, llvm::ArrayRef<int64_t> axes, bool keep);

} // namespace clika

#endif
