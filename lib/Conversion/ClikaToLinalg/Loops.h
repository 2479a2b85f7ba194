// Sequential loops over tensors, where an op has an order of its own.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_LOOPS_H
#define CLIKA_CONVERSION_CLIKATOLINALG_LOOPS_H

#include "Conversion/ClikaToLinalg/Movement.h"

namespace clika {

using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(Lowering &inner, llvm::ArrayRef<Index> at,
                                                                   mlir::ValueRange state)>;
/// Runs `body` for each position of `sizes`, in row-major order; it takes and returns the state that loops carry.
llvm::SmallVector<mlir::Value> loopNest(Lowering &lowering, llvm::ArrayRef<Index> sizes, mlir::ValueRange state,
                                        LoopBody body);

/// The part of `tensor` at a position in its first dimensions, and `tensor` with that part replaced. `row` is the sizes
/// of the other dimensions.
mlir::Value rowAt(Lowering &lowering, mlir::Value tensor, llvm::ArrayRef<Index> at, llvm::ArrayRef<Index> row);
mlir::Value withRow(Lowering &lowering, mlir::Value part, mlir::Value tensor, llvm::ArrayRef<Index> at,
                    llvm::ArrayRef<Index> row);

} // namespace clika

#endif
