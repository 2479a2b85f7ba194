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
void eraseUnread(RewriterBase &rewriter, OpSet ops, const Keeps &keeps) {
  SmallVector<Operation *> producers;
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!factsOf(op).isNode || !op->use_empty() || holdsKept(op, keeps))
      continue;
    producers.clear();
    auto noteProducers = [&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && !op->isAncestor(producer))
          producers.push_back(producer);
    };
    if (op->getNumRegions() == 0)
      noteProducers(op);
    else
      op->walk(noteProducers);
    rewriter.eraseOp(op);
    ops.insert(producers.begin(), producers.end());
  }
}

} // namespace clika
