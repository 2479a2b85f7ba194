// simplify_concat and read_through_concat.
#include "Dialect/IndexOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/Shape.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

int64_t axisOf(ConcatOp concat) { return fromStart(concat.getAxis(), rankOf(concat.getResult())); }

/// Whether the pieces are known to have one shape but for the axis, so that a run cannot refuse to join them.
bool fitsTogether(ConcatOp concat) {
  int64_t axis = axisOf(concat);
  Dims first = dimsOf(concat.getInputs().front().getType());
  return llvm::all_of(concat.getInputs(), [&](Value piece) {
    for (auto [i, dim] : llvm::enumerate(dimsOf(piece.getType())))
      if (static_cast<int64_t>(i) != axis && !sameDim(dim, first[i]))
        return false;
    return true;
  });
}

struct EmptyPiecesRule : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter &rewriter) const override {
    llvm::SmallVector<Value> pieces;
    for (Value piece : concat.getInputs())
      if (typeOf(piece).getDimSize(axisOf(concat)) != 0)
        pieces.push_back(piece);
    if (pieces.empty() || pieces.size() == concat.getInputs().size())
      return rewriter.notifyMatchFailure(concat, "none of its pieces is empty, or all are");
    if (!fitsTogether(concat))
      return rewriter.notifyMatchFailure(concat, "its pieces are not known to fit together");
    if (pieces.size() == 1 && pieces.front().getType() == concat.getType())
      rewriter.replaceOp(concat, pieces.front());
    else
      rewriter.replaceOpWithNewOp<ConcatOp>(concat, concat.getType(), pieces, concat.getAxis());
    return success();
  }
};

struct ConcatOfSplitRule : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter &rewriter) const override {
    auto split = concat.getInputs().front().getDefiningOp<SplitOp>();
    if (!split || concat.getInputs() != split.getParts())
      return rewriter.notifyMatchFailure(concat, "does not join all parts of one split in their order");
    if (fromStart(split.getAxis(), rankOf(split.getX())) != axisOf(concat) ||
        split.getX().getType() != concat.getType())
      return rewriter.notifyMatchFailure(concat,
                                         "joins along another axis than the split, or a shape that is not known");
    if (split.getSizesTensor())
      return rewriter.notifyMatchFailure(concat, "a run may refuse the split's sizes");
    rewriter.replaceOp(concat, split.getX());
    return success();
  }
};

/// unary(concat(x, x)) is concat(unary(x), unary(x)).
struct UnaryOfTwiceRule : RewritePattern {
  explicit UnaryOfTwiceRule(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto concat = isElementwise(op) ? op->getOperand(0).getDefiningOp<ConcatOp>() : ConcatOp();
    if (!concat)
      return failure();
    if (!isReadOnce(concat->getResult(0)) || concat.getInputs().size() < 2 || !llvm::all_equal(concat.getInputs()))
      return rewriter.notifyMatchFailure(op, "the concat before it joins different tensors, or has another reader");
    Value one = cloneOver(rewriter, op, concat.getInputs().front());
    llvm::SmallVector<Value> pieces(concat.getInputs().size(), one);
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op->getResult(0).getType(), pieces, concat.getAxis());
    return success();
  }
};

/// The piece of a concat that holds all of `positions` along its axis, and where it begins; none where several do.
struct Holder {
  Value piece;
  int64_t begin = 0;
};
std::optional<Holder> holderOf(ConcatOp concat, int64_t lowest, int64_t highest) {
  int64_t begin = 0;
  for (Value piece : concat.getInputs()) {
    int64_t size = typeOf(piece).getDimSize(axisOf(concat));
    if (lowest >= begin && highest < begin + size)
      return Holder{piece, begin};
    begin += size;
  }
  return std::nullopt;
}

/// Why a read along `axis` of what a concat makes cannot be one of a piece; "" where it may be.
const char *whyNoPiece(ConcatOp concat, int64_t axis) {
  if (axisOf(concat) != axis)
    return "the concat before it joins another axis";
  for (Value piece : concat.getInputs())
    if (typeOf(piece).isDynamicDim(axis))
      return "a piece of the concat before it is of unknown size";
  return fitsTogether(concat) ? "" : "the pieces of the concat before it are not known to fit together";
}

constexpr const char *kSeveralPieces = "reads nothing, or several pieces of the concat before it";

struct SliceOfConcatRule : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice, PatternRewriter &rewriter) const override {
    auto concat = slice.getX().getDefiningOp<ConcatOp>();
    if (!concat)
      return rewriter.notifyMatchFailure(slice, "does not read a concat");
    auto axes = literalSlice(slice);
    if (!axes || axes->size() != 1)
      return rewriter.notifyMatchFailure(slice, "cuts several axes, or by a tensor");
    int64_t axis = axes->front().axis;
    if (const char *why = whyNoPiece(concat, axis); *why)
      return rewriter.notifyMatchFailure(slice, why);
    auto positions = positionsOf(axes->front(), typeOf(slice.getX()).getDimSize(axis));
    if (!positions)
      return rewriter.notifyMatchFailure(slice, "cuts backwards");
    int64_t last = positions->first + (positions->count - 1) * positions->step;
    auto holder = positions->count > 0 ? holderOf(concat, positions->first, last) : std::nullopt;
    if (!holder)
      return rewriter.notifyMatchFailure(slice, kSeveralPieces);
    positions->first -= holder->begin;
    bool whole = positions->step == 1 && positions->count == typeOf(holder->piece).getDimSize(axis);
    if (whole && holder->piece.getType() == slice.getType())
      rewriter.replaceOp(slice, holder->piece);
    else
      rewriter.replaceOp(slice, makeSlice(rewriter, slice.getLoc(), holder->piece, axis, *positions));
    return success();
  }
};

struct GatherOfConcatRule : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather, PatternRewriter &rewriter) const override {
    auto concat = gather.getX().getDefiningOp<ConcatOp>();
    if (!concat)
      return rewriter.notifyMatchFailure(gather, "does not read a concat");
    int64_t axis = fromStart(gather.getAxis(), rankOf(gather.getX()));
    if (const char *why = whyNoPiece(concat, axis); *why)
      return rewriter.notifyMatchFailure(gather, why);
    auto indices = indicesIn(gather.getIndices(), typeOf(gather.getX()).getDimSize(axis));
    if (!indices)
      return rewriter.notifyMatchFailure(gather, "its indices are no constants in range");
    auto holder =
        indices->empty() ? std::nullopt : holderOf(concat, *llvm::min_element(*indices), *llvm::max_element(*indices));
    if (!holder)
      return rewriter.notifyMatchFailure(gather, kSeveralPieces);
    for (int64_t &index : *indices)
      index -= holder->begin;
    Value shifted = makeIntegers(rewriter, gather.getLoc(), typeOf(gather.getIndices()).getShape(), *indices);
    rewriter.replaceOpWithNewOp<GatherOp>(gather, gather.getType(), holder->piece, shifted, uint64_t(axis));
    return success();
  }
};

} // namespace

LogicalResult runSimplifyConcat(TransformContext &context) {
  if (context.lacks<ConcatOp>())
    return success();
  return applyOnce(context, [](RewritePatternSet &p) {
    p.add<EmptyPiecesRule, ConcatOfSplitRule, UnaryOfTwiceRule>(p.getContext());
  });
}

LogicalResult runReadThroughConcat(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<SliceOfConcatRule, GatherOfConcatRule>(p.getContext()); });
}

} // namespace clika
