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
      : b(builder), loc(nest.op.getLoc()), index(builder, loc), nest(nest), split(split) {}

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
    split.choose(b, nest, candidates, 2.0 * from().element.getIntOrFloatBitWidth());
  }

  /// `which`: the loop of the nest that it walks along, -1 inside one element of that.
  void forLoop(int which, OpFoldResult first, OpFoldResult last, int64_t step, function_ref<void(Value)> body) {
    Value from = index.value(first), to = index.value(last);
    if (which >= 0 && split.splits(which))
      std::tie(from, to) = split.clamp(b, loc, from, to);
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

  OpFoldResult wholeBlocks(OpFoldResult size) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return index.constant(*known / side * side);
    Value blocks = arith::DivUIOp::create(b, loc, index.value(size), index.value(index.constant(side)));
    return index.multiply(blocks, index.constant(side));
  }

  void plane(OpFoldResult source, OpFoldResult target) {
    OpFoldResult readSize = nest.loops[read].size, writtenSize = nest.loops[written].size;
    OpFoldResult readBlocks = wholeBlocks(readSize), writtenBlocks = wholeBlocks(writtenSize);
    auto start = [&](Value i, Value j) {
      return std::pair(at(at(source, from(), written, i), from(), read, j),
                       at(at(target, to(), written, i), to(), read, j));
    };
    forLoop(written, index.constant(0), writtenBlocks, side, [&](Value i) {
      forLoop(read, index.constant(0), readBlocks, side, [&](Value j) {
        auto [blockSource, blockTarget] = start(i, j);
        block(blockSource, blockTarget);
      });
      forLoop(read, readBlocks, readSize, 1, [&](Value j) {
        auto [columnSource, columnTarget] = start(i, j);
        single(columnSource, columnTarget, index.constant(side));
      });
    });
    forLoop(written, writtenBlocks, writtenSize, 1, [&](Value i) {
      forLoop(read, index.constant(0), readSize, 1, [&](Value j) {
        auto [one, other] = start(i, j);
        single(one, other, index.constant(1));
      });
    });
  }

  // `count` elements along the written dimension.
  void single(OpFoldResult source, OpFoldResult target, OpFoldResult count) {
    forLoop(-1, index.constant(0), count, 1, [&](Value i) {
      Value element = memref::LoadOp::create(b, loc, from().flat, index.value(at(source, from(), written, i)));
      memref::StoreOp::create(b, loc, element, to().flat, index.value(at(target, to(), written, i)));
    });
  }

  // Exchanges the off-diagonal quarters of ever smaller squares.
  void block(OpFoldResult source, OpFoldResult target) {
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
  WorkSplit &split;
  int read = -1, written = -1;
  int64_t side = 16;
};

} // namespace

bool emitTransposition(OpBuilder &builder, linalg::LinalgOp op, WorkSplit &split) {
  if (!isCopy(op))
    return false;
  FailureOr<Nest> nest = buildNest(builder, op);
  return succeeded(nest) && Emitter(builder, *nest, split).run();
}

} // namespace clika
