// Which of two operations of a graph's block stands first.
#ifndef CLIKA_API_BLOCKORDER_H
#define CLIKA_API_BLOCKORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include <vector>

namespace clika {

/// Labels that grow along the block, given when they are first asked for. Where there is no number left between two
/// neighbours only a neighbourhood is labelled anew: O(log n) labels per insertion, amortised, wherever it is made.
/// (mlir::Operation::isBeforeInBlock numbers the whole block after two insertions in one place.)
class BlockOrder {
public:
  /// Both are of the block: nodes with an id, or the block's terminator.
  bool isBefore(mlir::Operation *a, mlir::Operation *b);
  /// The operation of this id is new to the block or stands elsewhere now.
  void forget(uint64_t id) {
    if (id < labels.size())
      labels[id] = 0;
  }
  void clear() { labels.clear(); }

  /// How many labels were ever given: what the order has cost.
  uint64_t given() const { return count; }

private:
  /// A run of operations, and the labels that it may take: those between `low` and `high`.
  struct Run {
    mlir::Operation *first, *last;
    uint64_t length, low, high;
  };

  uint64_t labelOf(mlir::Operation *op) const;
  void labelAll(mlir::Block &block);
  void label(mlir::Operation *op);
  void give(const Run &run, uint64_t start, uint64_t step);
  void spread(Run run);

  /// By id; 0 where none was given.
  std::vector<uint64_t> labels;
  uint64_t count = 0;
};

} // namespace clika

#endif
