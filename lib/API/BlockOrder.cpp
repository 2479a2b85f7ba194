#include "API/BlockOrder.h"

#include "Dialect/NodeIdentity.h"
#include "Transforms/NodeListener.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

constexpr unsigned kBits = 62;
/// The label of the terminator; nodes have 1 .. kEnd - 1.
constexpr uint64_t kEnd = uint64_t{1} << kBits;
/// The distance of neighbours where there is room.
constexpr uint64_t kStride = uint64_t{1} << 30;
/// A range of 2^n labels is sparse enough while it holds fewer than 2^n / kGrowth^n.
constexpr double kGrowth = 1.5;

uint64_t idOf(Operation *op) {
  NodeIdentity *identity = identityOf(op);
  return identity ? identity->id : 0;
}

} // namespace

uint64_t BlockOrder::labelOf(Operation *op) const {
  uint64_t id = idOf(op);
  if (id != 0)
    return id < labels.size() ? labels[id] : 0;
  return op->getNextNode() ? 0 : kEnd;
}

bool BlockOrder::isBefore(Operation *a, Operation *b) {
  if (labels.empty())
    labelAll(*a->getBlock());
  if (uint64_t before = labelOf(a), after = labelOf(b); before != 0 && after != 0)
    return before < after;
  if (labelOf(a) == 0)
    label(a);
  if (labelOf(b) == 0)
    label(b);
  return labelOf(a) < labelOf(b);
}

/// The first labels there are: in one walk, with as much room on either side.
void BlockOrder::labelAll(Block &block) {
  uint64_t next = kEnd / 4;
  for (Operation &op : block) {
    uint64_t id = idOf(&op);
    if (id >= labels.size())
      labels.resize(std::max<size_t>(id + 1, 2 * labels.size()));
    if (id != 0)
      labels[id] = next;
    next += kStride;
    ++count;
  }
}

/// Labels the whole run without labels that `op` is in.
void BlockOrder::label(Operation *op) {
  Run run{op, op, 1, 0, kEnd};
  while (Operation *before = run.first->getPrevNode()) {
    run.low = labelOf(before);
    if (run.low != 0)
      break;
    run.first = before;
    ++run.length;
  }
  while (Operation *after = run.last->getNextNode()) {
    run.high = labelOf(after);
    if (run.high != 0)
      break;
    run.high = kEnd;
    run.last = after;
    ++run.length;
  }
  uint64_t step = std::min((run.high - run.low) / (run.length + 1), kStride);
  if (step == 0)
    return spread(run);
  if (run.low != 0)
    give(run, run.low + step, step);
  else if (run.high != kEnd)
    give(run, run.high - step * run.length, step);
  else
    give(run, kEnd / 2 - step * (run.length / 2), step);
}

void BlockOrder::give(const Run &run, uint64_t start, uint64_t step) {
  Operation *op = run.first;
  for (uint64_t i = 0; i < run.length; ++i, op = op->getNextNode()) {
    uint64_t id = idOf(op);
    if (id >= labels.size())
      labels.resize(id + 1);
    if (id != 0)
      labels[id] = start + i * step;
    ++count;
  }
}

/// Labels `run`, which there is no room for, together with the smallest aligned range of labels around it that is
/// sparse enough. The larger the range the sparser it must be, so that it is not soon full again. Neighbours without
/// labels go with it: what lies beyond them may be in the range.
void BlockOrder::spread(Run run) {
  const uint64_t centre = run.low;
  double capacity = 1;
  for (unsigned bits = 1; bits <= kBits; ++bits) {
    capacity *= 2 / kGrowth;
    const uint64_t size = uint64_t{1} << bits, base = centre & ~(size - 1);
    auto inRange = [&](Operation *op) {
      uint64_t label = op ? labelOf(op) : kEnd;
      return label == 0 || (label >= base && label < base + size);
    };
    for (; inRange(run.first->getPrevNode()); ++run.length)
      run.first = run.first->getPrevNode();
    for (; inRange(run.last->getNextNode()); ++run.length)
      run.last = run.last->getNextNode();
    if (run.length < size && (static_cast<double>(run.length) < capacity || bits == kBits))
      return give(run, base + size / (run.length + 1), size / (run.length + 1));
  }
}

} // namespace clika
