// What a run of transforms did inside of regions, region by region.
#ifndef CLIKA_TRANSFORMS_REGIONTALLY_H
#define CLIKA_TRANSFORMS_REGIONTALLY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace clika {

class RegionTally {
public:
  struct Row {
    /// As in "loop_1.body/if_2.then", or "@f" of a private function, by the names that nodes had when it was first
    /// seen.
    std::string path;
    int64_t attempts = 0, rewrites = 0, nodesBefore = 0, nodesAfter = 0;
    double seconds = 0.0;
  };

  /// What comes now happens in `block`, until another is entered; null, and the graph's own block: in no region. A
  /// private function counts as one.
  void enter(mlir::Block *block) {
    if (block != current)
      change(block);
  }
  bool inRegion() const { return row != 0; }
  void attempt(int64_t count = 1) {
    if (row)
      rows_[row - 1].attempts += count;
  }
  void rewrote() {
    if (row)
      ++rows_[row - 1].rewrites;
  }
  /// Leaves every region, and returns the seconds spent in any of them so far.
  double leave();
  /// Counts the operators of every region of `module`, each a row from then on: before the run, or after it.
  void countBefore(mlir::ModuleOp module) { count(module, &Row::nodesBefore); }
  void countAfter(mlir::ModuleOp module) { count(module, &Row::nodesAfter); }
  /// Those of a region before the one that it lies in.
  const std::vector<Row> &rows() const { return rows_; }

private:
  void change(mlir::Block *block);
  void count(mlir::ModuleOp module, int64_t Row::*counter);
  size_t rowOf(mlir::Block &block);

  mlir::Block *current = nullptr;
  /// The row of `current`, counted from 1; 0 for none.
  size_t row = 0;
  std::chrono::steady_clock::time_point since;
  double total = 0.0;
  std::vector<Row> rows_;
  llvm::DenseMap<mlir::StringAttr, size_t> functions;
  /// By the id of the operator and the number of its region.
  llvm::DenseMap<std::pair<uint64_t, unsigned>, size_t> places;
};

} // namespace clika

#endif
