#ifndef CLIKA_DIALECT_POINTWISEOPS_H
#define CLIKA_DIALECT_POINTWISEOPS_H

#include "Dialect/Commutative.h"
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

namespace clika {

/// Inference of an op whose operands have one dtype and broadcast, with a bool result.
mlir::LogicalResult inferBroadcastTest(std::optional<mlir::Location> location, llvm::StringRef op,
                                       mlir::TypeRange operands, llvm::SmallVectorImpl<mlir::Type> &types);
/// Inference of an op with a bool operand and two of one dtype, all broadcast.
mlir::LogicalResult inferWhere(std::optional<mlir::Location> location, llvm::StringRef op, mlir::TypeRange operands,
                               llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace clika

#define GET_OP_CLASSES
#include "Dialect/PointwiseOps.h.inc"

#endif
