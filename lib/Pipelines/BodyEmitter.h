// The body of a linalg op, emitted for one tile: `rows` steps of one loop by `columns` vectors of another.
#pragma once
#include "Pipelines/Nest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace clika {

/// Where a tile lies. `rowLoop` and `laneLoop` are loops of the nest, -1 for none.
struct TileShape {
  int rowLoop = -1, laneLoop = -1;
  int64_t rows = 1, columns = 1, lanes = 1;
  /// Lanes in use of the last vector of each row; null: all.
  mlir::Value mask;

  mlir::Value maskOf(int64_t column) const { return column + 1 == columns ? mask : mlir::Value(); }
  bool onRows(const Access &access) const { return rowLoop >= 0 && access.dependsOn(rowLoop); }
  bool onLanes(const Access &access) const { return lanes > 1 && laneLoop >= 0 && access.dependsOn(laneLoop); }
};

/// The linear index of an access's first element in a tile; one for all rows, or one each where their distance is
/// known only at run time.
using RowBases = llvm::SmallVector<mlir::Value, 1>;

/// Loads, stores and shapes values of tiles.
class TileAccess {
public:
  TileAccess(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc), index(builder, loc) {}

  /// The bases of `access` where the tile starts at linear index `start`.
  RowBases rowBases(const Access &access, const TileShape &tile, mlir::Value start);
  mlir::Value load(const Access &access, const TileShape &tile, const RowBases &bases, int64_t row, int64_t column);
  void store(mlir::Value value, const Access &access, const TileShape &tile, const RowBases &bases, int64_t row,
             int64_t column);
  mlir::Type type(mlir::Type element, const TileShape &tile) const;
  /// 0, 1, 2 … in the lanes, as indices.
  mlir::Value laneNumbers(const TileShape &tile);
  mlir::Value broadcast(mlir::Value value, const TileShape &tile);

private:
  mlir::Value elementIndex(const Access &access, const TileShape &tile, const RowBases &bases, int64_t row,
                           int64_t column);
  mlir::Value laneOffsets(const Access &access, const TileShape &tile);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexBuilder index;
};

/// Why the body cannot be emitted on vectors; empty where it can be.
std::string whyNotVectorizable(mlir::linalg::LinalgOp op);
inline bool isVectorizable(mlir::linalg::LinalgOp op) { return whyNotVectorizable(op).empty(); }
/// The multiply-add of a named contraction: `acc + a·b` in one rounding.
bool isFusedSum(mlir::Operation *op);

class BodyEmitter {
public:
  BodyEmitter(mlir::OpBuilder &builder, const Nest &nest, const TileShape &tile, bool fuseSums)
      : builder(builder), nest(nest), tile(tile), fuseSums(fuseSums), access(builder, nest.op.getLoc()) {}

  /// Fixes a block argument to a value for each row and column.
  void bind(mlir::BlockArgument argument, llvm::ArrayRef<mlir::Value> values);
  /// Bases of each access of the nest; loads happen where they are first needed.
  void setBases(llvm::ArrayRef<RowBases> bases) { this->bases = bases; }
  /// The counters of the nest's loops at the tile's start.
  void setCounters(llvm::ArrayRef<mlir::Value> values) { counters = values; }

  /// What the body yields for output `i`.
  mlir::Value yielded(unsigned i, int64_t row, int64_t column);
  /// Emits checks that nothing else asks for.
  void emitAsserts();

private:
  struct Spread {
    bool rows = false, lanes = false;
  };
  Spread spread(mlir::Value value);
  mlir::Value get(mlir::Value value, int64_t row, int64_t column);
  mlir::Value onLanes(mlir::Value value, int64_t row, int64_t column);
  mlir::Value argument(mlir::BlockArgument value, int64_t row, int64_t column);
  mlir::Value sumOfGroup(int64_t row, int64_t column);
  mlir::Value compute(mlir::Operation *op, int64_t row, int64_t column);
  mlir::Value counter(mlir::linalg::IndexOp op, int64_t row, int64_t column);
  mlir::Value gather(mlir::Operation *load, int64_t row, int64_t column);

  using Key = std::tuple<void *, int64_t, int64_t>;
  mlir::OpBuilder &builder;
  const Nest &nest;
  const TileShape &tile;
  bool fuseSums;
  TileAccess access;
  llvm::ArrayRef<RowBases> bases;
  llvm::ArrayRef<mlir::Value> counters;
  llvm::DenseMap<Key, mlir::Value> values, wide;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> bound;
  llvm::DenseMap<mlir::Value, Spread> spreads;
};

} // namespace clika
