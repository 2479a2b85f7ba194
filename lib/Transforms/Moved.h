// What rules about moved and selected elements share: axes and lists of settings written out, constants of indices.
#ifndef CLIKA_TRANSFORMS_MOVED_H
#define CLIKA_TRANSFORMS_MOVED_H

#include "Dialect/ShapeOps.h"
#include "mlir/IR/PatternMatch.h"

namespace clika {

inline mlir::RankedTensorType typeOf(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline int64_t rankOf(mlir::Value value) { return typeOf(value).getRank(); }
/// An axis counted from the start.
inline int64_t fromStart(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }
/// Sorted axes counted from the start.
llvm::SmallVector<int64_t> fromStart(llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The order of dimensions a transpose makes, written out.
llvm::SmallVector<int64_t> permOf(TransposeOp op);

/// Whether the value is known to have as many elements as the type says, so that a reshape to it that leaves one size
/// to be found finds the one that the type names.
bool hasCountOf(mlir::Value x, mlir::Type type);
/// The setting that reshapes `x` to `type`: sizes with at most one -1; none where two are dynamic, where -1 could not
/// be told from its neighbours because of a size of 0, or where it might be found to be another than the one named.
std::optional<llvm::SmallVector<int64_t>> literalReshape(mlir::Value x, mlir::RankedTensorType type);

/// Whether the op computes each element of its one result from that in its one operand's place, so that the
/// shape stays.
bool isElementwise(mlir::Operation *op);
/// Whether the op computes each element of its one result from those its operands, broadcast, have there.
bool isBroadcasting(mlir::Operation *op);

/// One axis of a slice with literal settings.
struct SliceAxis {
  int64_t axis, start, end, step;
};
/// The axes of a slice, counted from the start; none where a setting is a tensor.
std::optional<llvm::SmallVector<SliceAxis, 4>> literalSlice(SliceOp slice);
/// first, first + step, …: `count` positions below `size`, for a positive step; none for another.
struct Positions {
  int64_t first, count, step;
};
std::optional<Positions> positionsOf(const SliceAxis &slice, int64_t size);
/// The slice of these positions along one axis.
mlir::Value makeSlice(mlir::RewriterBase &rewriter, mlir::Location location, mlir::Value x, int64_t axis,
                      Positions positions);

/// The elements of a constant of integers; none for another value or a large one.
std::optional<llvm::SmallVector<int64_t>> constantIntegers(mlir::Value value);
/// Indices along a dimension of `size`, counted from the start; none where one is out of range.
std::optional<llvm::SmallVector<int64_t>> indicesIn(mlir::Value value, int64_t size);
mlir::Value makeIntegers(mlir::RewriterBase &rewriter, mlir::Location location, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> numbers);
/// The positions that ascending indices with equal distances name; none for other indices.
std::optional<Positions> evenly(llvm::ArrayRef<int64_t> indices);

/// A copy of `op`, as a node of its own, that reads `operands`, of which each result has the shape of `like` (null:
/// that of the first operand) and the dtype it had.
mlir::Value cloneOver(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::ValueRange operands,
                      mlir::Type like = {});

} // namespace clika

#endif
