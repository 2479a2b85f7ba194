#include "Pipelines/Transposition.h"

#include "Pipelines/Nest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace clika {
namespace {

bool isCopy(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
    return false;
  Block *body = op.getBlock();
  return llvm::hasSingleElement(*body) && body->getTerminator()->getOperand(0) == body->getArgument(0);
}

class Emitter {
public:
  Emitter(OpBuilder &builder, Nest &nest, WorkSplit &split)
      : b(builder), loc(nest.op.getLoc()), index(builder, loc), nest(nest), work(split) {}

  bool run() {
    if (from().scalar || !from().element.isIntOrFloat())
      return false;
    for (unsigned loop = 0; loop < nest.loops.size(); ++loop) {
      if (from().step(loop) == 1)
        read = loop;
      if (to().step(loop) == 1)
        written = loop;
    }
    if (read < 0 || written < 0 || read == written)
      return false;
    side = from().element.getIntOrFloatBitWidth() > 32 ? 8 : 16;
    b.setInsertionPoint(nest.op);
    chooseSplit();
    outerLoops(0, from().offset, to().offset);
    return true;
  }

private:
  const Access &from() const { return nest.accesses[0]; }
  const Access &to() const { return nest.accesses[1]; }

  void chooseSplit() {
    SmallVector<SplitCandidate> candidates;
    for (unsigned loop = 0; loop != nest.loops.size(); ++loop)
      if (static_cast<int>(loop) != read && static_cast<int>(loop) != written)
        candidates.push_back({loop, 1});
    candidates.push_back({static_cast<unsigned>(written), side});
    // Reading and writing an element.
    work.choose(b, nest, candidates, 2.0 * from().element.getIntOrFloatBitWidth());
  }

  /// Along a loop of the nest.
  void forLoop(unsigned which, OpFoldResult first, OpFoldResult last, int64_t step, function_ref<void(Value)> body) {
    Value from = index.value(first), to = index.value(last);
    if (work.splits(which))
      std::tie(from, to) = work.clamp(b, loc, from, to);
    auto loop = scf::ForOp::create(b, loc, from, to, index.value(index.constant(step)));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  OpFoldResult at(OpFoldResult base, const Access &access, unsigned loop, OpFoldResult counter) {
    return index.add(base, index.multiply(counter, access.steps[loop]));
  }

  void outerLoops(unsigned loop, OpFoldResult source, OpFoldResult target) {
    if (loop == nest.loops.size())
      return plane(source, target);
    if (static_cast<int>(loop) == read || static_cast<int>(loop) == written)
      return outerLoops(loop + 1, source, target);
    forLoop(loop, index.constant(0), nest.loops[loop].size, 1, [&](Value counter) {
      outerLoops(loop + 1, at(source, from(), loop, counter), at(target, to(), loop, counter));
    });
  }

  /// Places along a loop.
  struct Range {
    OpFoldResult first, last;
  };

  /// The part of the range that is whole blocks, and the rest.
  std::pair<Range, Range> split(Range range, int64_t side) {
    std::optional<int64_t> first = getConstantIntValue(range.first), last = getConstantIntValue(range.last);
    OpFoldResult middle;
    if (first && last) {
      middle = index.constant(*first + (*last - *first) / side * side);
    } else {
      // Only whole ranges have an unknown size.
      Value blocks = arith::DivUIOp::create(b, loc, index.value(range.last), index.value(index.constant(side)));
      middle = index.multiply(blocks, index.constant(side));
    }
    return {{range.first, middle}, {middle, range.last}};
  }

  static bool isEmpty(Range range) {
    std::optional<int64_t> first = getConstantIntValue(range.first), last = getConstantIntValue(range.last);
    return first && last && *first >= *last;
  }

  static bool isKnown(Range range) { return getConstantIntValue(range.first) && getConstantIntValue(range.last); }

  void plane(OpFoldResult source, OpFoldResult target) {
    OpFoldResult zero = index.constant(0);
    tiles(source, target, {zero, nest.loops[written].size}, {zero, nest.loops[read].size}, side);
  }

  /// Squares of so many elements a side, then smaller ones along the two edges that are left.
  void tiles(OpFoldResult source, OpFoldResult target, Range rows, Range columns, int64_t size) {
    if (isEmpty(rows) || isEmpty(columns))
      return;
    if (size < kSmallestSide)
      return singles(source, target, rows, columns);
    auto [wholeRows, lastRows] = split(rows, size);
    auto [wholeColumns, lastColumns] = split(columns, size);
    if (!isEmpty(wholeRows) && !isEmpty(wholeColumns))
      forLoop(written, wholeRows.first, wholeRows.last, size, [&](Value i) {
        forLoop(read, wholeColumns.first, wholeColumns.last, size,
                [&](Value j) { block(place(source, from(), i, j), place(target, to(), i, j), size); });
      });
    // Smaller squares are worth their code where the sizes tell how many there are.
    auto next = [&](Range range) { return isKnown(range) ? size / 2 : 1; };
    tiles(source, target, wholeRows, lastColumns, next(lastColumns));
    tiles(source, target, lastRows, columns, next(lastRows));
  }

  OpFoldResult place(OpFoldResult base, const Access &access, Value i, Value j) {
    return at(at(base, access, written, i), access, read, j);
  }

  void singles(OpFoldResult source, OpFoldResult target, Range rows, Range columns) {
    forLoop(written, rows.first, rows.last, 1, [&](Value i) {
      forLoop(read, columns.first, columns.last, 1, [&](Value j) {
        Value element = memref::LoadOp::create(b, loc, from().flat, index.value(place(source, from(), i, j)));
        memref::StoreOp::create(b, loc, element, to().flat, index.value(place(target, to(), i, j)));
      });
    });
  }

  // Exchanges the off-diagonal quarters of ever smaller squares.
  void block(OpFoldResult source, OpFoldResult target, int64_t side) {
    auto type = VectorType::get(side, from().element);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < side; ++i)
      rows.push_back(vector::LoadOp::create(b, loc, type, from().flat,
                                            index.value(at(source, from(), written, index.constant(i)))));
    for (int64_t half = side / 2; half > 0; half /= 2) {
      SmallVector<int64_t> upper, lower;
      for (int64_t lane = 0; lane < side; ++lane) {
        upper.push_back(lane & half ? side + lane - half : lane);
        lower.push_back(lane & half ? side + lane : lane + half);
      }
      for (int64_t i = 0; i < side; ++i) {
        if (i & half)
          continue;
        Value first = rows[i], second = rows[i + half];
        rows[i] = vector::ShuffleOp::create(b, loc, first, second, upper);
        rows[i + half] = vector::ShuffleOp::create(b, loc, first, second, lower);
      }
    }
    for (int64_t i = 0; i < side; ++i)
      vector::StoreOp::create(b, loc, rows[i], to().flat, index.value(at(target, to(), read, index.constant(i))));
  }

  OpBuilder &b;
  Location loc;
  IndexBuilder index;
  Nest &nest;
  WorkSplit &work;
  int read = -1, written = -1;
  int64_t side = 16;
  /// Of the smallest squares that vectors of their rows are made for.
  static constexpr int64_t kSmallestSide = 4;
};

} // namespace

bool emitTransposition(OpBuilder &builder, linalg::LinalgOp op, WorkSplit &split) {
  if (!isCopy(op))
    return false;
  FailureOr<Nest> nest = buildNest(builder, op);
  return succeeded(nest) && Emitter(builder, *nest, split).run();
}

} // namespace clika
