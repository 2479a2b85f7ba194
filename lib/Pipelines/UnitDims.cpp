#include "Pipelines/UnitDims.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {

/// The map with a loop of one step wherever it has a constant; null where not all of them are one.
static AffineMap byOwnLoops(AffineMap map, ArrayRef<int64_t> ranges) {
  if (map.getNumResults() != ranges.size())
    return {};
  SmallVector<AffineExpr> places(map.getResults());
  for (auto [dim, place] : llvm::enumerate(places)) {
    if (!isa<AffineConstantExpr>(place))
      continue;
    if (ranges[dim] != 1 || map.isFunctionOfDim(dim))
      return {};
    place = getAffineDimExpr(dim, map.getContext());
  }
  return AffineMap::get(ranges.size(), 0, places, map.getContext());
}

/// `tensor` without the dimensions that `map` has constants for, and `map` without them.
static std::pair<Value, AffineMap> withoutConstants(OpBuilder &builder, Value tensor, AffineMap map) {
  SmallVector<ReassociationIndices> runs;
  SmallVector<AffineExpr> places;
  ReassociationIndices leading;
  for (auto [dim, place] : llvm::enumerate(map.getResults())) {
    if (!isa<AffineConstantExpr>(place)) {
      runs.push_back(std::exchange(leading, {}));
      places.push_back(place);
    }
    (runs.empty() ? leading : runs.back()).push_back(dim);
  }
  Value part = tensor::CollapseShapeOp::create(builder, tensor.getLoc(), tensor, runs);
  return {part, AffineMap::get(map.getNumDims(), 0, places, map.getContext())};
}

void readByLoops(OpBuilder &builder, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  builder.setInsertionPoint(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap &map = maps[input->getOperandNumber()];
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    bool isAtFirst = type && llvm::any_of(map.getResults(), llvm::IsaPred<AffineConstantExpr>);
    for (unsigned dim = 0; isAtFirst && dim != map.getNumResults(); ++dim)
      if (isa<AffineConstantExpr>(map.getResult(dim)) && type.getDimSize(dim) != 1)
        isAtFirst = false;
    if (!isAtFirst)
      continue;
    if (AffineMap own = byOwnLoops(map, ranges)) {
      map = own;
      continue;
    }
    auto [part, places] = withoutConstants(builder, input->get(), map);
    input->set(part);
    map = places;
  }
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
}

} // namespace clika
