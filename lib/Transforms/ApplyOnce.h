// The driver of the runtime's rules.
#ifndef CLIKA_TRANSFORMS_APPLYONCE_H
#define CLIKA_TRANSFORMS_APPLYONCE_H

#include "Transforms/RuntimeTransforms.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace clika {

/// Visits each op that is in the module now, once, in order, and applies the first pattern that matches. Unlike the
/// greedy driver it folds, merges and erases nothing on the side, and does not visit what a pattern makes. A pattern may
/// erase any op. Adds to context.rewrites.
llvm::LogicalResult applyOnce(TransformContext &context, const mlir::FrozenRewritePatternSet &patterns);

} // namespace clika

#endif
