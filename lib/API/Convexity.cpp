#include "API/Convexity.h"

#include "API/Order.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace clika {
namespace {

/// How many operators are looked at for one set before the answer is worth sharing.
constexpr size_t kFewOperators = 64;

bool contains(llvm::ArrayRef<Operation *> ops, Operation *op) { return llvm::is_contained(ops, op); }

} // namespace

void Convexity::forEachProducer(Operation *op, llvm::function_ref<void(Operation *)> visit) {
  if (op->getNumRegions() == 0) {
    for (Value operand : op->getOperands())
      if (Operation *from = producerOf(operand))
        if ((from = op->getBlock()->findAncestorOpInBlock(*from)))
          visit(from);
    return;
  }
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *from = producerOf(operand))
        if ((from = op->getBlock()->findAncestorOpInBlock(*from)))
          visit(from);
  });
}

SmallVector<Operation *> Convexity::readersOf(Value value) {
  SmallVector<Operation *> readers;
  for (Operation *user : value.getUsers())
    if (Operation *reader = value.getParentBlock()->findAncestorOpInBlock(*user); isOperator(reader))
      readers.push_back(reader);
  return readers;
}

bool Convexity::holds(Set ops) {
  if (ops.size() < 2)
    return true;
  // Operators of different blocks are no set that one could stand for.
  if (llvm::any_of(ops, [&](Operation *op) { return op->getBlock() != ops.front()->getBlock(); }))
    return false;
  Operation *first = ops.front();
  for (Operation *op : ops)
    if (core.index.isBefore(op, first))
      first = op;
  if (std::optional<bool> answer = walkBack(ops, first, kFewOperators))
    return *answer;
  if (knownAt != core.changes) {
    known.clear();
    knownAt = core.changes;
  }
  return byReach(ops, first);
}

// A path that leaves and returns lies between the first and the last operator in the block's order: walk back from what
// the set reads, no further than its first operator. Nothing where more than `limit` operators lie there.
std::optional<bool> Convexity::walkBack(Set ops, Operation *first, size_t limit) {
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> work;
  auto returns = [&](Operation *op, bool outside) {
    bool found = false;
    ++looked;
    forEachProducer(op, [&](Operation *from) {
      if (inside.contains(from))
        found |= outside;
      else if (!core.index.isBefore(from, first) && seen.insert(from).second)
        work.push_back(from);
    });
    return found;
  };
  for (Operation *op : ops)
    returns(op, false);
  while (!work.empty()) {
    if (seen.size() > limit)
      return std::nullopt;
    if (returns(work.pop_back_val(), true))
      return false;
  }
  return true;
}

// It is convex where nothing outside that the set reads is reached from within.
bool Convexity::byReach(Set ops, Operation *first) {
  SmallVector<Operation *> read;
  for (Operation *op : ops)
    forEachProducer(op, [&](Operation *from) {
      if (!contains(ops, from) && !core.index.isBefore(from, first))
        read.push_back(from);
    });
  for (Operation *from : ops)
    for (Operation *to : read) {
      if (!core.index.isBefore(from, to))
        continue;
      Reach &reach = known[identityOf(from)->id];
      // Worth while for an operator that several sets have.
      if (!std::exchange(reach.asked, true))
        return *walkBack(ops, first, SIZE_MAX);
      if (reaches(from, to, reach))
        return false;
    }
  return true;
}

bool Convexity::reaches(Operation *from, Operation *to, Reach &reach) {
  SmallVector<Operation *> work;
  if (!std::exchange(reach.known, true))
    work.push_back(from);
  while (!work.empty()) {
    ++looked;
    for (Value result : work.pop_back_val()->getResults())
      for (Operation *reader : readersOf(result))
        if (reach.ids.insert(identityOf(reader)->id).second)
          work.push_back(reader);
  }
  return reach.ids.contains(identityOf(to)->id);
}

} // namespace clika
