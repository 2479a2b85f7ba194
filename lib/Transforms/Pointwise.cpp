// Local rules over pointwise ops: remove_redundant_relu, remove_double_neg, clamp_to_relu, add_neg_to_sub.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Transforms.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace clika {

static LogicalResult isZeroFloor(Operation *op) {
  auto clamp = cast<ClampOp>(op);
  if (clamp->getNumOperands() != 1 || clamp.getMaxAttr() || !clamp.getMinAttr())
    return failure();
  return success(isPositiveZero(clamp.getMinAttr()));
}

} // namespace clika

#include "Transforms/Pointwise.pdll.inc"

namespace clika {

LogicalResult runRemoveRedundantRelu(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<RemoveRedundantReluRule>(p.getContext()); });
}

LogicalResult runRemoveDoubleNeg(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<RemoveDoubleNegRule>(p.getContext()); });
}

LogicalResult runClampToRelu(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<ClampToReluRule>(p.getContext()); });
}

LogicalResult runAddNegToSub(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<AddNegToSubRule, NegAddToSubRule>(p.getContext()); });
}

} // namespace clika
