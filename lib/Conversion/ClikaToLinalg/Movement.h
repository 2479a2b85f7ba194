// What the lowerings of ops that move elements share.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_MOVEMENT_H
#define CLIKA_CONVERSION_CLIKATOLINALG_MOVEMENT_H

#include "Conversion/ClikaToLinalg/IndexMath.h"
#include "Dialect/Shape.h"
#include "mlir/IR/BuiltinTypes.h"

namespace clika {

/// One lowering under way: where ops are made and what they are made for.
struct Lowering {
  Lowering(mlir::OpBuilder &builder, mlir::Operation *op) : b(op->getLoc(), builder), math(b), op(op) {}

  /// A run-time check that names the node; none where the condition is known to hold.
  void check(Index condition, const llvm::Twine &message);

  mlir::ImplicitLocOpBuilder b;
  IndexMath math;
  mlir::Operation *op;
};

/// Checks at run time that a tensor of `sizes`, where they are not all known, is none that no memory holds.
void checkCount(Lowering &lowering, llvm::ArrayRef<Index> sizes);

/// The entries of an integer list that is a literal or, where `original` is not null, an operand (lowered: `tensor`).
Indices integerEntries(Lowering &lowering, llvm::ArrayRef<int64_t> literal, mlir::Value original, mlir::Value tensor);
/// The one element of a lowered tensor.
mlir::Value onlyElement(Lowering &lowering, mlir::Value tensor);
/// An integer scalar of dtype `element` as an index; floats are cut off.
mlir::Value toIndex(Lowering &lowering, mlir::Value scalar, mlir::Type element);
/// A Scalar setting as a stored value of dtype `element`; 0 where it is null.
mlir::Value storedScalar(Lowering &lowering, mlir::Attribute literal, mlir::Type element);

using ElementBuilder =
    llvm::function_ref<mlir::Value(Lowering &inner, llvm::ArrayRef<Index> position, mlir::ValueRange inputs)>;
/// A tensor of `sizes` whose elements `build` computes from their position and from `inputs`, read through `maps`.
mlir::Value buildElements(Lowering &lowering, llvm::ArrayRef<Index> sizes, mlir::Type stored, mlir::ValueRange inputs,
                          llvm::ArrayRef<mlir::AffineMap> maps, ElementBuilder build);
mlir::Value buildElements(Lowering &lowering, llvm::ArrayRef<Index> sizes, mlir::Type stored, ElementBuilder build);

/// The element of `tensor` at `position`.
mlir::Value elementAt(Lowering &lowering, mlir::Value tensor, llvm::ArrayRef<Index> position);
/// `value`, of sizes `from`, in another shape of as many elements, without a copy. Sizes that are equal as indices at
/// both ends of the two lists are taken for the same dimensions.
mlir::Value reshaped(Lowering &lowering, mlir::Value value, llvm::ArrayRef<Index> from, llvm::ArrayRef<Index> sizes);
/// The elements offsets + i * steps (steps positive) for i < sizes.
mlir::Value sliced(Lowering &lowering, mlir::Value value, llvm::ArrayRef<Index> offsets, llvm::ArrayRef<Index> sizes,
                   llvm::ArrayRef<Index> steps);
/// `into` with `value` written at `offsets`.
mlir::Value inserted(Lowering &lowering, mlir::Value value, mlir::Value into, llvm::ArrayRef<Index> offsets);
/// `value` with its dimensions in the order `perm`.
mlir::Value transposed(Lowering &lowering, mlir::Value value, llvm::ArrayRef<int64_t> perm);
mlir::Value emptyTensor(Lowering &lowering, llvm::ArrayRef<Index> sizes, mlir::Type stored);
/// A new tensor of `sizes` that holds `scalar`.
mlir::Value filled(Lowering &lowering, llvm::ArrayRef<Index> sizes, mlir::Value scalar);

/// What the op gather makes of lowered operands; `original` is the indices in the graph. They are checked at run time,
/// in an error that calls x `what`, and its sizes `dims` (empty: nothing is known of them).
mlir::Value gathered(Lowering &lowering, mlir::Value x, mlir::Value original, mlir::Value indices, int64_t axis,
                     llvm::ArrayRef<Dim> dims, llvm::StringRef what);

/// The tensor type of these sizes, static where they are known.
mlir::RankedTensorType typeOfSizes(llvm::ArrayRef<Index> sizes, mlir::Type stored);
/// The lowered form of a type.
mlir::RankedTensorType loweredType(mlir::Type type);

} // namespace clika

#endif
