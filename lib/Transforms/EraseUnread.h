// Removing what an edit or a rewrite has left without readers.
#ifndef CLIKA_TRANSFORMS_ERASEUNREAD_H
#define CLIKA_TRANSFORMS_ERASEUNREAD_H

#include "Transforms/Kept.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace clika {

/// Operations, each once, in the order in which they came.
using OpSet = llvm::SmallSetVector<mlir::Operation *, 8>;

/// Erases each of `ops` that is a node nothing reads, then what only the erased ones read, transitively, except what is
/// or holds a kept one.
void eraseUnread(mlir::RewriterBase &rewriter, OpSet ops, const Keeps &keeps = nullptr);
/// The same by a function that erases one operation.
void eraseUnread(OpSet ops, const Keeps &keeps, llvm::function_ref<void(mlir::Operation *)> erase);

/// What makes these values.
OpSet producersOf(mlir::ValueRange values);

} // namespace clika

#endif
