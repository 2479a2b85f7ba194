// A linalg op on buffers as a loop nest whose operands are addressed linearly in the loop counters.
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace clika {

/// Index arithmetic that folds constants as it goes.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}
  mlir::OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult multiply(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::Value value(mlir::OpFoldResult a);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Element (i0, i1, …) of an operand is at `flat[offset + Σ step[d]·i_d]`.
struct Access {
  mlir::Value scalar; // the operand itself, when it is no buffer; nothing else is set then
  mlir::Value flat;   // the operand's memory as a buffer of rank 1
  mlir::OpFoldResult offset;
  llvm::SmallVector<mlir::OpFoldResult> steps;
  mlir::Type element;
  bool used = true; // false: only its shape matters

  /// The step along a loop, where it is known.
  std::optional<int64_t> step(unsigned loop) const { return mlir::getConstantIntValue(steps[loop]); }
  bool dependsOn(unsigned loop) const { return !scalar && step(loop) != 0; }
};

struct Loop {
  mlir::OpFoldResult size;
  bool reduction = false;
  std::optional<int64_t> staticSize() const { return mlir::getConstantIntValue(size); }
};

struct Nest {
  mutable mlir::linalg::LinalgOp op; // a handle, whose queries MLIR does not mark const
  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<Access> accesses; // one for each operand, outputs last
  /// The op's own dimension → loop; -1 where the loop has one iteration and was left out, -2 where it was merged.
  llvm::SmallVector<int> loopOf;
  /// The innermost of the op's dimensions is a reduction: sums go by the row order of partial sums.
  bool innermostReduced = false;
  /// Of a byte product: its two inputs are words of four bytes, and each step sums up four products.
  bool groupsOfFour = false;

  unsigned outputs() const { return op.getNumDpsInits(); }
  Access &output(unsigned i) { return accesses[op.getNumDpsInputs() + i]; }
  const Access &output(unsigned i) const { return accesses[op.getNumDpsInputs() + i]; }
  /// Also of an op whose reduction loops were left out: its results build on what its outputs hold.
  bool hasReduction() const { return op.getNumReductionLoops() != 0; }
};

/// Emits the addressing before `op`. Fails, having emitted nothing that matters, on an operand that is not linear in
/// the loop counters. Loops that can be run as one are merged when `merge` is set.
mlir::FailureOr<Nest> buildNest(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op, bool merge = true);

/// Leaves a loop out; `mark` stands for it in `loopOf` then.
void removeLoop(Nest &nest, unsigned loop, int mark);

} // namespace clika
