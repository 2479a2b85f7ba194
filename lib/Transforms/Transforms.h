// The `run` functions of the records in Passes.td, one per transform.
#ifndef CLIKA_TRANSFORMS_TRANSFORMS_H
#define CLIKA_TRANSFORMS_TRANSFORMS_H

#include "Transforms/RuntimeTransforms.h"

namespace clika {

#define CLIKA_TRANSFORM_RUN(name) llvm::LogicalResult run##name(TransformContext &context);
#include "Transforms/TransformRuns.inc"
#undef CLIKA_TRANSFORM_RUN

} // namespace clika

#endif
