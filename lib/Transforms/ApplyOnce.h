// The driver of the runtime's rules.
#ifndef CLIKA_TRANSFORMS_APPLYONCE_H
#define CLIKA_TRANSFORMS_APPLYONCE_H

#include "Transforms/RuntimeTransforms.h"

namespace clika {

/// Visits each op that is in the module now and can be a root, once, in order, and applies the first pattern of
/// `populate` that matches. Unlike the greedy driver it folds, merges and erases nothing on the side, and does not
/// visit what a pattern makes. What a rewrite consumed (the producers that only the ops it erased read) goes with it. A
/// new op's results keep the symbolic sizes of what they replace. A pattern may erase any op. Adds to context.rewrites.
/// Where reasons are asked for, what the patterns notify becomes them; `unexplained` gives the reason of an op that all
/// of them refused without a word, as PDL's matcher does ("": the op is none that they consider).
llvm::LogicalResult applyOnce(TransformContext &context, const CompiledRules &rules,
                              llvm::StringRef (*unexplained)(mlir::Operation *) = nullptr);
llvm::LogicalResult applyOnce(TransformContext &context, void (*populate)(mlir::RewritePatternSet &),
                              llvm::StringRef (*unexplained)(mlir::Operation *) = nullptr);

} // namespace clika

#endif
