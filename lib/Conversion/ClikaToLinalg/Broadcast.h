// NumPy broadcasting of lowered operands, sizes known only at run time included.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_BROADCAST_H
#define CLIKA_CONVERSION_CLIKATOLINALG_BROADCAST_H

#include "Dialect/Shape.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace clika {

struct Broadcasted {
  /// The sizes of the result.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// The operands, each with the map from the result's dimensions to its own. An operand is a copy only where it turns
  /// out at run time to be broadcast along a dimension whose type did not say so.
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::AffineMap> maps;
};

/// Lines up `operands`, whose dimensions are `shapes`, to a result of dimensions `result`. Emits run-time checks, which
/// name `op`, where the types do not prove that sizes fit.
Broadcasted broadcastOperands(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands,
                              llvm::ArrayRef<Dims> shapes, llvm::ArrayRef<Dim> result);

} // namespace clika

#endif
