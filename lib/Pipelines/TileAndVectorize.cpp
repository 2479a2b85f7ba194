#include "Pipelines/ByteProducts.h"
#include "Pipelines/Fallbacks.h"
#include "Pipelines/KernelOutliner.h"
#include "Pipelines/MergeLoops.h"
#include "Pipelines/Passes.h"
#include "Pipelines/TileEmitter.h"
#include "Pipelines/Transposition.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_TILEANDVECTORIZE
#include "Pipelines/Passes.h.inc"

namespace {

/// Why the op by itself cannot be emitted; empty where it can be.
std::string whyNotEmittable(linalg::LinalgOp op) {
  if (op.getBlock()->getNumArguments() != op->getNumOperands())
    return "its body does not take an element of each operand";
  for (Type type : op->getOperandTypes()) {
    auto buffer = dyn_cast<MemRefType>(type);
    if ((buffer && buffer.getElementType().isInteger(1)) || isa<UnrankedMemRefType>(type))
      return "it reads or writes single bits, or memory of no known rank";
  }
  return whyNotVectorizable(op);
}

bool isEmittable(linalg::LinalgOp op) { return whyNotEmittable(op).empty(); }

/// The epilogue's operands, addressed by the loops of `main`.
std::optional<Epilogue> makeEpilogue(OpBuilder &builder, OpGroup &group, Nest &main) {
  if (!isEmittable(group.epilogue) || group.epilogue.hasIndexSemantics())
    return std::nullopt;
  FailureOr<Nest> own = buildNest(builder, group.epilogue, /*merge=*/false);
  if (failed(own))
    return std::nullopt;
  linalg::LinalgOp op = group.op;
  AffineMap written = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  AffineMap read = group.epilogue.getIndexingMapsArray()[group.epilogueOperand];
  SmallVector<int> ownLoop(main.loops.size(), -1), dims = ownLoop;
  for (auto [mainDim, ownDim] : llvm::zip_equal(written.getResults(), read.getResults())) {
    int loop = main.loopOf[cast<AffineDimExpr>(mainDim).getPosition()];
    if (loop < 0)
      continue;
    dims[loop] = cast<AffineDimExpr>(ownDim).getPosition();
    ownLoop[loop] = own->loopOf[dims[loop]];
  }
  for (Access &access : own->accesses) {
    if (access.scalar)
      continue;
    SmallVector<OpFoldResult> steps;
    for (int loop : ownLoop)
      steps.push_back(loop < 0 ? OpFoldResult(builder.getIndexAttr(0)) : access.steps[loop]);
    access.steps = std::move(steps);
  }
  own->accesses[group.epilogueOperand].used = false;
  Follower follower{&*own, dims};
  mergeLoops(builder, main, &follower);
  return Epilogue{std::move(*own), group.epilogueOperand};
}

class GroupEmitter {
public:
  GroupEmitter(OpGroup group, int64_t vectorBytes, WorkSplit &split)
      : group(std::move(group)), vectorBytes(vectorBytes), split(split), builder(this->group.op.getContext()) {}

  /// Emits the group before its last op and erases it; leaves it as it is, and says why, when there is no way to.
  std::string run() {
    linalg::LinalgOp op = group.op;
    if (emitTransposition(builder, op, split)) {
      op->erase();
      return "";
    }
    if (group.epilogue)
      op->moveBefore(group.epilogue);
    FailureOr<Nest> nest = buildNest(builder, op, /*merge=*/!group.epilogue);
    if (failed(nest))
      return "it reads or writes an operand in steps that are not equal";
    groupBytes(builder, *nest);
    std::optional<Epilogue> epilogue;
    if (group.epilogue) {
      epilogue = makeEpilogue(builder, group, *nest);
      if (!epilogue) {
        group.epilogue = {};
        builder.setInsertionPoint(op);
        mergeLoops(builder, *nest);
      }
    }
    std::optional<TilePlan> plan = planTile(*nest, isContraction(op), vectorBytes);
    if (!plan)
      return "it sums over several dimensions in an order that lanes do not keep";
    builder.setInsertionPoint(group.last());
    split.choose(builder, *nest, splitCandidates(*nest, *plan), bodyCost(*nest, *plan));
    TileEmitter emitter(builder, *nest, *plan);
    emitter.setSplit(&split);
    for (auto [i, fill] : llvm::enumerate(group.fills))
      if (fill)
        emitter.setInitial(i, fill.value());
    if (epilogue) {
      nest->output(0).used = false;
      emitter.setEpilogue(&*epilogue);
    }
    emitter.emit();
    op->erase();
    if (group.epilogue)
      group.epilogue->erase();
    for (linalg::FillOp fill : group.fills)
      if (fill)
        fill->erase();
    return "";
  }

private:
  OpGroup group;
  int64_t vectorBytes;
  WorkSplit &split;
  OpBuilder builder;
};

struct TileAndVectorizePass : impl::TileAndVectorizeBase<TileAndVectorizePass> {
protected:
  void runOnOperation() override {
    vectorBytes = 64;
    if (auto attr = getOperation()->getAttrOfType<IntegerAttr>(kVectorBytesAttr))
      vectorBytes = attr.getInt();
    int64_t threads = 1;
    if (auto attr = getOperation()->getAttrOfType<IntegerAttr>(kThreadsAttr))
      threads = attr.getInt();
    KernelOutliner outliner(getOperation(), static_cast<unsigned>(threads));
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      SmallVector<linalg::LinalgOp> reductions, others;
      function.walk([&](linalg::LinalgOp op) { (op.getNumReductionLoops() ? reductions : others).push_back(op); });
      bool single = threads == 1 && reductions.size() + others.size() == 1 && !getOperation()->hasAttr(kProfileAttr);
      llvm::SmallPtrSet<Operation *, 8> done;
      for (ArrayRef<linalg::LinalgOp> ops : {ArrayRef(reductions), ArrayRef(others)})
        for (linalg::LinalgOp op : ops)
          if (!done.contains(op))
            emit(groupOf(op), single ? nullptr : &outliner, done);
      eraseUnused(function);
    }
    outliner.finish();
  }

  void emit(OpGroup group, KernelOutliner *outliner, llvm::SmallPtrSet<Operation *, 8> &done) {
    SmallVector<Operation *> members = {group.epilogue};
    for (linalg::FillOp fill : group.fills)
      members.push_back(fill);
    auto fill = [&](OpGroup part, WorkSplit &split) { return GroupEmitter(std::move(part), vectorBytes, split).run(); };
    WorkSplit whole({}, 1);
    std::string refusal = whyNotEmittable(group.op);
    if (refusal.empty())
      refusal = outliner ? outliner->outline(group, fill) : fill(group, whole);
    if (refusal.empty())
      done.insert(members.begin(), members.end());
    else
      group.op->setAttr(kFallbackAttr, StringAttr::get(&getContext(), refusal));
  }

  int64_t vectorBytes = 64;
};

} // namespace
} // namespace clika
