// reshape_to_squeeze, transpose_to_reshape, unsqueeze_last and drop_reduced_dims.
#include "Dialect/Axes.h"
#include "Dialect/ReduceOps.h"
#include "Dialect/Shape.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

/// The places of 1s in `longer` without which it is `shorter`; none where that is not known, or there are none.
std::optional<llvm::SmallVector<int64_t>> extraOnes(llvm::ArrayRef<Dim> shorter, llvm::ArrayRef<Dim> longer) {
  llvm::SmallVector<int64_t> extra;
  size_t next = 0;
  for (auto [i, dim] : llvm::enumerate(longer)) {
    if (next < shorter.size() && sameDim(dim, shorter[next]))
      ++next;
    else if (constantOf(dim) == 1)
      extra.push_back(i);
    else
      return std::nullopt;
  }
  if (next != shorter.size() || extra.empty())
    return std::nullopt;
  return extra;
}

/// A reshape, or an expand, that only adds or drops dimensions of size 1.
struct ReshapeToSqueezeRule : RewritePattern {
  ReshapeToSqueezeRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!movesByKnownSizes(op))
      return rewriter.notifyMatchFailure(op, "its shape is known only at run time, where it may be refused");
    Value x = op->getOperand(0);
    Type type = op->getResult(0).getType();
    Dims from = dimsOf(x.getType()), to = dimsOf(type);
    if (auto axes = extraOnes(to, from))
      rewriter.replaceOpWithNewOp<SqueezeOp>(op, type, x, *axes);
    else if (auto axes = extraOnes(from, to))
      rewriter.replaceOpWithNewOp<UnsqueezeOp>(op, type, x, *axes);
    else
      return rewriter.notifyMatchFailure(op, "it is not known to do no more than add, or drop, dimensions of size 1");
    return success();
  }
};

struct TransposeToReshapeRule : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp transpose, PatternRewriter &rewriter) const override {
    llvm::SmallVector<int64_t> perm = permOf(transpose), order;
    for (int64_t p : perm)
      if (typeOf(transpose.getX()).getDimSize(p) != 1)
        order.push_back(p);
    if (!llvm::is_sorted(order) || llvm::is_sorted(perm))
      return rewriter.notifyMatchFailure(transpose, "it moves other dimensions than those of size 1, or none");
    auto shape = literalReshape(transpose.getX(), transpose.getType());
    if (!shape)
      return rewriter.notifyMatchFailure(transpose, "its shape cannot be given as literal sizes");
    rewriter.replaceOpWithNewOp<ReshapeOp>(transpose, transpose.getType(), transpose.getX(), Value(), *shape, true);
    return success();
  }
};

/// transpose(unsqueeze(x)) is unsqueeze(transpose(x)).
struct UnsqueezeLastRule : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp transpose, PatternRewriter &rewriter) const override {
    auto unsqueeze = transpose.getX().getDefiningOp<UnsqueezeOp>();
    if (!unsqueeze || !isReadOnce(unsqueeze->getResult(0)))
      return rewriter.notifyMatchFailure(transpose, "does not read an unsqueeze that it alone reads");
    llvm::SmallVector<int64_t> added = fromStart(unsqueeze.getAxes(), rankOf(unsqueeze.getResult())), axes, perm;
    for (auto [i, p] : llvm::enumerate(permOf(transpose))) {
      if (llvm::is_contained(added, p))
        axes.push_back(i);
      else
        perm.push_back(p - llvm::count_if(added, [&](int64_t axis) { return axis < p; }));
    }
    Value x = unsqueeze.getX();
    if (!llvm::is_sorted(perm))
      x = TransposeOp::create(rewriter, transpose.getLoc(), x, perm);
    rewriter.replaceOpWithNewOp<UnsqueezeOp>(transpose, transpose.getType(), x, axes);
    return success();
  }
};

/// A reduction that keeps the dimensions which what alone reads it drops.
struct DropReducedDimsRule : RewritePattern {
  DropReducedDimsRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Operation *reduce = op->getOperand(0).getDefiningOp();
    auto keeps =
        reduce ? dyn_cast_or_null<BoolAttr>(reduce->getInherentAttr("keepdims").value_or(Attribute())) : BoolAttr();
    if (!keeps || !keeps.getValue() || reduce->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "does not read a reduction that keeps dimensions");
    if (!isReadOnce(reduce->getResult(0)) || !movesByKnownSizes(op))
      return rewriter.notifyMatchFailure(op, "the reduction has another reader, or a run may refuse the shape");
    std::optional<llvm::SmallVector<int64_t>> axes = reducedAxes(reduce);
    if (!axes || !drops(op, *axes))
      return rewriter.notifyMatchFailure(op, "it is not known to drop the reduced dimensions and no others");
    Operation *dropped = cloneAsNew(rewriter, reduce);
    dropped->setInherentAttr(rewriter.getStringAttr("keepdims"), rewriter.getBoolAttr(false));
    dropped->getResult(0).setType(op->getResult(0).getType());
    rewriter.replaceOp(op, dropped->getResults());
    return success();
  }

private:
  static std::optional<llvm::SmallVector<int64_t>> reducedAxes(Operation *reduce) {
    int64_t rank = rankOf(reduce->getOperand(0));
    if (auto axis = dyn_cast_or_null<IntegerAttr>(reduce->getInherentAttr("axis").value_or(Attribute())))
      return llvm::SmallVector<int64_t>{fromStart(axis.getInt(), rank)};
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(reduce->getInherentAttr("axes").value_or(Attribute()));
    if (!list)
      return std::nullopt;
    llvm::SmallVector<int64_t> axes = fromStart(list.asArrayRef(), rank);
    if (axes.empty())
      axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    return axes;
  }

  static bool drops(Operation *op, llvm::ArrayRef<int64_t> axes) {
    Value kept = op->getOperand(0), result = op->getResult(0);
    if (auto squeeze = dyn_cast<SqueezeOp>(op); squeeze && !squeeze.getAxes().empty())
      return fromStart(squeeze.getAxes(), rankOf(kept)) == axes;
    Dims wanted = reducedDims(op->getContext(), dimsOf(kept.getType()), axes, false), dims = dimsOf(result.getType());
    return wanted.size() == dims.size() && llvm::all_of_zip(wanted, dims, [](Dim a, Dim b) { return sameDim(a, b); });
  }
};

} // namespace

LogicalResult runReshapeToSqueeze(TransformContext &context) {
  return applyOnce(context, addRooted<ReshapeToSqueezeRule, ReshapeOp, ExpandOp>);
}

LogicalResult runTransposeToReshape(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<TransposeToReshapeRule>(p.getContext()); });
}

LogicalResult runUnsqueezeLast(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<UnsqueezeLastRule>(p.getContext()); });
}

LogicalResult runDropReducedDims(TransformContext &context) {
  return applyOnce(context, addRooted<DropReducedDimsRule, ReshapeOp, SqueezeOp>);
}

} // namespace clika
