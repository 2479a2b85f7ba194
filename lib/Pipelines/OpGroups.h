// Which linalg ops on buffers are emitted together: a fill before a reduction, element-wise work after it.
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace clika {

/// Kept on a linalg.generic that was made of a named contraction.
inline constexpr llvm::StringLiteral kContractionAttr = "clika.contraction";

/// A named matmul, convolution or the like: its sums of products are fused multiply-adds in ascending order.
bool isContraction(mlir::linalg::LinalgOp op);

struct OpGroup {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<mlir::linalg::FillOp> fills; // of output i; null: none
  mlir::linalg::GenericOp epilogue;              // null: none
  unsigned epilogueOperand = 0;

  /// The op whose place the group is emitted at.
  mlir::linalg::LinalgOp last() const { return epilogue ? mlir::linalg::LinalgOp(epilogue) : op; }
};

OpGroup groupOf(mlir::linalg::LinalgOp op);

} // namespace clika
