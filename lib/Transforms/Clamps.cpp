// merge_clamps.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Transforms.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// minimum(maximum(x, floor), ceiling) with literal bounds.
struct Interval {
  Value x;
  Attribute floor, ceiling;
};

/// Relu or a Clamp whose bounds are literals and no NaN.
std::optional<Interval> intervalOf(Operation *op) {
  if (auto relu = dyn_cast_or_null<ReluOp>(op))
    return Interval{relu.getX(), FloatAttr::get(Float64Type::get(op->getContext()), 0.0), Attribute()};
  auto clamp = dyn_cast_or_null<ClampOp>(op);
  if (!clamp || clamp->getNumOperands() != 1)
    return std::nullopt;
  for (Attribute bound : {clamp.getMinAttr(), clamp.getMaxAttr()})
    if (bound && (!numberOf(bound) || std::isnan(*numberOf(bound))))
      return std::nullopt;
  return Interval{clamp.getX(), clamp.getMinAttr(), clamp.getMaxAttr()};
}

/// Less in the order that has -0.0 before +0.0, as `maximum` and `minimum` do.
bool isLess(Attribute a, Attribute b) {
  double x = *numberOf(a), y = *numberOf(b);
  return x < y || (x == y && std::signbit(x) && !std::signbit(y));
}
Attribute larger(Attribute a, Attribute b) { return !a || (b && isLess(a, b)) ? b : a; }
Attribute smaller(Attribute a, Attribute b) { return !a || (b && isLess(b, a)) ? b : a; }

struct MergeClampsRule : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ClampOp outer, PatternRewriter &rewriter) const override {
    return merge(outer, rewriter);
  }

  static LogicalResult merge(Operation *op, PatternRewriter &rewriter) {
    std::optional<Interval> outer = intervalOf(op);
    if (!outer)
      return rewriter.notifyMatchFailure(op, "a bound is NaN or no literal");
    std::optional<Interval> inner = intervalOf(outer->x.getDefiningOp());
    if (!inner)
      return rewriter.notifyMatchFailure(op, "does not read a Clamp or Relu with literal bounds");
    // min(max(min(max(x, a), b), c), d) = min(max(x, max(a, c)), min(max(b, c), d)).
    Attribute ceiling = inner->ceiling ? larger(inner->ceiling, outer->floor) : Attribute();
    rewriter.replaceOpWithNewOp<ClampOp>(op, op->getResult(0).getType(), inner->x, Value(), Value(),
                                         larger(inner->floor, outer->floor), smaller(ceiling, outer->ceiling));
    return success();
  }
};

struct ReluOfClampRule : OpRewritePattern<ReluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReluOp relu, PatternRewriter &rewriter) const override {
    if (relu.getX().getDefiningOp<ReluOp>())
      return rewriter.notifyMatchFailure(relu, "a Relu of a Relu is remove_redundant_relu's");
    return MergeClampsRule::merge(relu, rewriter);
  }
};

} // namespace

LogicalResult runMergeClamps(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergeClampsRule, ReluOfClampRule>(p.getContext()); });
}

} // namespace clika
