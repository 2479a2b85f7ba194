#include "Transforms/EraseUnread.h"

#include "Dialect/Dialect.h"

using namespace mlir;

namespace clika {

llvm::SetVector<Operation *> producersOf(ValueRange values) {
  llvm::SetVector<Operation *> producers;
  for (Value value : values)
    if (Operation *op = value ? value.getDefiningOp() : nullptr)
      producers.insert(op);
  return producers;
}

// An operation is in the list once, and erased when it is taken out, so that none is asked for after it has gone.
void eraseUnread(RewriterBase &rewriter, llvm::SetVector<Operation *> ops,
                 llvm::function_ref<bool(Operation *)> keeps) {
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!isa<NodeOp>(op) || !op->use_empty() || (keeps && keeps(op)))
      continue;
    llvm::SetVector<Operation *> producers;
    op->walk([&](Operation *inner) {
      for (Operation *producer : producersOf(inner->getOperands()))
        if (!op->isAncestor(producer))
          producers.insert(producer);
    });
    rewriter.eraseOp(op);
    ops.insert(producers.begin(), producers.end());
  }
}

} // namespace clika
