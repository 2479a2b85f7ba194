#include "API/Order.h"

#include "API/Fail.h"
#include "Dialect/Functions.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

using namespace mlir;

namespace clika {

Operation *producerOf(Value value) { return value.getDefiningOp(); }

Operation *readerBeside(GraphCore &core, Value value, Operation *user, std::string_view call) {
  Block *block = value.getParentBlock();
  if (Operation *beside = block->findAncestorOpInBlock(*user))
    return beside;
  std::string place = " lies in " + placeText(core, *block);
  if (functionAround(user) != functionAround(block->getParentOp()))
    invalid(call, quote(core.nameOf(value)) + place + ", and what reads it would lie in " +
                      placeText(core, functionAround(user).front()) + "; a function takes values by its calls alone");
  invalid(call, quote(core.nameOf(value)) + place +
                    ", and what reads it would lie outside; hand it out as an output of that node");
}

namespace {

bool isWithin(Block *inner, Block *outer) {
  return inner == outer || outer->findAncestorOpInBlock(*inner->getParentOp()) != nullptr;
}

} // namespace

Block &blockFor(GraphCore &core, ArrayRef<Value> values, std::string_view call) {
  Block *innermost = nullptr;
  for (Value value : values) {
    Block *block = value ? value.getParentBlock() : innermost;
    if (!block || (innermost && isWithin(innermost, block)))
      continue;
    if (innermost && !isWithin(block, innermost))
      invalid(call, quote(core.nameOf(value)) + " lies in " + placeText(core, *block) +
                        ", which another value given lies outside of; one node reads values of one region and of " +
                        "what is around it");
    innermost = block;
  }
  return innermost ? *innermost : core.block();
}

namespace {

/// The number of the region of `around` that `op` lies in, at any depth.
unsigned regionWithin(Operation *around, Operation *op) {
  Region *region = op->getParentRegion();
  while (region->getParentOp() != around)
    region = region->getParentOp()->getParentRegion();
  return region->getRegionNumber();
}

} // namespace

bool comesFirst(GraphCore &core, Operation *a, Operation *b) {
  if (a->getBlock() == b->getBlock())
    return core.index.isBefore(a, b);
  if (b->getBlock()->findAncestorOpInBlock(*a))
    return true;
  for (Block *around = a->getBlock(); around; around = around->getParentOp()->getBlock()) {
    Operation *x = around->findAncestorOpInBlock(*a), *y = around->findAncestorOpInBlock(*b);
    if (!y)
      continue;
    // `b` lies inside of an operation beside `a`, or both do.
    if (x == a)
      return false;
    if (x != y)
      return isa<func::FuncOp>(x) ? x->isBeforeInBlock(y) : core.index.isBefore(x, y);
    return regionWithin(x, a) < regionWithin(x, b);
  }
  return false;
}

Operation *later(GraphCore &core, Operation *a, Operation *b) {
  if (!a || !b)
    return a ? a : b;
  return core.index.isBefore(a, b) ? b : a;
}

Block::iterator after(GraphCore &core, ArrayRef<Value> inputs, std::string_view call) {
  Block &block = blockFor(core, inputs, call);
  Operation *last = nullptr;
  for (Value value : inputs)
    if (value && value.getParentBlock() == &block && producerOf(value) != last)
      last = later(core, last, producerOf(value));
  return last ? std::next(last->getIterator()) : block.begin();
}

namespace {

// remove and insert: moveBefore would have the whole block numbered anew.
void moveAhead(GraphCore &core, Operation *op, Operation *of) {
  op->remove();
  of->getBlock()->getOperations().insert(of->getIterator(), op);
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
        from = from ? producer->getBlock()->findAncestorOpInBlock(*from) : nullptr;
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
