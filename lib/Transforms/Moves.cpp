// merge_transposes and merge_reshapes.
#include "Dialect/Shape.h"
#include "Dialect/ShapeOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

struct MergeTransposesRule : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "does not read a transpose");
    llvm::SmallVector<int64_t> first = permOf(inner), second = permOf(outer), both;
    for (int64_t p : second)
      both.push_back(first[p]);
    if (llvm::is_sorted(both) && inner.getX().getType() == outer.getType()) {
      rewriter.replaceOp(outer, inner.getX());
      return success();
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(outer, outer.getType(), inner.getX(), both);
    return success();
  }
};

struct MergeReshapesRule : RewritePattern {
  MergeReshapesRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *outer, PatternRewriter &rewriter) const override {
    Operation *inner = outer->getOperand(0).getDefiningOp();
    if (!isa_and_nonnull<ReshapeOp, SqueezeOp, UnsqueezeOp>(inner))
      return rewriter.notifyMatchFailure(outer, "does not read a reshape, squeeze or unsqueeze");
    if (!movesByKnownSizes(inner) || !movesByKnownSizes(outer))
      return rewriter.notifyMatchFailure(outer, "a shape is known only at run time, where it may be refused");
    Value x = inner->getOperand(0);
    auto type = cast<RankedTensorType>(outer->getResult(0).getType());
    if (x.getType() == type && llvm::all_of(dimsOf(type), [](Dim dim) { return dim != nullptr; })) {
      rewriter.replaceOp(outer, x);
      return success();
    }
    auto shape = literalReshape(x, type);
    if (!shape)
      return rewriter.notifyMatchFailure(outer, "its shape cannot be given as literal sizes");
    rewriter.replaceOpWithNewOp<ReshapeOp>(outer, type, x, Value(), *shape, true);
    return success();
  }
};

} // namespace

LogicalResult runMergeTransposes(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergeTransposesRule>(p.getContext()); });
}

LogicalResult runMergeReshapes(TransformContext &context) {
  return applyOnce(context, addRooted<MergeReshapesRule, ReshapeOp, SqueezeOp, UnsqueezeOp>);
}

} // namespace clika
