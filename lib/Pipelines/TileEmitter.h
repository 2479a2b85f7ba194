// Emits the loops of a nest around register tiles.
#pragma once
#include "Pipelines/BodyEmitter.h"
#include "Pipelines/WorkSplit.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace clika {

/// How many lanes wide the order of a row's partial sums is.
inline constexpr int64_t kRowPartials = 32;

struct TilePlan {
  int rowLoop = -1, laneLoop = -1;
  int64_t rows = 1, columns = 1, lanes = 1;
  /// Lanes run along the innermost reduction: kRowPartials partial results per row, then a halving tree.
  bool acrossReduction = false;
  /// Sums of products are fused multiply-adds.
  bool fuseSums = false;
  /// Parallel loops around the lanes' loop, instead of inside it.
  llvm::SmallVector<unsigned> outside;
  /// In a reduction the lanes' loop goes around that of the rows alone, instead of around all but `outside`.
  bool lanesNear = false;
  /// Inputs that are copied to a dense panel for each step of the lanes' loop.
  llvm::SmallVector<unsigned> packed;
};

/// Element-wise work on the one output of a reduction, done on its tiles.
struct Epilogue {
  Nest nest;            // its loops are the parallel loops of the main nest, in `loopOf` order
  unsigned operand = 0; // which of its operands is the output
};

class TileEmitter {
public:
  TileEmitter(mlir::OpBuilder &builder, Nest &nest, const TilePlan &plan)
      : builder(builder), loc(nest.op.getLoc()), index(builder, loc), access(builder, loc), nest(nest), plan(plan) {}

  /// What output `i` holds before the op, when that is one value; otherwise it is loaded.
  void setInitial(unsigned i, mlir::Value scalar) { initial[i] = scalar; }
  void setEpilogue(Epilogue *value) { epilogue = value; }
  /// One of its loops runs over the split's range alone.
  void setSplit(const WorkSplit *value) { split = value; }
  /// Emits at the builder's insertion point, which comes after all addressing of the nests.
  void emit();

private:
  using Starts = llvm::SmallVector<mlir::Value>; // linear index of each access: the nest's, then the epilogue's
  using Values = llvm::SmallVector<mlir::Value>; // output-major, then row, then column

  mlir::OpFoldResult stepOf(unsigned accessIndex, unsigned loop) const;
  unsigned accessCount() const { return nest.accesses.size() + (epilogue ? epilogue->nest.accesses.size() : 0); }
  const Access &accessAt(unsigned i) const {
    return i < nest.accesses.size() ? nest.accesses[i] : epilogue->nest.accesses[i - nest.accesses.size()];
  }
  Starts advance(const Starts &starts, unsigned loop, mlir::Value by);

  void emitLoops(llvm::ArrayRef<unsigned> order, const Starts &starts, TileShape tile);
  void emitRows(llvm::ArrayRef<unsigned> rest, const Starts &starts, TileShape tile);
  void emitLanes(llvm::ArrayRef<unsigned> rest, const Starts &starts, TileShape tile);
  /// Runs `body` with the counter of `loop` from `from` to `to`; no loop when that is one step.
  void forLoop(unsigned loop, mlir::OpFoldResult from, mlir::OpFoldResult to, int64_t step, const Starts &starts,
               llvm::function_ref<void(const Starts &)> body);

  void allocatePanels();
  Access panelAccess(unsigned i, const TileShape &tile);
  void copyPanel(const Access &from, const Access &to, unsigned loop, mlir::OpFoldResult source,
                 mlir::OpFoldResult target, const TileShape &tile);
  /// Runs `body` with the packed inputs read from their panels.
  void withPanels(Starts starts, const TileShape &tile, llvm::function_ref<void(const Starts &)> body);

  void emitTile(const Starts &starts, const TileShape &tile);
  void emitParallelTile(const Starts &starts, const TileShape &tile);
  void emitReductionTile(const Starts &starts, const TileShape &tile);
  Values startValues(const llvm::SmallVector<RowBases> &bases, const TileShape &tile);
  Values reduce(llvm::ArrayRef<unsigned> order, const llvm::SmallVector<RowBases> &bases, const TileShape &tile,
                const Values &accumulators);
  Values reduceLoop(unsigned loop, mlir::OpFoldResult from, mlir::OpFoldResult to, int64_t step,
                    llvm::ArrayRef<unsigned> rest, const llvm::SmallVector<RowBases> &bases, const TileShape &tile,
                    const Values &accumulators);
  Values reduceAcross(llvm::ArrayRef<unsigned> order, const llvm::SmallVector<RowBases> &bases, const TileShape &tile,
                      const Values &accumulators);
  Values evaluate(const llvm::SmallVector<RowBases> &bases, const TileShape &tile, const Values &accumulators);
  void finishRows(const llvm::SmallVector<RowBases> &bases, const TileShape &tile, const Values &partials);
  void storeOutputs(const llvm::SmallVector<RowBases> &bases, const TileShape &tile, const Values &values);
  void emitEpilogue(const llvm::SmallVector<RowBases> &bases, const TileShape &tile, const Values &values);

  mlir::Value storeToStack(const TileShape &tile, const Values &values);

  llvm::SmallVector<RowBases> rowBases(const Starts &starts, const TileShape &tile);
  llvm::SmallVector<RowBases> advance(const llvm::SmallVector<RowBases> &bases, unsigned loop, mlir::Value by);
  mlir::Value combine(unsigned output, mlir::Value a, mlir::Value b);
  /// The lanes of a vector that starts at `from` and do not reach `size`.
  mlir::Value maskOf(mlir::Value size, mlir::Value from, mlir::VectorType type);
  mlir::Value neutral(unsigned output, mlir::Type element);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexBuilder index;
  TileAccess access;
  Nest &nest;
  TilePlan plan;
  llvm::DenseMap<unsigned, mlir::Value> initial;
  Epilogue *epilogue = nullptr;
  const WorkSplit *split = nullptr;
  llvm::SmallVector<mlir::Value> counters;
  llvm::DenseMap<unsigned, mlir::Value> panels;
};

/// The op that combines output `i` with one more value; null when the body is more than that.
mlir::Operation *rowCombiner(mlir::linalg::LinalgOp op, unsigned i);

/// How many vectors wide the tile of a sum of products is, `rows` of which share each vector, where that many are
/// known.
int64_t tileColumns(std::optional<int64_t> rows, int64_t vectorBytes);

/// Null when the nest must not be emitted in tiles because its sums would change their order.
std::optional<TilePlan> planTile(const Nest &nest, bool fuseSums, int64_t vectorBytes);

} // namespace clika
