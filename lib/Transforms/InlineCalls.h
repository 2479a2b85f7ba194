// Calls of private functions, replaced by what the functions hold.
#ifndef CLIKA_TRANSFORMS_INLINECALLS_H
#define CLIKA_TRANSFORMS_INLINECALLS_H

#include "Dialect/ControlOps.h"
#include "mlir/IR/PatternMatch.h"

namespace clika {

/// Puts a copy of what the function holds in the place of the call; the copies have no identities yet. A dimension that
/// the function names has the size that the call gives it. `freshDim` makes a name for a size that neither tells.
void inlineCall(CallOp call, mlir::RewriterBase &rewriter, llvm::function_ref<std::string()> freshDim);
/// The same for every call in `op`, those of what that puts there included. Functions stand after those they call.
void inlineCalls(mlir::Operation *op, mlir::RewriterBase &rewriter, llvm::function_ref<std::string()> freshDim);

} // namespace clika

#endif
