// Reductions in the order that docs/semantics.md lays down, for every op that has one inside.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_REDUCTION_H
#define CLIKA_CONVERSION_CLIKATOLINALG_REDUCTION_H

#include "Conversion/ClikaToLinalg/TensorBuilder.h"

namespace clika {

/// What is reduced, and how. Values are of the accumulator's type unless said otherwise.
struct Reduction {
  /// The accumulator of no elements.
  mlir::TypedAttr neutral;
  /// An element's contribution, from the stored elements of the inputs, of the rows' values, and (where `indexed`) the
  /// element's position, an index, in that order.
  std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)> element;
  std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::Value, mlir::Value)> combine;
  bool indexed = false;
};

/// Reduces `inputs`, tensors of one shape, along their dimensions `axes` (ascending). `rows` are tensors over the other
/// dimensions, whose elements `element` sees beside. The result, over the other dimensions, is of the accumulator's
/// type. Along the last dimension there are 32 partial results by position mod 32 (of all the reduced dimensions as one
/// row), combined by halving; else one, elements ascending.
mlir::Value reduce(TensorBuilder &t, mlir::ValueRange inputs, mlir::ValueRange rows, llvm::ArrayRef<int64_t> axes,
                   const Reduction &reduction);

// Reductions of elements of dtype `element`, as they are.
Reduction sumOf(TensorBuilder &t, mlir::Type element);
Reduction maximumOf(TensorBuilder &t, mlir::Type element);
Reduction minimumOf(TensorBuilder &t, mlir::Type element);

mlir::Value addScalars(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value multiplyScalars(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// The lowest or the highest value of dtype `element`, in its computed type: infinities for floats.
mlir::TypedAttr lowestOf(mlir::OpBuilder &b, mlir::Type element);
mlir::TypedAttr highestOf(mlir::OpBuilder &b, mlir::Type element);
/// How many elements a result stands for, as a scalar of type `type` (a float, or an integer).
mlir::Value countOf(TensorBuilder &t, mlir::Value input, llvm::ArrayRef<int64_t> axes, mlir::Type type);

} // namespace clika

#endif
