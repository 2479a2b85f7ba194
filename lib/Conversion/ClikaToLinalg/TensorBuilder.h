// Short forms of what lowerings build: sizes that may be known only at run time, slices, reshapes, element-wise work.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_TENSORBUILDER_H
#define CLIKA_CONVERSION_CLIKATOLINALG_TENSORBUILDER_H

#include "Dialect/Shape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace clika {

/// A size or offset: a constant where it is known.
using Size = mlir::OpFoldResult;
using Sizes = llvm::SmallVector<mlir::OpFoldResult, 4>;

/// Builds the scalars of an element-wise or reducing body: operands' stored elements in, results out.
using ScalarBody =
    llvm::function_ref<void(mlir::ImplicitLocOpBuilder &, mlir::ValueRange, llvm::SmallVectorImpl<mlir::Value> &)>;

class TensorBuilder {
public:
  /// Builds at `builder`'s place; run-time messages name `op`.
  TensorBuilder(mlir::OpBuilder &builder, mlir::Operation *op) : b(op->getLoc(), builder), op(op) {}

  // Sizes; each folds where it can.
  Size size(int64_t value) { return b.getIndexAttr(value); }
  Size sizeOf(mlir::Value tensor, unsigned dim);
  Sizes sizesOf(mlir::Value tensor);
  Size add(Size x, Size y);
  Size sub(Size x, Size y);
  Size mul(Size x, Size y);
  /// For y > 0; x may be negative.
  Size floorDiv(Size x, int64_t y);
  Size ceilDiv(Size x, int64_t y) { return floorDiv(add(x, size(y - 1)), y); }
  Size remainder(Size x, int64_t y) { return sub(x, mul(floorDiv(x, y), size(y))); }
  Size max(Size x, Size y);
  Size min(Size x, Size y);
  Size product(llvm::ArrayRef<Size> sizes);
  mlir::Value indexOf(Size size);

  /// Emits a check that `condition` holds, unless it is constant and does.
  void require(mlir::arith::CmpIPredicate predicate, Size x, Size y, const llvm::Twine &message);
  /// Emits a check of two sizes, unless the dimensions are known to agree.
  void requireSame(Dim x, Dim y, Size xSize, Size ySize, const llvm::Twine &message);

  // Tensors.
  mlir::Value empty(llvm::ArrayRef<Size> sizes, mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<Size> sizes, mlir::Value scalar);
  mlir::Value filled(llvm::ArrayRef<Size> sizes, mlir::TypedAttr scalar);
  mlir::Value slice(mlir::Value tensor, llvm::ArrayRef<Size> offsets, llvm::ArrayRef<Size> sizes);
  mlir::Value insert(mlir::Value part, mlir::Value into, llvm::ArrayRef<Size> offsets, llvm::ArrayRef<Size> sizes,
                     llvm::ArrayRef<int64_t> strides = {});
  mlir::Value transpose(mlir::Value tensor, llvm::ArrayRef<int64_t> permutation);
  /// Joins each run of dimensions into one.
  mlir::Value collapse(mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> runs);
  /// Splits each dimension into the run of dimensions of `sizes` that stands for it.
  mlir::Value expand(mlir::Value tensor, llvm::ArrayRef<mlir::ReassociationIndices> runs, llvm::ArrayRef<Size> sizes);
  /// Adds a dimension of size 1 at position `at`.
  mlir::Value addUnit(mlir::Value tensor, unsigned at);
  /// Joins the dimensions from `first` up to `last` (not included); where there are none, adds one of size 1.
  mlir::Value join(mlir::Value tensor, unsigned first, unsigned last);
  mlir::Value pad(mlir::Value tensor, llvm::ArrayRef<Size> low, llvm::ArrayRef<Size> high, mlir::TypedAttr with);
  /// `tensor` as dimensions of `sizes`, which hold as many elements in the same order.
  mlir::Value reshape(mlir::Value tensor, llvm::ArrayRef<Size> sizes);

  /// One loop per entry of `loops`; `outs` are the initial results. The body yields one value per result.
  llvm::SmallVector<mlir::Value> generic(mlir::ValueRange inputs, mlir::ValueRange outs,
                                         llvm::ArrayRef<mlir::AffineMap> maps,
                                         llvm::ArrayRef<mlir::utils::IteratorType> loops, ScalarBody body);
  /// A new tensor of `sizes`, each element computed from the inputs' elements that `maps` point to.
  mlir::Value map(llvm::ArrayRef<Size> sizes, mlir::Type element, mlir::ValueRange inputs,
                  llvm::ArrayRef<mlir::AffineMap> maps,
                  llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::ValueRange)> body);

  /// The map from `rank` loops to the loops of `dims`, in their order.
  mlir::AffineMap mapTo(unsigned rank, llvm::ArrayRef<int64_t> dims);
  mlir::AffineMap identity(unsigned rank) { return b.getMultiDimIdentityMap(rank); }

  mlir::ImplicitLocOpBuilder b;
  mlir::Operation *op;
};

/// first, first + 1, … last - 1.
llvm::SmallVector<int64_t> dimRange(int64_t first, int64_t last);
mlir::ReassociationIndices asRun(llvm::ArrayRef<int64_t> dims);
/// 0, 1, … count - 1 without those in `without`.
llvm::SmallVector<int64_t> dimsWithout(unsigned count, llvm::ArrayRef<int64_t> without);

} // namespace clika

#endif
