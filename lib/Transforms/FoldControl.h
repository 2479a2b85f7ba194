// Choices and repetitions that a constant decides.
#ifndef CLIKA_TRANSFORMS_FOLDCONTROL_H
#define CLIKA_TRANSFORMS_FOLDCONTROL_H

#include "Transforms/Kept.h"

namespace clika {

/// Replaces an `if` of a constant condition by the branch that it takes, and a `loop` that never begins by what it is
/// given; nodes of the branch keep their identities. Why it could not; "" where it did. `keeps`: as in
/// TransformContext.
llvm::StringRef foldControl(mlir::Operation *op, mlir::RewriterBase &rewriter, const Keeps &keeps);

} // namespace clika

#endif
