// Whether a path leaves a set of operators and comes back.
#ifndef CLIKA_API_CONVEXITY_H
#define CLIKA_API_CONVEXITY_H

#include "API/Core.h"

namespace clika {

bool isConvex(GraphCore &core, llvm::ArrayRef<mlir::Operation *> ops);

} // namespace clika

#endif
