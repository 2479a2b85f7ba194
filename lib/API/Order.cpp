#include "API/Order.h"

#include "API/Fail.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

using namespace mlir;

namespace clika {

Operation *producerOf(Value value) { return value.getDefiningOp(); }

Operation *inBlock(GraphCore &core, Operation *user) { return core.block().findAncestorOpInBlock(*user); }

Operation *later(GraphCore &core, Operation *a, Operation *b) {
  if (!a || !b)
    return a ? a : b;
  return core.index.isBefore(a, b) ? b : a;
}

Block::iterator after(GraphCore &core, ArrayRef<Value> inputs) {
  Operation *last = nullptr;
  for (Value value : inputs)
    if (value && producerOf(value) != last)
      last = later(core, last, producerOf(value));
  return last ? std::next(last->getIterator()) : core.block().begin();
}

namespace {

// remove and insert: moveBefore would have the whole block numbered anew.
void moveAhead(GraphCore &core, Operation *op, Operation *of) {
  op->remove();
  core.block().getOperations().insert(of->getIterator(), op);
  core.index.relocated(op);
}

} // namespace

void undoMoves(GraphCore &core, const MoveLog &log) {
  for (auto [op, next] : llvm::reverse(log))
    moveAhead(core, op, next);
}

void makeAvailable(GraphCore &core, Value value, ArrayRef<Operation *> readers, std::string_view call, MoveLog *log) {
  Operation *producer = producerOf(value);
  if (!producer)
    return;
  Operation *first = nullptr;
  for (Operation *reader : readers)
    if (reader == producer || core.index.isBefore(reader, producer))
      if (!first || core.index.isBefore(reader, first))
        first = reader;
  if (!first)
    return;
  // What `value` is computed from at or after the first reader.
  llvm::SmallPtrSet<Operation *, 16> window;
  SmallVector<Operation *> work = {producer};
  window.insert(producer);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *from = operand.getDefiningOp();
        from = from ? core.block().findAncestorOpInBlock(*from) : nullptr;
        if (from && !core.index.isBefore(from, first) && window.insert(from).second)
          work.push_back(from);
      }
    });
  }
  for (Operation *reader : readers)
    if (window.contains(reader))
      invalid(call, "the graph would have a cycle: " + quote(core.nameOf(value)) + " is computed from " +
                        quote(core.nameOf(reader)) + ", which would read it; wire in a value that does not depend on " +
                        "its reader");
  SmallVector<Operation *> moves(window.begin(), window.end());
  std::ranges::sort(moves, [&](Operation *a, Operation *b) { return core.index.isBefore(a, b); });
  for (Operation *op : moves) {
    if (log)
      log->emplace_back(op, op->getNextNode());
    moveAhead(core, op, first);
  }
}

} // namespace clika
