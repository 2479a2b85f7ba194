#include "Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_BUFFERIZEMAIN
#include "Pipelines/Passes.h.inc"

namespace {

/// `value` without a split and the join that undoes it.
Value withoutSplit(Value value) {
  auto joined = value.getDefiningOp<memref::CollapseShapeOp>();
  auto split = joined ? joined.getSrc().getDefiningOp<memref::ExpandShapeOp>() : memref::ExpandShapeOp();
  return split && split.getSrc().getType() == value.getType() ? Value(split.getSrc()) : value;
}

/// Whether both are the same part of the same buffer: what belongs into it was made there.
bool isSamePart(Value a, Value b) {
  auto one = withoutSplit(a).getDefiningOp<memref::SubViewOp>();
  auto other = withoutSplit(b).getDefiningOp<memref::SubViewOp>();
  return one && other && one.getSource() == other.getSource() && one.getMixedOffsets() == other.getMixedOffsets() &&
         one.getMixedSizes() == other.getMixedSizes() && one.getMixedStrides() == other.getMixedStrides();
}

bufferization::OneShotBufferizationOptions options() {
  bufferization::OneShotBufferizationOptions result;
  result.bufferizeFunctionBoundaries = true;
  result.allowReturnAllocsFromLoops = true;
  result.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
  result.unknownTypeConverterFn = [](TensorType type, Attribute space, const bufferization::BufferizationOptions &) {
    return bufferization::getMemRefTypeWithStaticIdentityLayout(type, space);
  };
  // A copy as a linalg op is vectorized like any other, also between strided buffers.
  result.memCpyFn = [](OpBuilder &builder, Location loc, Value from, Value to) {
    if (!isSamePart(from, to))
      linalg::CopyOp::create(builder, loc, from, to);
    return success();
  };
  return result;
}

/// Whether the op that makes `value` gives it memory of its own, in `block`.
bool isMadeIn(Block *block, Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op->getBlock() != block)
    return false;
  Value init = op.getDpsInits()[cast<OpResult>(value).getResultNumber()];
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getDpsInits()[0];
  return isa_and_nonnull<tensor::EmptyOp>(init.getDefiningOp());
}

using PlacedOps = llvm::MapVector<Block *, SmallVector<bufferization::MaterializeInDestinationOp>>;

/// What blocks hand out in places that are made for it, at their ends. A branch or an iteration that was put in the
/// place of its op leaves such ops where nothing is handed out: their results are what they were given.
PlacedOps placedAtEnds(ModuleOp module) {
  SmallVector<bufferization::MaterializeInDestinationOp> all;
  module->walk([&](bufferization::MaterializeInDestinationOp op) {
    if (isa<TensorType>(op.getDest().getType()))
      all.push_back(op);
  });
  PlacedOps placed;
  for (bufferization::MaterializeInDestinationOp op : all) {
    Operation *end = op->getBlock()->getTerminator();
    op.getResult().replaceUsesWithIf(op.getSource(), [&](OpOperand &use) { return use.getOwner() != end; });
    if (op->use_empty()) {
      op->erase();
      continue;
    }
    op->moveBefore(end);
    placed[op->getBlock()].push_back(op);
  }
  return placed;
}

/// What an iteration hands to the next is copied to its place, at its end. What may lie in the place of another such
/// value is put aside before.
void copyIntoPlace(ModuleOp module) {
  PlacedOps placed = placedAtEnds(module);
  for (auto &[block, ops] : placed) {
    OpBuilder builder(ops.front());
    bool isAlone = ops.size() == 1;
    for (bufferization::MaterializeInDestinationOp op : ops) {
      Value source = op.getSource();
      if (isAlone || source == op.getDest() || isMadeIn(block, source))
        continue;
      auto aside = bufferization::AllocTensorOp::create(builder, op.getLoc(), cast<RankedTensorType>(source.getType()),
                                                        ValueRange(), source);
      op.getSourceMutable().assign(aside);
    }
    for (bufferization::MaterializeInDestinationOp op : ops) {
      builder.setInsertionPoint(op);
      auto copy = linalg::CopyOp::create(builder, op.getLoc(), op.getSource(), op.getDest());
      op.getResult().replaceAllUsesWith(copy.getResult(0));
      op->erase();
    }
  }
}

struct BufferizeMainPass : impl::BufferizeMainBase<BufferizeMainPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect, linalg::LinalgDialect, memref::MemRefDialect>();
  }

protected:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>(kMain);
    if (!main || main.isExternal()) {
      module.emitError("no function `main` with a body");
      return signalPassFailure();
    }
    copyIntoPlace(module);
    auto readOnly = BoolAttr::get(&getContext(), false);
    for (unsigned i = 0; i != main.getNumArguments(); ++i)
      main.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName, readOnly);
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(module, options(), state)))
      return signalPassFailure();
    bufferization::removeBufferizationAttributesInModule(module);
  }
};

} // namespace
} // namespace clika
