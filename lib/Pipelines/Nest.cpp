#include "Pipelines/MergeLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace clika {

OpFoldResult IndexBuilder::add(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, value(a), value(b)).getResult();
}

OpFoldResult IndexBuilder::multiply(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x * *y);
  if (x == 0 || y == 0)
    return builder.getIndexAttr(0);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, loc, value(a), value(b)).getResult();
}

Value IndexBuilder::value(OpFoldResult a) { return getValueOrCreateConstantIndexOp(builder, loc, a); }

void removeLoop(Nest &nest, unsigned loop, int mark) {
  nest.loops.erase(nest.loops.begin() + loop);
  for (Access &access : nest.accesses)
    if (!access.scalar)
      access.steps.erase(access.steps.begin() + loop);
  for (int &entry : nest.loopOf) {
    if (entry == static_cast<int>(loop))
      entry = mark;
    else if (entry > static_cast<int>(loop))
      --entry;
  }
}

namespace {

class NestBuilder {
public:
  NestBuilder(OpBuilder &builder, linalg::LinalgOp op)
      : builder(builder), op(op), loc(op.getLoc()), index(builder, loc) {}

  FailureOr<Nest> run() {
    nest.op = op;
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (unsigned d = 0; d != kinds.size(); ++d) {
      FailureOr<OpFoldResult> size = sizeOf(d);
      if (failed(size))
        return failure();
      nest.loops.push_back({*size, kinds[d] == utils::IteratorType::reduction});
      nest.loopOf.push_back(d);
    }
    nest.innermostReduced = !kinds.empty() && kinds.back() == utils::IteratorType::reduction;
    for (OpOperand &operand : op->getOpOperands())
      if (failed(addAccess(operand)))
        return failure();
    dropUnitLoops();
    return std::move(nest);
  }

private:
  FailureOr<OpFoldResult> sizeOf(unsigned d) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type)
        continue;
      for (auto [r, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim || dim.getPosition() != d)
          continue;
        if (!type.isDynamicDim(r))
          return OpFoldResult(builder.getIndexAttr(type.getDimSize(r)));
        return OpFoldResult(memref::DimOp::create(builder, loc, operand.get(), r).getResult());
      }
    }
    return failure();
  }

  /// Adds `factor · expr` to the access.
  LogicalResult addLinear(Access &access, AffineExpr expr, OpFoldResult factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      OpFoldResult &step = access.steps[dim.getPosition()];
      step = index.add(step, factor);
      return success();
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      access.offset = index.add(access.offset, index.multiply(factor, index.constant(constant.getValue())));
      return success();
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return failure();
    if (expr.getKind() == AffineExprKind::Add)
      return success(succeeded(addLinear(access, binary.getLHS(), factor)) &&
                     succeeded(addLinear(access, binary.getRHS(), factor)));
    auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (expr.getKind() != AffineExprKind::Mul || !scale)
      return failure();
    return addLinear(access, binary.getLHS(), index.multiply(factor, index.constant(scale.getValue())));
  }

  LogicalResult addAccess(OpOperand &operand) {
    Access access;
    access.used = op.payloadUsesValueFromOperand(&operand) || op.isDpsInit(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    access.element = type ? type.getElementType() : operand.get().getType();
    if (!type) {
      access.scalar = operand.get();
      nest.accesses.push_back(std::move(access));
      return success();
    }
    SmallVector<int64_t> staticStrides;
    int64_t staticOffset;
    if (failed(type.getStridesAndOffset(staticStrides, staticOffset)))
      return failure();
    SmallVector<OpFoldResult> strides;
    if (ShapedType::isDynamic(staticOffset) || ShapedType::isDynamicShape(staticStrides)) {
      auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, operand.get());
      strides = metadata.getConstifiedMixedStrides();
      access.offset = metadata.getConstifiedMixedOffset();
    } else {
      strides = getAsIndexOpFoldResult(op.getContext(), staticStrides);
      access.offset = builder.getIndexAttr(staticOffset);
    }
    auto flatType = MemRefType::get({ShapedType::kDynamic}, access.element);
    access.flat =
        memref::ReinterpretCastOp::create(builder, loc, flatType, operand.get(), OpFoldResult(builder.getIndexAttr(0)),
                                          ArrayRef<OpFoldResult>{index.value(builder.getIndexAttr(int64_t(1) << 40))},
                                          ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
    access.steps.assign(nest.loops.size(), builder.getIndexAttr(0));
    for (auto [expr, stride] : llvm::zip(op.getMatchingIndexingMap(&operand).getResults(), strides))
      if (failed(addLinear(access, expr, stride)))
        return failure();
    nest.accesses.push_back(std::move(access));
    return success();
  }

  void dropUnitLoops() {
    for (unsigned loop = nest.loops.size(); loop-- > 0;)
      if (nest.loops[loop].staticSize() == 1)
        removeLoop(nest, loop, -1);
  }

  OpBuilder &builder;
  linalg::LinalgOp op;
  Location loc;
  IndexBuilder index;
  Nest nest;
};

/// Neighbouring dimensions of a dense buffer, walked through by neighbouring loops, which are those dimensions of `op`.
bool walksDense(linalg::LinalgOp op, OpOperand &use, unsigned outer, unsigned inner) {
  auto type = cast<MemRefType>(use.get().getType());
  if (!type.getLayout().isIdentity())
    return false;
  AffineMap map = op.getMatchingIndexingMap(&use);
  std::optional<unsigned> first = map.getResultPosition(getAffineDimExpr(outer, op.getContext()));
  std::optional<unsigned> second = map.getResultPosition(getAffineDimExpr(inner, op.getContext()));
  if (!first || !second || *first >= *second)
    return false;
  for (unsigned r = 0; r != map.getNumResults(); ++r) {
    AffineExpr expr = map.getResult(r);
    bool own = r == *first || r == *second;
    if (!own && (expr.isFunctionOfDim(outer) || expr.isFunctionOfDim(inner)))
      return false;
    if (r > *first && r < *second && type.getDimSize(r) != 1)
      return false;
  }
  return true;
}

class LoopMerger {
public:
  LoopMerger(OpBuilder &builder, Nest &nest, Follower *follower)
      : index(builder, nest.op.getLoc()), nest(nest), follower(follower) {
    linalg::LinalgOp op = nest.op;
    op->getRegion(0).walk([&](linalg::IndexOp used) { indexed.insert(used.getDim()); });
  }

  void run() {
    // Whether a loop can be merged depends on the loops as they are.
    SmallVector<bool> withNext;
    for (unsigned loop = 0; loop + 1 < nest.loops.size(); ++loop)
      withNext.push_back(canMerge(loop));
    for (unsigned loop = withNext.size(); loop-- > 0;) {
      if (!withNext[loop])
        continue;
      nest.loops[loop + 1].size = index.multiply(nest.loops[loop].size, nest.loops[loop + 1].size);
      nest.loopOf[dimOf(loop + 1)] = -2;
      removeLoop(nest, loop, -2);
      if (!follower)
        continue;
      follower->dims.erase(follower->dims.begin() + loop);
      for (Access &access : follower->nest->accesses)
        if (!access.scalar)
          access.steps.erase(access.steps.begin() + loop);
    }
  }

private:
  /// The op's dimension that a loop stands for, while loops are not merged yet.
  unsigned dimOf(unsigned loop) const { return llvm::find(nest.loopOf, static_cast<int>(loop)) - nest.loopOf.begin(); }

  bool canMerge(unsigned outer) {
    const Loop &a = nest.loops[outer], &b = nest.loops[outer + 1];
    if (a.reduction != b.reduction || indexed.contains(dimOf(outer)) || indexed.contains(dimOf(outer + 1)))
      return false;
    if (!isOneWalk(nest, outer, dimOf(outer), dimOf(outer + 1)))
      return false;
    return !follower || isOneWalk(*follower->nest, outer, follower->dims[outer], follower->dims[outer + 1]);
  }

  bool isOneWalk(Nest &walked, unsigned outer, int outerDim, int innerDim) {
    for (auto [i, access] : llvm::enumerate(walked.accesses)) {
      if (access.scalar)
        continue;
      std::optional<int64_t> s = access.step(outer), t = access.step(outer + 1);
      std::optional<int64_t> size = nest.loops[outer + 1].staticSize();
      bool neither = s == 0 && t == 0;
      bool counted = s && t && size && *s == *t * *size;
      if (!neither && !counted &&
          (outerDim < 0 || innerDim < 0 || !walksDense(walked.op, walked.op->getOpOperand(i), outerDim, innerDim)))
        return false;
    }
    return true;
  }

  IndexBuilder index;
  Nest &nest;
  Follower *follower;
  llvm::SmallDenseSet<uint64_t> indexed;
};

} // namespace

FailureOr<Nest> buildNest(OpBuilder &builder, linalg::LinalgOp op, bool merge) {
  builder.setInsertionPoint(op);
  FailureOr<Nest> nest = NestBuilder(builder, op).run();
  if (succeeded(nest) && merge)
    mergeLoops(builder, *nest);
  return nest;
}

void mergeLoops(OpBuilder &builder, Nest &nest, Follower *follower) {
  if (!nest.loops.empty())
    LoopMerger(builder, nest, follower).run();
}

} // namespace clika
