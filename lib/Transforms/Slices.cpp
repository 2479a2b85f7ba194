// merge_slices, slices_to_split and slices_to_space_to_depth.
#include "Dialect/IndexOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Kept.h"
#include "Transforms/Moved.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

struct MergeSlicesRule : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getX().getDefiningOp<SliceOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "does not read a slice");
    auto first = literalSlice(inner), second = literalSlice(outer);
    if (!first || !second)
      return rewriter.notifyMatchFailure(outer, "a bound is a tensor");
    for (const SliceAxis &more : *second) {
      auto *same = llvm::find_if(*first, [&](const SliceAxis &other) { return other.axis == more.axis; });
      if (same == first->end()) {
        first->push_back(more);
        continue;
      }
      if (!composed(*same, more, typeOf(inner.getX()).getDimSize(more.axis)))
        return rewriter.notifyMatchFailure(outer, "both cut one axis, of unknown size or backwards");
    }
    llvm::SmallVector<int64_t> starts, ends, axes, steps;
    for (const SliceAxis &one : *first) {
      starts.push_back(one.start);
      ends.push_back(one.end);
      axes.push_back(one.axis);
      steps.push_back(one.step);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(outer, outer.getType(), inner.getX(), Value(), Value(), Value(), Value(),
                                         starts, ends, axes, steps);
    return success();
  }

private:
  /// Makes `slice`, of an axis of `size`, what it and then `more` take of it.
  static bool composed(SliceAxis &slice, const SliceAxis &more, int64_t size) {
    if (ShapedType::isDynamic(size))
      return false;
    std::optional<Positions> first = positionsOf(slice, size);
    std::optional<Positions> second = first ? positionsOf(more, first->count) : std::nullopt;
    if (!second)
      return false;
    int64_t step = first->step, next = second->step;
    // Of at most one element any step will do: no product that overflows.
    slice.step = second->count > 1 ? step * next : 1;
    slice.start = second->count > 0 ? first->first + second->first * step : 0;
    slice.end = second->count > 0 ? slice.start + (second->count - 1) * slice.step + 1 : 0;
    return true;
  }
};

/// A part of a value along one axis: a slice, or a gather at one constant index.
struct Part {
  Operation *op;
  int64_t axis, first, count;
  /// Whether the axis is dropped.
  bool isScalar = false;
};

std::optional<Part> partOf(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op)) {
    auto axes = literalSlice(slice);
    if (!axes || axes->size() != 1)
      return std::nullopt;
    int64_t axis = axes->front().axis, size = typeOf(slice.getX()).getDimSize(axis);
    auto positions = ShapedType::isDynamic(size) ? std::nullopt : positionsOf(axes->front(), size);
    if (!positions || positions->step != 1 || positions->count == 0)
      return std::nullopt;
    return Part{op, axis, positions->first, positions->count};
  }
  auto gather = dyn_cast<GatherOp>(op);
  if (!gather || rankOf(gather.getX()) == 0 || rankOf(gather.getIndices()) > 1)
    return std::nullopt;
  int64_t axis = fromStart(gather.getAxis(), rankOf(gather.getX()));
  auto indices = indicesIn(gather.getIndices(), typeOf(gather.getX()).getDimSize(axis));
  if (!indices || indices->size() != 1)
    return std::nullopt;
  return Part{op, axis, indices->front(), 1, rankOf(gather.getIndices()) == 0};
}

/// The parts beside `first`, in order, that together are its operand; none, and why.
llvm::SmallVector<Part> partition(Part first, const char *&why) {
  Value x = first.op->getOperand(0);
  llvm::SmallVector<Part> parts;
  for (Operation *user : x.getUsers())
    if (auto part = isa<SliceOp, GatherOp>(user) && user->getOperand(0) == x && user->getBlock() == first.op->getBlock()
                        ? partOf(user)
                        : std::nullopt;
        part && part->axis == first.axis)
      parts.push_back(*part);
  llvm::sort(parts, [](const Part &a, const Part &b) { return a.first < b.first; });
  int64_t next = 0;
  for (const Part &part : parts) {
    if (part.first != next)
      why = "parts overlap, or leave a gap between them";
    next = part.first + part.count;
  }
  if (next != typeOf(x).getDimSize(first.axis) || parts.size() < 2)
    why = "its operand's other slices do not reach the end of the axis";
  return *why ? llvm::SmallVector<Part>() : parts;
}

struct SlicesToSplitRule : RewritePattern {
  SlicesToSplitRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<Part> root = partOf(op);
    if (!root)
      return rewriter.notifyMatchFailure(op, "not a run of known positions of one axis");
    if (root->first != 0)
      return rewriter.notifyMatchFailure(op, "not the first part of the axis");
    const char *why = "";
    llvm::SmallVector<Part> parts = partition(*root, why);
    if (parts.empty())
      return rewriter.notifyMatchFailure(op, why);
    if (llvm::any_of(parts, [&](const Part &part) { return isKept(rewriter, part.op); }))
      return rewriter.notifyMatchFailure(op, "one of the parts beside it is to be kept");
    Operation *earliest = op;
    for (const Part &part : parts)
      if (part.op->isBeforeInBlock(earliest))
        earliest = part.op;
    rewriter.setInsertionPoint(earliest);
    llvm::SmallVector<int64_t> sizes;
    for (const Part &part : parts)
      sizes.push_back(part.count);
    auto split =
        SplitOp::create(rewriter, op->getLoc(), op->getOperand(0), Value(), sizes, uint64_t(0), uint64_t(root->axis));
    for (auto [part, piece] : llvm::zip(parts, split.getParts())) {
      if (!part.isScalar) {
        rewriter.replaceOp(part.op, piece);
        continue;
      }
      rewriter.setInsertionPoint(part.op);
      rewriter.replaceOpWithNewOp<SqueezeOp>(part.op, part.op->getResult(0).getType(), piece,
                                             llvm::ArrayRef<int64_t>(root->axis));
    }
    return success();
  }
};

/// Four slices of every other row and column, joined along channels.
struct SlicesToSpaceToDepthRule : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter &rewriter) const override {
    if (concat.getInputs().size() != 4 || rankOf(concat.getResult()) != 4 || fromStart(concat.getAxis(), 4) != 1)
      return rewriter.notifyMatchFailure(concat, "does not join four tensors along the channels of images");
    Value x;
    for (auto [i, piece] : llvm::enumerate(concat.getInputs())) {
      auto slice = piece.getDefiningOp<SliceOp>();
      if (!slice || !isPhase(slice, static_cast<int64_t>(i) / 2, static_cast<int64_t>(i) % 2) ||
          (x && x != slice.getX()))
        return rewriter.notifyMatchFailure(concat,
                                           "its pieces are not every other row and column of one image, of even "
                                           "size, in the order of space_to_depth");
      x = slice.getX();
    }
    rewriter.replaceOpWithNewOp<SpaceToDepthOp>(concat, concat.getType(), x, uint64_t(2));
    return success();
  }

private:
  /// Whether the slice takes every other element from `row` and `column` on, to the end.
  static bool isPhase(SliceOp slice, int64_t row, int64_t column) {
    auto axes = literalSlice(slice);
    if (!axes || axes->size() != 2)
      return false;
    for (const SliceAxis &one : *axes) {
      if (one.axis < 2)
        return false;
      int64_t size = typeOf(slice.getX()).getDimSize(one.axis), first = one.axis == 2 ? row : column;
      if (ShapedType::isDynamic(size) || size % 2 != 0)
        return false;
      std::optional<Positions> positions = positionsOf(one, size);
      if (!positions || positions->first != first || positions->step != 2 || positions->count != size / 2)
        return false;
    }
    return axes->front().axis != axes->back().axis;
  }
};

} // namespace

LogicalResult runMergeSlices(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergeSlicesRule>(p.getContext()); });
}

LogicalResult runSlicesToSplit(TransformContext &context) {
  return applyOnce(context, addRooted<SlicesToSplitRule, SliceOp, GatherOp>);
}

LogicalResult runSlicesToSpaceToDepth(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<SlicesToSpaceToDepthRule>(p.getContext()); });
}

} // namespace clika
