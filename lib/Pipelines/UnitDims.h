// Places of operands in dimensions of size 1.
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace clika {

/// Lets element-wise work read each input at loops alone: where it reads the first and only place of a dimension, by
/// the loop that has one step, or without that dimension.
void readByLoops(mlir::OpBuilder &builder, mlir::linalg::GenericOp op);

} // namespace clika
