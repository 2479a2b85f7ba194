// simplify_where.
#include "Dialect/Commutative.h"
#include "Dialect/CoreOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

/// Elements of the constants that may be computed with on both branches.
constexpr int64_t kMostElements = 4096;

bool isSmallConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && typeOf(value).getNumElements() <= kMostElements;
}

struct NotConditionRule : OpRewritePattern<WhereOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhereOp where, PatternRewriter &rewriter) const override {
    auto inverse = where.getCondition().getDefiningOp<LogicalNotOp>();
    if (!inverse)
      return rewriter.notifyMatchFailure(where, "its condition is no logical_not");
    rewriter.replaceOpWithNewOp<WhereOp>(where, where.getType(), inverse.getX(), where.getB(), where.getA());
    return success();
  }
};

/// op(where(c, k, l), m) with constants k, l, m.
struct OfConstantsRule : RewritePattern {
  explicit OfConstantsRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    // Bounds and slopes must not enlarge what they bound.
    if (!isBroadcasting(op) || isa<WhereOp, ClampOp, PreluOp>(op))
      return failure();
    WhereOp where;
    for (Value operand : op->getOperands())
      if (auto found = operand.getDefiningOp<WhereOp>())
        where = found;
    if (!where)
      return failure();
    if (!isReadOnce(where->getResult(0)) || !isSmallConstant(where.getA()) || !isSmallConstant(where.getB()))
      return rewriter.notifyMatchFailure(op, "the where before it has another reader, or a branch that is no small "
                                             "constant");
    for (Value operand : op->getOperands())
      if (operand != where.getResult() && !isSmallConstant(operand))
        return rewriter.notifyMatchFailure(op, "another operand than the where is no small constant");
    Value a = onBranch(op, where, where.getA(), rewriter), b = onBranch(op, where, where.getB(), rewriter);
    rewriter.replaceOpWithNewOp<WhereOp>(op, op->getResult(0).getType(), where.getCondition(), a, b);
    return success();
  }

private:
  static Value onBranch(Operation *op, WhereOp where, Value branch, PatternRewriter &rewriter) {
    llvm::SmallVector<Value> operands;
    Dims dims;
    for (Value operand : op->getOperands()) {
      operands.push_back(operand == where.getResult() ? branch : operand);
      // The operands broadcast, as those of `op` do.
      dims = *broadcastShapes(dims, dimsOf(operands.back().getType()));
    }
    return cloneOver(rewriter, op, operands, tensorOf(dims, rewriter.getI1Type()));
  }
};

/// where(c, f(a, k), f(b, k)) for the same f and k.
struct CommonOperatorRule : OpRewritePattern<WhereOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhereOp where, PatternRewriter &rewriter) const override {
    Operation *a = where.getA().getDefiningOp(), *b = where.getB().getDefiningOp();
    if (!isBroadcasting(a) || !isBroadcasting(b) || a->getName() != b->getName() || a == b)
      return rewriter.notifyMatchFailure(where, "its branches are not made by one kind of pointwise operator");
    if (!isReadOnce(a->getResult(0)) || !isReadOnce(b->getResult(0)) ||
        !a->getName().compareOpProperties(a->getPropertiesStorage(), b->getPropertiesStorage()))
      return rewriter.notifyMatchFailure(where, "the operators of its branches have other settings, or other readers");
    std::optional<Places> places = onlyDifference(a, b);
    if (!places)
      return rewriter.notifyMatchFailure(where,
                                         "the operators of its branches differ in no operand, or in more than one");
    Value x = a->getOperand(places->inA), y = b->getOperand(places->inB);
    // The picked operand must be no larger than what was computed, and what was computed no smaller than the result.
    if (a->getResult(0).getType() != where.getType() || b->getResult(0).getType() != where.getType() ||
        getElementTypeOrSelf(x.getType()) != getElementTypeOrSelf(y.getType()))
      return rewriter.notifyMatchFailure(where, "its branches are broadcast, or of operands of two dtypes");
    if (x.getDefiningOp<ConstantOp>() && y.getDefiningOp<ConstantOp>())
      return rewriter.notifyMatchFailure(where, "the operands that differ are constants");
    auto picked = WhereOp::create(rewriter, where.getLoc(), where.getCondition(), x, y);
    llvm::SmallVector<Value> operands(a->getOperands());
    operands[places->inA] = picked;
    rewriter.replaceOp(where, cloneOver(rewriter, a, operands, where.getType()));
    return success();
  }

private:
  struct Places {
    unsigned inA, inB;
  };

  /// Where the operands differ, of a sum or a product in either order.
  static std::optional<Places> onlyDifference(Operation *a, Operation *b) {
    std::optional<Places> places;
    if (a->getNumOperands() != b->getNumOperands())
      return std::nullopt;
    bool isSeveral = false;
    for (unsigned i = 0; i < a->getNumOperands(); ++i) {
      if (a->getOperand(i) == b->getOperand(i))
        continue;
      isSeveral |= places.has_value();
      places = Places{i, i};
    }
    if (places && !isSeveral)
      return places;
    if (!places || !isCommutative(a))
      return std::nullopt;
    for (unsigned i : {0u, 1u})
      if (a->getOperand(1 - i) == b->getOperand(i))
        return Places{i, 1 - i};
    return std::nullopt;
  }
};

} // namespace

LogicalResult runSimplifyWhere(TransformContext &context) {
  if (context.lacks<WhereOp>())
    return success();
  return applyOnce(context, [](RewritePatternSet &p) {
    p.add<NotConditionRule, OfConstantsRule, CommonOperatorRule>(p.getContext());
  });
}

} // namespace clika
