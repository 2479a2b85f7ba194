// shape_of_source.
#include "Dialect/CoreOps.h"
#include "Dialect/IndexOps.h"
#include "Dialect/NormOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Moved.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

/// The dimensions that a shape op reads: from the first up to the end, excluded.
std::pair<int64_t, int64_t> rangeOf(ShapeOfOp shape) {
  int64_t rank = rankOf(shape.getX());
  auto clamped = [&](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank); };
  int64_t start = clamped(shape.getStart());
  return {start, std::max(start, shape.getEnd() ? clamped(*shape.getEnd()) : rank)};
}

Value makeShape(RewriterBase &rewriter, Location location, Value x, int64_t start, int64_t end) {
  return ShapeOfOp::create(rewriter, location, x, uint64_t(start), rewriter.getI64IntegerAttr(end));
}

/// The operand whose shape the op's result has whatever it is; null for other ops.
Value sameShape(Operation *op) {
  if (isElementwise(op) || isa_and_nonnull<SoftmaxOp, LogSoftmaxOp, BatchNormOp, LayerNormOp, RmsNormOp, FlipOp>(op))
    return op->getOperand(0);
  return Value();
}

struct ShapeOfSourceRule : OpRewritePattern<ShapeOfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ShapeOfOp shape, PatternRewriter &rewriter) const override {
    Operation *op = shape.getX().getDefiningOp();
    auto [start, end] = rangeOf(shape);
    if (Value x = sameShape(op)) {
      rewriter.replaceOpWithNewOp<ShapeOfOp>(shape, shape.getType(), x, shape.getStart(), shape.getEndAttr());
      return success();
    }
    if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
      llvm::SmallVector<int64_t> perm = permOf(transpose);
      if (end == start)
        return rewriter.notifyMatchFailure(shape, "reads no dimension");
      llvm::ArrayRef<int64_t> order = llvm::ArrayRef<int64_t>(perm).slice(start, end - start);
      Value sizes = makeShape(rewriter, shape.getLoc(), transpose.getX(), 0, rankOf(transpose.getX()));
      Value indices = makeIntegers(rewriter, shape.getLoc(), {end - start}, order);
      rewriter.replaceOpWithNewOp<GatherOp>(shape, shape.getType(), sizes, indices, uint64_t(0));
      return success();
    }
    if (auto unsqueeze = dyn_cast_or_null<UnsqueezeOp>(op))
      return ofUnsqueeze(shape, unsqueeze, start, end, rewriter);
    return rewriter.notifyMatchFailure(shape, "what it reads is made by no operator that keeps or moves dimensions");
  }

private:
  /// The runs of x's dimensions between the ones that the unsqueeze adds.
  static LogicalResult ofUnsqueeze(ShapeOfOp shape, UnsqueezeOp unsqueeze, int64_t start, int64_t end,
                                   PatternRewriter &rewriter) {
    llvm::SmallVector<int64_t> added = fromStart(unsqueeze.getAxes(), rankOf(unsqueeze.getResult()));
    llvm::SmallVector<Value> pieces;
    int64_t source = start - llvm::count_if(added, [&](int64_t axis) { return axis < start; });
    for (int64_t i = start; i < end;) {
      int64_t run = i;
      bool isNew = llvm::is_contained(added, i);
      while (run < end && llvm::is_contained(added, run) == isNew)
        ++run;
      if (isNew) {
        pieces.push_back(makeIntegers(rewriter, shape.getLoc(), {run - i}, llvm::SmallVector<int64_t>(run - i, 1)));
      } else {
        pieces.push_back(makeShape(rewriter, shape.getLoc(), unsqueeze.getX(), source, source + run - i));
        source += run - i;
      }
      i = run;
    }
    if (pieces.empty())
      return rewriter.notifyMatchFailure(shape, "reads no dimension");
    if (pieces.size() == 1)
      rewriter.replaceOp(shape, pieces.front());
    else
      rewriter.replaceOpWithNewOp<ConcatOp>(shape, shape.getType(), pieces, uint64_t(0));
    return success();
  }
};

/// Puts the shape of `count` dimensions from `first` on in a reader's place.
void readSome(Operation *reader, ShapeOfOp shape, int64_t first, int64_t count, bool isScalar,
              PatternRewriter &rewriter) {
  int64_t start = rangeOf(shape).first + first;
  Value sizes = makeShape(rewriter, reader->getLoc(), shape.getX(), start, start + count);
  if (isScalar)
    rewriter.replaceOpWithNewOp<SqueezeOp>(reader, reader->getResult(0).getType(), sizes, llvm::ArrayRef<int64_t>(0));
  else
    rewriter.replaceOp(reader, sizes);
}

struct GatherOfShapeRule : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather, PatternRewriter &rewriter) const override {
    auto shape = gather.getX().getDefiningOp<ShapeOfOp>();
    if (!shape)
      return failure();
    auto indices = indicesIn(gather.getIndices(), typeOf(shape.getResult()).getDimSize(0));
    auto positions = indices && rankOf(gather.getIndices()) < 2 ? evenly(*indices) : std::nullopt;
    if (!positions || positions->step != 1)
      return rewriter.notifyMatchFailure(gather, "does not pick neighbouring dimensions of the shape");
    readSome(gather, shape, positions->first, positions->count, rankOf(gather.getIndices()) == 0, rewriter);
    return success();
  }
};

struct SliceOfShapeRule : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice, PatternRewriter &rewriter) const override {
    auto shape = slice.getX().getDefiningOp<ShapeOfOp>();
    if (!shape)
      return failure();
    auto axes = literalSlice(slice);
    auto positions =
        axes && axes->size() == 1 ? positionsOf(axes->front(), typeOf(shape.getResult()).getDimSize(0)) : std::nullopt;
    if (!positions || positions->step != 1 || positions->count == 0)
      return rewriter.notifyMatchFailure(slice, "does not pick neighbouring dimensions of the shape");
    readSome(slice, shape, positions->first, positions->count, false, rewriter);
    return success();
  }
};

} // namespace

LogicalResult runShapeOfSource(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    p.add<ShapeOfSourceRule, GatherOfShapeRule, SliceOfShapeRule>(p.getContext());
  });
}

} // namespace clika
