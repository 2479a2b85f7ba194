#include "Transforms/EraseUnread.h"

#include "Dialect/NodeFacts.h"

using namespace mlir;

namespace clika {

OpSet producersOf(ValueRange values) {
  OpSet producers;
  for (Value value : values)
    if (Operation *op = value ? value.getDefiningOp() : nullptr)
      producers.insert(op);
  return producers;
}

bool holdsKept(Operation *op, const Keeps &keeps) {
  if (!keeps || op->getNumRegions() == 0)
    return keeps && keeps(op);
  return op->walk([&](Operation *inner) { return keeps(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

// An operation is in the list once, and erased when it is taken out, so that none is asked for after it has gone.
void eraseUnread(OpSet ops, const Keeps &keeps, llvm::function_ref<void(Operation *)> erase) {
  SmallVector<Operation *> producers;
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!op->use_empty() || !factsOf(op).isNode || holdsKept(op, keeps))
      continue;
    producers.clear();
    auto noteProducers = [&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && (inner == op || !op->isAncestor(producer)))
          producers.push_back(producer);
    };
    if (op->getNumRegions() == 0)
      noteProducers(op);
    else
      op->walk(noteProducers);
    erase(op);
    // Any other comes again with the last that reads it.
    for (Operation *producer : producers)
      if (producer->use_empty())
        ops.insert(producer);
  }
}

void eraseUnread(RewriterBase &rewriter, OpSet ops, const Keeps &keeps) {
  eraseUnread(std::move(ops), keeps, [&](Operation *op) { rewriter.eraseOp(op); });
}

} // namespace clika
