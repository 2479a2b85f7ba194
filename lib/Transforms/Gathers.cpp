// gather_to_slice, merge_gathers and hoist_gather.
#include "Dialect/IndexOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

int64_t axisOf(GatherOp gather) { return fromStart(gather.getAxis(), rankOf(gather.getX())); }

constexpr const char *kNoConstants = "its indices are no constants in range";

struct GatherToSliceRule : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather, PatternRewriter &rewriter) const override {
    int64_t axis = axisOf(gather), rank = rankOf(gather.getIndices());
    if (rank > 1)
      return rewriter.notifyMatchFailure(gather, "its indices are no list");
    auto indices = indicesIn(gather.getIndices(), typeOf(gather.getX()).getDimSize(axis));
    if (!indices)
      return rewriter.notifyMatchFailure(gather, kNoConstants);
    std::optional<Positions> positions = evenly(*indices);
    if (!positions)
      return rewriter.notifyMatchFailure(gather, "its indices do not ascend by equal steps");
    Value slice = makeSlice(rewriter, gather.getLoc(), gather.getX(), axis, *positions);
    if (rank == 1)
      rewriter.replaceOp(gather, slice);
    else
      rewriter.replaceOpWithNewOp<SqueezeOp>(gather, gather.getType(), slice, llvm::ArrayRef<int64_t>(axis));
    return success();
  }
};

struct MergeGathersRule : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getX().getDefiningOp<GatherOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "does not read a gather");
    if (axisOf(inner) != axisOf(outer) || rankOf(inner.getIndices()) != 1)
      return rewriter.notifyMatchFailure(outer, "the gather before it picks along another axis, or by no list");
    auto first = indicesIn(inner.getIndices(), typeOf(inner.getX()).getDimSize(axisOf(inner)));
    auto second = first ? indicesIn(outer.getIndices(), static_cast<int64_t>(first->size())) : std::nullopt;
    if (!second)
      return rewriter.notifyMatchFailure(outer,
                                         "its indices, or those of the gather before it, are no constants in range");
    for (int64_t &index : *second)
      index = (*first)[index];
    Value both = makeIntegers(rewriter, outer.getLoc(), typeOf(outer.getIndices()).getShape(), *second);
    rewriter.replaceOpWithNewOp<GatherOp>(outer, outer.getType(), inner.getX(), both, outer.getAxis());
    return success();
  }
};

/// A gather of fewer slices than there are, by a constant list or a single index, of what only it reads.
struct HoistGatherRule : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather, PatternRewriter &rewriter) const override {
    Operation *op = gather.getX().getDefiningOp();
    if (!op || !isReadOnce(op->getResult(0)))
      return rewriter.notifyMatchFailure(gather, "what it reads is no operator's, or has another reader");
    int64_t size = typeOf(gather.getX()).getDimSize(axisOf(gather));
    auto indices = indicesIn(gather.getIndices(), size);
    if (!indices || rankOf(gather.getIndices()) > 1)
      return rewriter.notifyMatchFailure(gather, "its indices are no list of constants in range");
    if (static_cast<int64_t>(indices->size()) >= size)
      return rewriter.notifyMatchFailure(gather, "it picks as many slices as there are");
    bool done = isBroadcasting(op)     ? aboveBroadcasting(gather, op, rewriter)
                : isa<TransposeOp>(op) ? aboveTranspose(gather, cast<TransposeOp>(op), rewriter)
                : rankOf(gather.getIndices()) == 1 && isa<NodeOp>(op) ? aboveRows(gather, op, rewriter)
                                                                      : false;
    return done ? success() : rewriter.notifyMatchFailure(gather, "it cannot move above what makes its operand");
  }

private:
  static Value gathered(GatherOp gather, Value x, int64_t axis, PatternRewriter &rewriter) {
    return GatherOp::create(rewriter, gather.getLoc(), x, gather.getIndices(), uint64_t(axis));
  }

  /// Where `operand`, broadcast to `rank`, has the gathered axis: below 0 where it lacks it.
  static int64_t axisIn(Value operand, int64_t axis, int64_t rank) { return axis - (rank - rankOf(operand)); }

  static bool aboveBroadcasting(GatherOp gather, Operation *op, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather), rank = rankOf(gather.getX()), size = typeOf(gather.getX()).getDimSize(axis);
    bool drops = rankOf(gather.getIndices()) == 0;
    // An operand that has neither the whole axis nor lacks it has a 1 there, which stays where the axis does.
    for (Value operand : op->getOperands()) {
      int64_t own = axisIn(operand, axis, rank);
      int64_t there = own < 0 ? size : typeOf(operand).getDimSize(own);
      if (there != size && (there != 1 || drops))
        return false;
    }
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      int64_t own = axisIn(operand, axis, rank);
      bool whole = own >= 0 && typeOf(operand).getDimSize(own) == size;
      operands.push_back(whole ? gathered(gather, operand, own, rewriter) : operand);
    }
    rewriter.replaceOp(gather, cloneOver(rewriter, op, operands, gather.getType()));
    return true;
  }

  static bool aboveTranspose(GatherOp gather, TransposeOp transpose, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather);
    llvm::SmallVector<int64_t> perm = permOf(transpose);
    int64_t source = perm[axis];
    Value picked = gathered(gather, transpose.getX(), source, rewriter);
    if (rankOf(gather.getIndices()) == 0) {
      perm.erase(perm.begin() + axis);
      for (int64_t &p : perm)
        p -= p > source ? 1 : 0;
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(gather, gather.getType(), picked, perm);
    return true;
  }

  /// Above an op that treats each slice along the axis alone.
  static bool aboveRows(GatherOp gather, Operation *op, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather), rank = rankOf(gather.getX());
    bool alone = false;
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      alone = fromStart(softmax.getAxis(), rank) != axis;
    else if (auto softmax = dyn_cast<LogSoftmaxOp>(op))
      alone = fromStart(softmax.getAxis(), rank) != axis;
    else if (auto norm = dyn_cast<LayerNormOp>(op))
      alone = axis < fromStart(norm.getAxis(), rank) && isBelow(norm->getOperands().drop_front(), rank - axis);
    else if (auto norm = dyn_cast<RmsNormOp>(op))
      alone = axis < fromStart(norm.getAxis(), rank) && isBelow(norm->getOperands().drop_front(), rank - axis);
    else if (isa<LinearOp>(op))
      alone = axis != rank - 1;
    else if (auto matmul = dyn_cast<MatmulOp>(op))
      alone =
          axis == rank - 2 && rankOf(matmul.getA()) == rank && rankOf(matmul.getB()) >= 2 && !matmul.getTransposeA();
    if (!alone)
      return false;
    llvm::SmallVector<Value> operands(op->getOperands());
    operands[0] = gathered(gather, operands[0], axis, rewriter);
    rewriter.replaceOp(gather, cloneOver(rewriter, op, operands, gather.getType()));
    return true;
  }

  /// Whether none of the values has `rank` dimensions.
  static bool isBelow(ValueRange values, int64_t rank) {
    return llvm::all_of(values, [&](Value value) { return rankOf(value) < rank; });
  }
};

} // namespace

LogicalResult runGatherToSlice(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<GatherToSliceRule>(p.getContext()); });
}

LogicalResult runMergeGathers(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergeGathersRule>(p.getContext()); });
}

LogicalResult runHoistGather(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<HoistGatherRule>(p.getContext()); });
}

} // namespace clika
