// The sums of four products of bytes that a byte product takes in one step.
#pragma once
#include "mlir/IR/Builders.h"

namespace clika {

/// sum + Σ x[i]·y[i] over the four bytes of each word, x's unsigned and y's signed, on words or vectors of them; no sum
/// is cut off. `how` is one of the texts of `byteDot` in Jit.h.
mlir::Value emitByteDot(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef how, mlir::Value x, mlir::Value y,
                        mlir::Value sum);

} // namespace clika
