// Nodes that a run must not consume.
#ifndef CLIKA_TRANSFORMS_KEPT_H
#define CLIKA_TRANSFORMS_KEPT_H

#include "mlir/IR/PatternMatch.h"

#include <functional>

namespace clika {

/// Whether an operation may not be consumed; null: any may.
using Keeps = std::function<bool(mlir::Operation *)>;

/// Whether `op`, or an operation within it, is kept.
bool holdsKept(mlir::Operation *op, const Keeps &keeps);

/// The same of TransformContext::keeps, for rules that replace other operators than their root; `rewriter` is the one
/// that applyOnce gave them.
bool isKept(const mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace clika

#endif
