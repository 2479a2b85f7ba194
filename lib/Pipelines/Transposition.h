// Copies that change which dimension is contiguous, in square blocks of vectors.
#pragma once
#include "Pipelines/WorkSplit.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace clika {

/// Emits `op` before itself if it copies one buffer to another whose contiguous dimension is another one; false, having
/// emitted nothing that matters, for every other op.
bool emitTransposition(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op, WorkSplit &split);

} // namespace clika
