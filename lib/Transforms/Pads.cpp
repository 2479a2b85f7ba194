// merge_pads and fold_pad_into_conv.
#include "Dialect/LinearOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// The elements that a pad adds before each dimension and then after each; none where they are a tensor or one is
/// negative, or where other than one literal number is added.
std::optional<llvm::SmallVector<int64_t>> padsOf(PadOp pad) {
  if (pad->getNumOperands() != 1 || pad.getMode() != "Constant")
    return std::nullopt;
  int64_t rank = rankOf(pad.getX());
  llvm::SmallVector<int64_t> result(2 * rank, 0);
  int64_t count = pad.getPads().size() / 2;
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = pad.getAxes().empty() ? i : fromStart(pad.getAxes()[i], rank);
    result[axis] = pad.getPads()[i];
    result[rank + axis] = pad.getPads()[count + i];
  }
  if (llvm::any_of(result, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  return result;
}

/// The number a pad adds, NaN where it is none that a double holds.
double numberOfPad(PadOp pad) { return pad.getValueAttr() ? numberOf(pad.getValueAttr()).value_or(NAN) : 0.0; }

struct MergePadsRule : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp outer, PatternRewriter &rewriter) const override {
    auto inner = outer.getX().getDefiningOp<PadOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(outer, "does not read a pad");
    auto first = padsOf(inner), second = padsOf(outer);
    if (!first || !second)
      return rewriter.notifyMatchFailure(outer, "one of the pads adds no literal number, or removes elements");
    double a = numberOfPad(inner), b = numberOfPad(outer);
    if (!(a == b && std::signbit(a) == std::signbit(b)))
      return rewriter.notifyMatchFailure(outer, "the pads add different numbers");
    for (auto [sum, more] : llvm::zip(*first, *second))
      sum += more;
    rewriter.replaceOpWithNewOp<PadOp>(outer, outer.getType(), inner.getX(), Value(), Value(), Value(), *first,
                                       llvm::ArrayRef<int64_t>(), outer.getValueAttr(), StringRef("Constant"));
    return success();
  }
};

struct FoldPadIntoConvRule : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp conv, PatternRewriter &rewriter) const override {
    auto pad = conv.getX().getDefiningOp<PadOp>();
    if (!pad)
      return rewriter.notifyMatchFailure(conv, "does not read a pad");
    if (!isReadOnce(pad->getResult(0)))
      return rewriter.notifyMatchFailure(conv, "the pad before it has another reader");
    auto added = padsOf(pad);
    double number = numberOfPad(pad);
    if (!added || number != 0.0 || std::signbit(number))
      return rewriter.notifyMatchFailure(conv, "the pad before it adds other than +0, or removes elements");
    int64_t rank = rankOf(pad.getX()), spatial = rank - 2;
    if ((*added)[0] || (*added)[1] || (*added)[rank] || (*added)[rank + 1])
      return rewriter.notifyMatchFailure(conv, "the pad before it adds channels or batches");
    if (conv.getAutoPad() != "Explicit")
      return rewriter.notifyMatchFailure(conv, "its own pads depend on the size");
    llvm::ArrayRef<int64_t> own = conv.getPads();
    llvm::SmallVector<int64_t> pads;
    for (int64_t side = 0; side < 2; ++side)
      for (int64_t i = 0; i < spatial; ++i)
        pads.push_back((*added)[side * rank + 2 + i] +
                       (own.empty() ? 0 : own[int64_t(own.size()) == spatial ? i : side * spatial + i]));
    Operation *padded = cloneAsNew(rewriter, conv);
    padded->setOperand(0, pad.getX());
    padded->setInherentAttr(rewriter.getStringAttr("pads"), rewriter.getDenseI64ArrayAttr(pads));
    rewriter.replaceOp(conv, padded->getResults());
    return success();
  }
};

} // namespace

LogicalResult runMergePads(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MergePadsRule>(p.getContext()); });
}

LogicalResult runFoldPadIntoConv(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<FoldPadIntoConvRule>(p.getContext()); });
}

} // namespace clika
