// remove_broadcast_expand, literal_shapes, merge_expands and sink_expand.
#include "Dialect/LinearOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/Shape.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

constexpr const char *kRunTimeShape = "a shape is known only at run time, where it may be refused";

bool isOne(Dim dim) { return constantOf(dim) == 1; }

/// Whether both shapes are known, and the same.
bool sameShape(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b) {
  return a.size() == b.size() && llvm::all_of_zip(a, b, [](Dim x, Dim y) { return sameDim(x, y); });
}

/// `operand`, or what it was expanded from where a run cannot refuse that.
Value unexpanded(Value operand) {
  auto expand = operand.getDefiningOp<ExpandOp>();
  return expand && movesByKnownSizes(expand) ? expand.getX() : operand;
}

/// Operators that broadcast their operands as the expand would have.
struct RemoveBroadcastExpandRule : RewritePattern {
  explicit RemoveBroadcastExpandRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    // Bounds and slopes must not enlarge what they bound.
    bool broadcasts = isBroadcasting(op) && op->getNumOperands() > 1 && !isa<ClampOp, PreluOp>(op);
    if (!broadcasts && !isa<MatmulOp>(op))
      return failure();
    if (!llvm::any_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<ExpandOp>(); }))
      return failure();
    llvm::SmallVector<Value> operands(op->getOperands());
    bool changed = false;
    for (Value &operand : operands) {
      Value before = operand;
      operand = unexpanded(before);
      if (operand != before && !keepsShape(op, operands))
        operand = before;
      changed |= operand != before;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "without the expand its result is not known to have the same shape");
    Operation *plain = cloneAsNew(rewriter, op);
    plain->setOperands(operands);
    rewriter.replaceOp(op, plain->getResults());
    return success();
  }

private:
  static bool keepsShape(Operation *op, ValueRange operands) {
    bool isMatmul = isa<MatmulOp>(op);
    Dims result = dimsOf(op->getResult(0).getType()), all;
    for (auto [operand, before] : llvm::zip(operands, op->getOperands())) {
      Dims dims = dimsOf(operand.getType()), old = dimsOf(before.getType());
      if (isMatmul) {
        if (dims.size() < 2 || old.size() < 2 ||
            !sameShape(llvm::ArrayRef(dims).take_back(2), llvm::ArrayRef(old).take_back(2)))
          return false;
        dims.pop_back_n(2);
      }
      FailureOr<Dims> both = broadcastShapes(all, dims);
      if (failed(both))
        return false;
      all = *both;
    }
    if (isMatmul)
      result.pop_back_n(2);
    return sameShape(all, result);
  }
};

/// The literal shape that expands `x` to `result`: 1 where the size stays; none where a size is not known.
std::optional<llvm::SmallVector<int64_t>> expandTarget(Value x, Type result) {
  Dims from = dimsOf(x.getType()), to = dimsOf(result);
  llvm::SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(to)) {
    size_t added = to.size() - from.size();
    std::optional<int64_t> size = constantOf(dim);
    if (i >= added && sameDim(from[i - added], dim))
      shape.push_back(1);
    else if (size)
      shape.push_back(*size);
    else
      return std::nullopt;
  }
  return shape;
}

struct LiteralExpandRule : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandOp expand, PatternRewriter &rewriter) const override {
    if (!expand.getShapeTensor())
      return rewriter.notifyMatchFailure(expand, "its shape is a literal");
    if (!movesByKnownSizes(expand))
      return rewriter.notifyMatchFailure(expand, kRunTimeShape);
    auto shape = expandTarget(expand.getX(), expand.getType());
    if (!shape)
      return rewriter.notifyMatchFailure(expand, "a size that it adds is not known");
    rewriter.replaceOpWithNewOp<ExpandOp>(expand, expand.getType(), expand.getX(), Value(), *shape);
    return success();
  }
};

struct LiteralReshapeRule : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp reshape, PatternRewriter &rewriter) const override {
    if (!reshape.getShapeTensor())
      return rewriter.notifyMatchFailure(reshape, "its shape is a literal");
    if (!movesByKnownSizes(reshape))
      return rewriter.notifyMatchFailure(reshape, kRunTimeShape);
    if (auto shape = literalReshape(reshape.getX(), reshape.getType())) {
      rewriter.replaceOpWithNewOp<ReshapeOp>(reshape, reshape.getType(), reshape.getX(), Value(), *shape, true);
      return success();
    }
    auto copied = copiedSizes(reshape);
    if (!copied)
      return rewriter.notifyMatchFailure(reshape, "several of its sizes are neither known nor those of its operand");
    rewriter.replaceOpWithNewOp<ReshapeOp>(reshape, reshape.getType(), reshape.getX(), Value(), *copied, false);
    return success();
  }

private:
  /// The shape with a 0, which copies its operand's size there, for sizes that are not known, and at most one -1.
  static std::optional<llvm::SmallVector<int64_t>> copiedSizes(ReshapeOp reshape) {
    Dims from = dimsOf(reshape.getX().getType()), to = dimsOf(reshape.getType());
    llvm::SmallVector<int64_t> shape;
    for (auto [i, dim] : llvm::enumerate(to)) {
      std::optional<int64_t> size = constantOf(dim);
      bool copied = !size && i < from.size() && sameDim(from[i], dim);
      if (size == 0)
        return std::nullopt;
      shape.push_back(size ? *size : copied ? 0 : -1);
    }
    if (!llvm::is_contained(shape, -1))
      return shape;
    // What is copied stands on both sides; the rest must be known to be as many elements.
    Dims before, after;
    for (auto [i, dim] : llvm::enumerate(from))
      if (i >= shape.size() || shape[i] != 0)
        before.push_back(dim);
    for (auto [size, dim] : llvm::zip(shape, to))
      if (size != 0)
        after.push_back(dim);
    MLIRContext *context = reshape.getContext();
    bool same = sameDim(productOf(context, before), productOf(context, after));
    return same && llvm::count(shape, -1) == 1 ? std::optional(shape) : std::nullopt;
  }
};

struct MergeExpandsRule : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getX().getDefiningOp<ExpandOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "does not read an expand");
    if (!movesByKnownSizes(inner) || !movesByKnownSizes(outer))
      return rewriter.notifyMatchFailure(outer, kRunTimeShape);
    auto shape = expandTarget(inner.getX(), outer.getType());
    if (!shape)
      return rewriter.notifyMatchFailure(outer, "a size that they add is not known");
    rewriter.replaceOpWithNewOp<ExpandOp>(outer, outer.getType(), inner.getX(), Value(), *shape);
    return success();
  }
};

/// An expand that only one operator reads and a run cannot refuse.
ExpandOp ownExpand(Value value) {
  auto expand = value.getDefiningOp<ExpandOp>();
  return expand && isReadOnce(expand->getResult(0)) && movesByKnownSizes(expand) ? expand : ExpandOp();
}

/// A pointwise op of expands to one shape, and of single elements.
struct SinkExpandRule : RewritePattern {
  explicit SinkExpandRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isBroadcasting(op) || isa<ClampOp, PreluOp>(op) ||
        !llvm::any_of(op->getOperands(), [](Value operand) { return operand.getDefiningOp<ExpandOp>(); }))
      return failure();
    Dims result = dimsOf(op->getResult(0).getType()), sources;
    ExpandOp last;
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      ExpandOp expand = ownExpand(operand);
      if (!expand && !typeOf(operand).getShape().empty())
        return rewriter.notifyMatchFailure(op, "an operand is neither an expand, read here alone, nor of rank 0");
      Value source = expand ? expand.getX() : operand;
      if (expand && !sameShape(dimsOf(expand.getType()), result))
        return rewriter.notifyMatchFailure(op, "its operands are not expanded to one known shape");
      if (!broadcastInto(sources, source, result))
        return rewriter.notifyMatchFailure(op, "a size before the expand is not known to be 1 or to stay");
      operands.push_back(source);
      last = expand ? expand : last;
    }
    if (sameShape(sources, result))
      return rewriter.notifyMatchFailure(op, "its operands broadcast to the whole shape without the expands");
    Value small = cloneOver(rewriter, op, operands, tensorOf(sources, rewriter.getI1Type()));
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op->getResult(0).getType(), small, last.getShapeTensor(),
                                          last.getShape());
    return success();
  }

private:
  /// Broadcasts `dims` with the source's, of which each must be 1 or the result's.
  static bool broadcastInto(Dims &dims, Value source, llvm::ArrayRef<Dim> result) {
    Dims own = dimsOf(source.getType());
    if (own.size() > result.size())
      return false;
    for (auto [dim, whole] : llvm::zip(own, result.take_back(own.size())))
      if (!isOne(dim) && !sameDim(dim, whole))
        return false;
    FailureOr<Dims> both = broadcastShapes(dims, own);
    dims = succeeded(both) ? *both : dims;
    return succeeded(both);
  }
};

/// unsqueeze(expand(x)).
struct SinkExpandBelowUnsqueezeRule : OpRewritePattern<UnsqueezeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UnsqueezeOp unsqueeze, PatternRewriter &rewriter) const override {
    if (!unsqueeze.getX().getDefiningOp<ExpandOp>())
      return failure();
    ExpandOp expand = ownExpand(unsqueeze.getX());
    if (!expand || rankOf(expand.getX()) != rankOf(expand.getResult()))
      return rewriter.notifyMatchFailure(unsqueeze, "the expand before it adds dimensions, or has another reader");
    if (!expandTarget(expand.getX(), expand.getType()))
      return rewriter.notifyMatchFailure(unsqueeze, "a size that the expand adds is not known");
    Value moved = UnsqueezeOp::create(rewriter, unsqueeze.getLoc(), expand.getX(), unsqueeze.getAxes());
    llvm::SmallVector<int64_t> shape = *expandTarget(moved, unsqueeze.getType());
    rewriter.replaceOpWithNewOp<ExpandOp>(unsqueeze, unsqueeze.getType(), moved, Value(), shape);
    return success();
  }
};

} // namespace

LogicalResult runRemoveBroadcastExpand(TransformContext &context) {
  if (context.lacks<ExpandOp>())
    return success();
  return applyOnce(context, [](RewritePatternSet &p) { p.add<RemoveBroadcastExpandRule>(p.getContext()); });
}

LogicalResult runLiteralShapes(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<LiteralExpandRule, LiteralReshapeRule>(p.getContext()); });
}

LogicalResult runMergeExpands(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergeExpandsRule>(p.getContext()); });
}

LogicalResult runSinkExpand(TransformContext &context) {
  if (context.lacks<ExpandOp>())
    return success();
  return applyOnce(context,
                   [](RewritePatternSet &p) { p.add<SinkExpandRule, SinkExpandBelowUnsqueezeRule>(p.getContext()); });
}

} // namespace clika
