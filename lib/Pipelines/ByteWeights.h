// Weights of products over bytes: signed bytes in panels as wide as a register tile, with groups of four along one
// axis.
#pragma once
#include "Pipelines/ByteOperands.h"
#include "Pipelines/ConstantViews.h"

namespace clika {

/// How the product reads its weight.
struct ByteWeightShape {
  mlir::RankedTensorType type; // of the weight as it was; results run along its last dimension
  unsigned grouped = 0;        // the summed dimension that is grouped
  llvm::SmallVector<bool> summed;
  int64_t width = 0; // of a panel

  int64_t columns() const { return type.getShape().back(); }
  int64_t panelCount() const { return (columns() + width - 1) / width; }
  int64_t groups() const { return (type.getDimSize(grouped) + 3) / 4; }
  /// [panels, .., groups, .., width, 4].
  llvm::SmallVector<int64_t> panelShape() const;
  /// Dimensions that are not summed.
  llvm::SmallVector<int64_t> resultDims() const;
};

struct ByteWeight {
  mlir::Value panels;
  /// Of the bytes in the panels, along the summed dimensions: int32, over the dimensions that are not summed.
  mlir::Value sums;
  /// What the weight is less than its bytes in the panels; addressed by the dimensions of the weight.
  ByteOffset zero;
};

/// Panels and sums that are made in every run.
ByteWeight runTimeWeight(mlir::OpBuilder &builder, mlir::Location loc, const ByteOperand &operand,
                         const ByteWeightShape &shape);

/// Of what `view` shows, whose elements are int32, or bytes that are signed or not: panels and sums made now. None
/// where the numbers of a result's column do not fit into a byte.
std::optional<ByteWeight> constantWeight(mlir::func::FuncOp main, std::vector<ConstantArgument> &constants,
                                         ConstantViews &views, const View &view, bool isSigned,
                                         const ByteWeightShape &shape);

} // namespace clika
