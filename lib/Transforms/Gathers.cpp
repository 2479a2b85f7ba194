// gather_to_slice, merge_gathers and hoist_gather.
#include "Dialect/IndexOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "llvm/ADT/TypeSwitch.h"

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
    std::optional<llvm::SmallVector<int64_t>> indices = constantIntegers(gather.getIndices());
    int64_t size = typeOf(gather.getX()).getDimSize(axisOf(gather));
    // Of a size that a run brings, one index is out of range above the operator where it is below it.
    bool inRange = ShapedType::isDynamic(size) ? indices && indices->size() == 1
                                               : indicesIn(gather.getIndices(), size).has_value();
    if (!inRange || rankOf(gather.getIndices()) > 1)
      return rewriter.notifyMatchFailure(gather, "its indices are no list of constants in range");
    if (!ShapedType::isDynamic(size) && static_cast<int64_t>(indices->size()) >= size)
      return rewriter.notifyMatchFailure(gather, "it picks as many slices as there are");
    bool done = llvm::TypeSwitch<Operation *, bool>(op)
                    .Case([&](TransposeOp transpose) { return aboveTranspose(gather, transpose, rewriter); })
                    .Case([&](ReshapeOp reshape) { return aboveReshape(gather, reshape, rewriter); })
                    .Case([&](UnsqueezeOp unsqueeze) { return aboveUnsqueeze(gather, unsqueeze, rewriter); })
                    .Case([&](SqueezeOp squeeze) { return aboveSqueeze(gather, squeeze, rewriter); })
                    .Default([&](Operation *other) {
                      return isBroadcasting(other) ? aboveBroadcasting(gather, other, rewriter)
                                                   : aboveRows(gather, other, rewriter);
                    });
    return done ? success() : rewriter.notifyMatchFailure(gather, "it cannot move above what makes its operand");
  }

private:
  static Value gathered(GatherOp gather, Value x, int64_t axis, PatternRewriter &rewriter) {
    return GatherOp::create(rewriter, gather.getLoc(), x, gather.getIndices(), uint64_t(axis));
  }

  /// Whether the gathered axis goes: the gather is by a single index.
  static bool drops(GatherOp gather) { return rankOf(gather.getIndices()) == 0; }

  /// Axes that stand beside the gathered one, as they are where that goes.
  static llvm::SmallVector<int64_t> besides(GatherOp gather, llvm::SmallVector<int64_t> axes, int64_t axis) {
    if (drops(gather))
      for (int64_t &each : axes)
        each -= each > axis ? 1 : 0;
    return axes;
  }

  /// Where `operand`, broadcast to `rank`, has the gathered axis: below 0 where it lacks it.
  static int64_t axisIn(Value operand, int64_t axis, int64_t rank) { return axis - (rank - rankOf(operand)); }

  static bool aboveBroadcasting(GatherOp gather, Operation *op, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather), rank = rankOf(gather.getX());
    Dim size = dimsOf(gather.getX().getType())[axis];
    auto isWhole = [&](Value operand, int64_t own) {
      return op->getNumOperands() == 1 || sameDim(dimsOf(operand.getType())[own], size);
    };
    // An operand that has neither the whole axis nor lacks it has a 1 there, which goes where the axis does.
    for (Value operand : op->getOperands()) {
      int64_t own = axisIn(operand, axis, rank);
      if (own >= 0 && !isWhole(operand, own) && typeOf(operand).getDimSize(own) != 1)
        return false;
    }
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      int64_t own = axisIn(operand, axis, rank);
      if (own >= 0 && isWhole(operand, own))
        operand = gathered(gather, operand, own, rewriter);
      else if (own >= 0 && drops(gather))
        operand = without(operand, own, rewriter);
      operands.push_back(operand);
    }
    rewriter.replaceOp(gather, cloneOver(rewriter, op, operands, gather.getType()));
    return true;
  }

  /// The value without a dimension of 1.
  static Value without(Value value, int64_t axis, PatternRewriter &rewriter) {
    Dims dims = dimsOf(value.getType());
    dims.erase(dims.begin() + axis);
    return SqueezeOp::create(rewriter, value.getLoc(), tensorOf(dims, typeOf(value).getElementType()), value,
                             llvm::ArrayRef<int64_t>(axis));
  }

  static bool aboveTranspose(GatherOp gather, TransposeOp transpose, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather);
    llvm::SmallVector<int64_t> perm = permOf(transpose);
    int64_t source = perm[axis];
    Value picked = gathered(gather, transpose.getX(), source, rewriter);
    if (drops(gather))
      perm.erase(perm.begin() + axis);
    rewriter.replaceOpWithNewOp<TransposeOp>(gather, gather.getType(), picked, besides(gather, perm, source));
    return true;
  }

  /// Above a reshape that keeps the axis, with as many elements before it and after it.
  static bool aboveReshape(GatherOp gather, ReshapeOp reshape, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather);
    std::optional<int64_t> source = keptAxis(reshape, axis);
    llvm::SmallVector<int64_t> sizes;
    for (int64_t size : typeOf(gather.getResult()).getShape())
      sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
    int64_t unknown = llvm::count(sizes, -1);
    if (!source || !movesByKnownSizes(reshape) || unknown > 1 || (unknown == 1 && llvm::is_contained(sizes, 0)))
      return false;
    Value picked = gathered(gather, reshape.getX(), *source, rewriter);
    rewriter.replaceOpWithNewOp<ReshapeOp>(gather, gather.getType(), picked, Value(), sizes, false);
    return true;
  }

  static std::optional<int64_t> keptAxis(ReshapeOp reshape, int64_t axis) {
    MLIRContext *context = reshape.getContext();
    Dims from = dimsOf(reshape.getX().getType()), to = dimsOf(reshape.getType());
    auto same = [&](llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b) {
      return sameDim(productOf(context, a), productOf(context, b));
    };
    llvm::ArrayRef<Dim> all(to);
    for (int64_t source = 0; source < static_cast<int64_t>(from.size()); ++source)
      if (sameDim(from[source], to[axis]) && same(llvm::ArrayRef(from).take_front(source), all.take_front(axis)) &&
          same(llvm::ArrayRef(from).drop_front(source + 1), all.drop_front(axis + 1)))
        return source;
    return std::nullopt;
  }

  static bool aboveUnsqueeze(GatherOp gather, UnsqueezeOp unsqueeze, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather);
    llvm::SmallVector<int64_t> axes = fromStart(unsqueeze.getAxes(), rankOf(gather.getX()));
    if (llvm::is_contained(axes, axis))
      return false;
    Value picked =
        gathered(gather, unsqueeze.getX(), axis - llvm::count_if(axes, [&](int64_t a) { return a < axis; }), rewriter);
    rewriter.replaceOpWithNewOp<UnsqueezeOp>(gather, gather.getType(), picked, besides(gather, axes, axis));
    return true;
  }

  static bool aboveSqueeze(GatherOp gather, SqueezeOp squeeze, PatternRewriter &rewriter) {
    int64_t rank = rankOf(squeeze.getX()), source = axisOf(gather);
    llvm::SmallVector<int64_t> axes = fromStart(squeeze.getAxes(), rank);
    if (axes.empty() || rank != rankOf(gather.getX()) + static_cast<int64_t>(axes.size()))
      return false;
    for (int64_t axis : axes)
      source += axis <= source ? 1 : 0;
    Value picked = gathered(gather, squeeze.getX(), source, rewriter);
    rewriter.replaceOpWithNewOp<SqueezeOp>(gather, gather.getType(), picked, besides(gather, axes, source));
    return true;
  }

  /// Above an op that treats each slice along the axis alone.
  static bool aboveRows(GatherOp gather, Operation *op, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather), rank = rankOf(gather.getX());
    llvm::SmallVector<int64_t> axes(op->getNumOperands(), -1);
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
      return aboveMatmul(gather, matmul, rewriter);
    if (!alone)
      return false;
    axes[0] = axis;
    return aboveSlices(gather, op, axes, rewriter);
  }

  /// Rows of the product are of rows of its first operand, batches of batches of both. (How a column is summed depends
  /// on how many there are.)
  static bool aboveMatmul(GatherOp gather, MatmulOp matmul, PatternRewriter &rewriter) {
    int64_t axis = axisOf(gather), rank = rankOf(gather.getX()), first = rankOf(matmul.getA());
    if (first < 2 || rankOf(matmul.getB()) < 2 || axis == rank - 1)
      return false;
    if (axis == rank - 2)
      return aboveSlices(gather, matmul, {matmul.getTransposeA() ? first - 1 : first - 2, -1}, rewriter);
    Dim size = dimsOf(gather.getX().getType())[axis];
    llvm::SmallVector<int64_t> axes;
    for (Value operand : matmul->getOperands()) {
      int64_t own = axisIn(operand, axis, rank);
      bool has = own >= 0 && typeOf(operand).getDimSize(own) != 1;
      if (has && !sameDim(dimsOf(operand.getType())[own], size))
        return false;
      axes.push_back(has ? own : -1);
    }
    return aboveSlices(gather, matmul, axes, rewriter);
  }

  /// The op on operands gathered along an axis each (below 0: along none), by a list, so that the axis stays.
  static bool aboveSlices(GatherOp gather, Operation *op, llvm::ArrayRef<int64_t> axes, PatternRewriter &rewriter) {
    Value list = gather.getIndices();
    if (drops(gather))
      list = makeIntegers(rewriter, gather.getLoc(), {1}, *constantIntegers(list));
    llvm::SmallVector<Value> operands;
    for (auto [operand, axis] : llvm::zip_equal(op->getOperands(), axes))
      operands.push_back(axis < 0 ? operand
                                  : Value(GatherOp::create(rewriter, gather.getLoc(), operand, list, uint64_t(axis))));
    Dims dims = dimsOf(gather.getX().getType());
    dims[axisOf(gather)] = constantDim(gather.getContext(), typeOf(list).getDimSize(0));
    Value result = cloneOver(rewriter, op, operands, tensorOf(dims, typeOf(gather.getX()).getElementType()));
    if (drops(gather))
      rewriter.replaceOpWithNewOp<SqueezeOp>(gather, gather.getType(), result, llvm::ArrayRef<int64_t>(axisOf(gather)));
    else
      rewriter.replaceOp(gather, result);
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
