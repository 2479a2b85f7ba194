#include "Pipelines/OpGroups.h"
#include "Pipelines/BodyEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace clika {
namespace {

/// The buffer that `value` is a view of.
Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// What `root` and all views of it are used by; false when a use is not followed further.
bool collectUsers(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    users.push_back(user);
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      for (Value result : user->getResults())
        if (!collectUsers(result, users))
          return false;
    } else if (!isa<linalg::LinalgOp, memref::DimOp, memref::LoadOp, memref::StoreOp>(user) &&
               llvm::any_of(user->getResultTypes(), [](Type type) { return isa<BaseMemRefType>(type); })) {
      return false;
    }
  }
  return true;
}

/// Whether nothing between `first` and `last` touches the buffer that `value` is all of.
bool isUntouchedBetween(Value value, Operation *first, Operation *last) {
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  SmallVector<Operation *> users;
  if (!alloc || !collectUsers(value, users))
    return false;
  for (Operation *user : users) {
    if (user == first || user == last || isMemoryEffectFree(user))
      continue;
    Operation *inBlock = first->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock)
      return false;
    if (first->isBeforeInBlock(inBlock) && inBlock->isBeforeInBlock(last))
      return false;
  }
  return true;
}

linalg::FillOp fillOf(linalg::LinalgOp op, OpOperand &output) {
  linalg::FillOp fill;
  for (Operation *user : output.get().getUsers()) {
    auto candidate = dyn_cast<linalg::FillOp>(user);
    if (candidate && candidate->getBlock() == op->getBlock() && candidate->isBeforeInBlock(op) &&
        (!fill || fill->isBeforeInBlock(candidate)))
      fill = candidate;
  }
  return fill && isUntouchedBetween(output.get(), fill, op) ? fill : linalg::FillOp();
}

/// Whether `op` may run as late as `epilogue`: nobody changes what it reads in between, nor does the epilogue itself.
bool canDelay(linalg::LinalgOp op, linalg::GenericOp epilogue) {
  llvm::SmallPtrSet<Value, 8> read;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<MemRefType>(input->get().getType()))
      read.insert(rootOf(input->get()));
  auto writesRead = [&](linalg::LinalgOp other) {
    return llvm::any_of(other.getDpsInits(), [&](Value output) { return read.contains(rootOf(output)); });
  };
  for (Operation *between = op->getNextNode(); between != epilogue; between = between->getNextNode()) {
    if (auto other = dyn_cast<linalg::LinalgOp>(between)) {
      if (writesRead(other))
        return false;
    } else if (!isa<memref::AllocOp>(between) && !isMemoryEffectFree(between)) {
      return false;
    }
  }
  return !writesRead(epilogue);
}

void findEpilogue(OpGroup &group) {
  linalg::LinalgOp op = group.op;
  if (op.getNumDpsInits() != 1 || !isContraction(op))
    return;
  Value buffer = op.getDpsInits()[0];
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != op->getBlock())
    return;
  linalg::GenericOp epilogue;
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (user == op || (group.fills[0] && user == group.fills[0]))
      continue;
    auto candidate = dyn_cast<linalg::GenericOp>(user);
    if (!candidate || epilogue || !candidate.isDpsInput(&use))
      return;
    epilogue = candidate;
    group.epilogueOperand = use.getOperandNumber();
  }
  if (!epilogue || epilogue->getBlock() != op->getBlock() || !op->isBeforeInBlock(epilogue) ||
      epilogue.getNumParallelLoops() != epilogue.getNumLoops())
    return;
  for (AffineMap each : epilogue.getIndexingMapsArray())
    if (!llvm::all_of(each.getResults(), [](AffineExpr expr) { return isa<AffineDimExpr, AffineConstantExpr>(expr); }))
      return;
  if (!isVectorizable(epilogue) || epilogue.hasIndexSemantics())
    return;
  AffineMap map = epilogue.getIndexingMapsArray()[group.epilogueOperand];
  AffineMap written = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  if (!map.isPermutation() || !written.isProjectedPermutation() || !canDelay(op, epilogue))
    return;
  group.epilogue = epilogue;
}

} // namespace

bool isContraction(linalg::LinalgOp op) {
  if (op->hasAttr(kContractionAttr))
    return true;
  if (isa<linalg::GenericOp, linalg::ReduceOp, linalg::MapOp>(op))
    return false;
  return isa<linalg::ContractionOpInterface, linalg::ConvolutionOpInterface>(op.getOperation()) &&
         op.getNumReductionLoops() > 0;
}

OpGroup groupOf(linalg::LinalgOp op) {
  OpGroup group;
  group.op = op;
  for (OpOperand &output : op.getDpsInitsMutable())
    group.fills.push_back(op.getNumReductionLoops() ? fillOf(op, output) : linalg::FillOp());
  findEpilogue(group);
  return group;
}

} // namespace clika
