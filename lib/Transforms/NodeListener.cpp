#include "Transforms/NodeListener.h"

#include "Dialect/Dialect.h"

using namespace mlir;

namespace clika {

void NodeListener::notifyOperationReplaced(Operation *op, ValueRange replacement) {
  NodeIdentity *old = identityOf(op);
  if (!old || (!old->name && old->id == 0))
    return;
  for (Value value : replacement) {
    NodeIdentity *next = value ? identityOf(value.getDefiningOp()) : nullptr;
    if (!next || next->id != 0 || next->name || value.getDefiningOp() == op)
      continue;
    *next = *old;
    *old = NodeIdentity();
    identityMoved(op, value.getDefiningOp());
    return;
  }
}

} // namespace clika
