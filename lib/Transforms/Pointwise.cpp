// Local rules over pointwise ops: remove_redundant_relu, remove_double_neg, remove_double_not, clamp_to_relu,
// add_neg_to_sub.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Transforms.h"
#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace clika {

static LogicalResult isZeroFloor(Operation *op, PatternRewriter &rewriter) {
  auto clamp = cast<ClampOp>(op);
  if (clamp->getNumOperands() != 1)
    return rewriter.notifyMatchFailure(op, "a bound is given as a tensor");
  if (clamp.getMaxAttr())
    return rewriter.notifyMatchFailure(op, "it has a ceiling");
  if (!clamp.getMinAttr() || !isPositiveZero(clamp.getMinAttr()))
    return rewriter.notifyMatchFailure(op, "its floor is not +0.0");
  return success();
}

// Why PDL's matcher left an op that the rules below consider.

static StringRef whyNoReluPair(Operation *op) { return isa<ReluOp>(op) ? "it does not read a Relu" : ""; }

static StringRef whyNoNegPair(Operation *op) { return isa<NegOp>(op) ? "it does not read a Neg" : ""; }

static StringRef whyNoNotPair(Operation *op) {
  if (isa<LogicalNotOp>(op))
    return "it does not read a logical_not";
  return isa<BitwiseNotOp>(op) ? "it does not read a bitwise_not" : "";
}

static StringRef whyNoDifference(Operation *op) {
  auto add = dyn_cast<AddOp>(op);
  if (!add)
    return "";
  return add.getA().getDefiningOp<NegOp>() ? "alpha would multiply the minuend" : "neither operand is a Neg";
}

} // namespace clika

#include "Transforms/Pointwise.pdll.inc"

namespace clika {

LogicalResult runRemoveRedundantRelu(TransformContext &context) {
  return applyOnce(
      context, [](RewritePatternSet &p) { p.add<RemoveRedundantReluRule>(p.getContext()); }, whyNoReluPair);
}

LogicalResult runRemoveDoubleNeg(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<RemoveDoubleNegRule>(p.getContext()); }, whyNoNegPair);
}

LogicalResult runRemoveDoubleNot(TransformContext &context) {
  return applyOnce(
      context,
      [](RewritePatternSet &p) { p.add<RemoveDoubleLogicalNotRule, RemoveDoubleBitwiseNotRule>(p.getContext()); },
      whyNoNotPair);
}

LogicalResult runClampToRelu(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<ClampToReluRule>(p.getContext()); });
}

LogicalResult runAddNegToSub(TransformContext &context) {
  return applyOnce(
      context, [](RewritePatternSet &p) { p.add<AddNegToSubRule, NegAddToSubRule>(p.getContext()); }, whyNoDifference);
}

} // namespace clika
