// fuse_half_precision.
#include "Transforms/ApplyOnce.h"
#include "Transforms/Precision.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {

LogicalResult runFuseHalfPrecision(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &patterns) {
    populateHalfAttention(patterns);
    populateHalfBatchNorm(patterns);
    populateHalfLinear(patterns);
    populateHalfNorms(patterns);
    populateHalfRotary(patterns);
    populateHalfScales(patterns);
  });
}

} // namespace clika
