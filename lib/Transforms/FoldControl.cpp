#include "Transforms/FoldControl.h"

#include "Dialect/ConstantData.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/EraseUnread.h"
#include "Transforms/Literals.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

bool holdsKept(Region &region, const Keeps &keeps) {
  return keeps && llvm::any_of(region.getOps(), [&](Operation &op) { return clika::holdsKept(&op, keeps); });
}

/// Replaces `op`. What it read, in its regions too, goes if nothing else reads it.
void replace(Operation *op, llvm::ArrayRef<Value> values, RewriterBase &rewriter, const Keeps &keeps) {
  OpSet producers = producersOf(op->getOperands());
  producers.insert_range(producersOf(capturesOf(op)));
  SmallVector<Value> replacements;
  rewriter.setInsertionPoint(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    // Readers count on the type that the operator stated, and a branch may be known better: a cast that casts nothing
    // may be of both.
    if (value && !result.use_empty() && value.getType() != result.getType())
      replacements.push_back(CastOp::create(rewriter, op->getLoc(), result.getType(), value,
                                            TypeAttr::get(getElementTypeOrSelf(result.getType()))));
    else
      replacements.push_back(value);
  }
  rewriter.replaceOp(op, replacements);
  eraseUnread(rewriter, std::move(producers), keeps);
}

llvm::StringRef fold(IfOp op, RewriterBase &rewriter, const Keeps &keeps) {
  bool holds = isConstant(op.getCondition(), 1.0);
  if (!holds && !isConstant(op.getCondition(), 0.0))
    return "its condition is not constant";
  Region &taken = holds ? op.getThenRegion() : op.getElseRegion();
  if (holdsKept(holds ? op.getElseRegion() : op.getThenRegion(), keeps))
    return "the branch that it does not take holds a node to keep";
  auto yield = cast<YieldOp>(taken.front().getTerminator());
  SmallVector<Value> values(yield.getValues());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&taken.front(), op);
  replace(op, values, rewriter, keeps);
  return "";
}

/// The type of a value that is kept of no iteration; null where a size of it is not known.
RankedTensorType emptied(Type type) {
  auto stacked = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(stacked.getShape());
  shape[0] = 0;
  return ShapedType::isDynamicShape(shape) ? nullptr : RankedTensorType::get(shape, stacked.getElementType());
}

llvm::StringRef fold(LoopOp op, RewriterBase &rewriter, const Keeps &keeps) {
  std::optional<double> trips = op.getTripCount() ? splatOf(op.getTripCount()) : std::nullopt;
  bool never = (trips && *trips <= 0) || (op.getCondition() && isConstant(op.getCondition(), 0.0));
  if (!never)
    return "it is not known to have no iterations";
  if (holdsKept(op.getBody(), keeps))
    return "its body holds a node to keep";
  auto kept = op.getResults().drop_front(op.getCarried().size());
  if (llvm::any_of(kept, [](Value result) { return !result.use_empty() && !emptied(result.getType()); }))
    return "a size of a value that it keeps is not known";
  SmallVector<Value> values(op.getCarried());
  rewriter.setInsertionPoint(op);
  for (Value result : kept)
    values.push_back(result.use_empty()
                         ? Value()
                         : ConstantOp::create(rewriter, op.getLoc(), inlineConstant(emptied(result.getType()), {})));
  replace(op, values, rewriter, keeps);
  return "";
}

} // namespace

llvm::StringRef foldControl(Operation *op, RewriterBase &rewriter, const Keeps &keeps) {
  if (auto branch = dyn_cast<IfOp>(op))
    return fold(branch, rewriter, keeps);
  return fold(cast<LoopOp>(op), rewriter, keeps);
}

} // namespace clika
