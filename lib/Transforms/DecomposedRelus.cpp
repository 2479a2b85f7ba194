// decomposed_relu.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// maximum(x, 0) in either order.
struct MaximumToReluRule : OpRewritePattern<MaximumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaximumOp maximum, PatternRewriter &rewriter) const override {
    for (auto [x, zero] : {std::pair(maximum.getA(), maximum.getB()), std::pair(maximum.getB(), maximum.getA())})
      if (isConstant(zero, 0.0) && x.getType() == maximum.getType()) {
        rewriter.replaceOpWithNewOp<ReluOp>(maximum, maximum.getType(), x);
        return success();
      }
    return rewriter.notifyMatchFailure(maximum, "neither operand is +0, of a shape that does not broadcast the other");
  }
};

/// where(x > 0, x, alpha * x), or with < and the branches exchanged.
struct WhereToLeakyReluRule : OpRewritePattern<WhereOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhereOp where, PatternRewriter &rewriter) const override {
    Operation *test = where.getCondition().getDefiningOp();
    bool greater = isa_and_nonnull<GreaterOp, GreaterEqualOp>(test);
    if (!greater && !isa_and_nonnull<LessOp, LessEqualOp>(test))
      return rewriter.notifyMatchFailure(where, "its condition compares nothing");
    Value x = test->getOperand(0);
    std::optional<double> zero = splatOf(test->getOperand(1));
    Value same = greater ? where.getA() : where.getB(), other = greater ? where.getB() : where.getA();
    if (!zero || *zero != 0.0 || same != x || x.getType() != where.getType() ||
        !isa<FloatType>(getElementTypeOrSelf(x)))
      return rewriter.notifyMatchFailure(where, "does not take floats where they are above 0");
    std::optional<double> slope = slopeOf(other, x);
    // A slope below 0 would give zeros another sign.
    if (!slope || !std::isfinite(*slope) || *slope <= 0.0)
      return rewriter.notifyMatchFailure(where, "below 0 it does not take a positive multiple of the same value");
    rewriter.replaceOpWithNewOp<LeakyReluOp>(where, where.getType(), x, llvm::APFloat(*slope));
    return success();
  }

private:
  /// alpha where `value` is alpha * x.
  static std::optional<double> slopeOf(Value value, Value x) {
    auto mul = value.getDefiningOp<MulOp>();
    if (!mul || !hasNoActivation(mul) || mul.getType() != x.getType())
      return std::nullopt;
    return mul.getA() == x ? splatOf(mul.getB()) : mul.getB() == x ? splatOf(mul.getA()) : std::nullopt;
  }
};

} // namespace

LogicalResult runDecomposedRelu(TransformContext &context) {
  return applyOnce(context,
                   [](RewritePatternSet &p) { p.add<MaximumToReluRule, WhereToLeakyReluRule>(p.getContext()); });
}

} // namespace clika
