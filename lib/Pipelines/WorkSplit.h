// The choice of the loop whose iterations a kernel's callers may hand to several threads.
#pragma once
#include "Pipelines/Nest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace clika {

struct TilePlan;

/// A parallel loop of a nest, which its kernel walks in steps that start at multiples of `block` or lie inside one.
struct SplitCandidate {
  unsigned loop;
  int64_t block;
};

/// Makes a kernel that works on a range of blocks of one of its parallel loops: which range is told by arguments it
/// gets. No sum is ever split, and tiles lie where they would without, so results do not depend on the ranges.
class WorkSplit {
public:
  /// Splits nothing where `kernel` is null or `threads` is 1.
  WorkSplit(mlir::func::FuncOp kernel, unsigned threads) : kernel(kernel), threads(threads) {}

  /// Candidates come outermost first. `cost` is picoseconds for one execution of the nest's body.
  void choose(mlir::OpBuilder &builder, const Nest &nest, llvm::ArrayRef<SplitCandidate> candidates, double cost);

  bool isSplit() const { return loop >= 0; }
  bool splits(unsigned candidate) const { return loop == static_cast<int>(candidate); }
  /// The part of [from, to) that the kernel's range has.
  std::pair<mlir::Value, mlir::Value> clamp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value from,
                                            mlir::Value to) const;

  /// The number of blocks, and picoseconds of each; values of the kernel. Of a split kernel only.
  mlir::OpFoldResult blocks() const { return count; }
  mlir::OpFoldResult blockCost() const { return costOfBlock; }
  /// Arguments that a split kernel has after its operands: the first and last block, and their cost, which it ignores.
  static constexpr unsigned kArguments = 3;

private:
  int select(const Nest &nest, llvm::ArrayRef<SplitCandidate> candidates) const;

  mlir::func::FuncOp kernel;
  unsigned threads;
  int loop = -1;
  mlir::Value first, last;
  mlir::OpFoldResult count, costOfBlock;
};

/// The loops that a tile plan allows to split; loops around which panels are packed are left whole.
llvm::SmallVector<SplitCandidate> splitCandidates(const Nest &nest, const TilePlan &plan);
/// Picoseconds that one execution of the body takes, roughly.
double bodyCost(const Nest &nest, const TilePlan &plan);

} // namespace clika
