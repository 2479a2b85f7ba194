#include "API/Convexity.h"

#include "API/Order.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace clika {

// A path that leaves and returns lies between the first and the last operator in the block's order: walk back from what
// the set reads, no further than its first operator.
bool isConvex(GraphCore &core, llvm::ArrayRef<Operation *> ops) {
  if (ops.size() < 2)
    return true;
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  Operation *first = ops.front();
  for (Operation *op : ops)
    if (core.index.isBefore(op, first))
      first = op;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> work;
  auto read = [&](Operation *op, bool outside) {
    bool returns = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *from = producerOf(operand);
        from = from ? core.block().findAncestorOpInBlock(*from) : nullptr;
        if (!from)
          continue;
        if (inside.contains(from))
          returns |= outside;
        else if (!core.index.isBefore(from, first) && seen.insert(from).second)
          work.push_back(from);
      }
    });
    return returns;
  };
  for (Operation *op : ops)
    read(op, false);
  while (!work.empty())
    if (read(work.pop_back_val(), true))
      return false;
  return true;
}

} // namespace clika
