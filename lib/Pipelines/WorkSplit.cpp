#include "Pipelines/WorkSplit.h"
#include "Pipelines/TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace clika {
namespace {

/// Work, in picoseconds, below which a kernel is not worth splitting.
constexpr double kWorthSplitting = 8e6;

/// Blocks for each thread, with which one that is late can be helped.
constexpr int64_t kBlocksPerThread = 4;

/// The share of the threads' time that is used when they divide `blocks` among them; less where blocks are few.
double balance(int64_t blocks, int64_t threads) {
  double used = double(blocks) / double(threads * llvm::divideCeil(uint64_t(blocks), uint64_t(threads)));
  return blocks < threads * kBlocksPerThread ? used * 0.9 : used;
}

/// The number of blocks where it is known only at run time.
OpFoldResult blocksOf(OpBuilder &builder, Location loc, OpFoldResult size, int64_t block) {
  IndexBuilder index(builder, loc);
  Value padded = index.value(index.add(size, index.constant(block - 1)));
  return arith::DivUIOp::create(builder, loc, padded, index.value(index.constant(block))).getResult();
}

} // namespace

/// The outermost loop that keeps all threads busy; of loops of unknown sizes the innermost, since the outer ones are
/// batches, which are often of one.
int WorkSplit::select(const Nest &nest, ArrayRef<SplitCandidate> candidates) const {
  int best = -1, unknown = -1;
  double bestBalance = 0;
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    std::optional<int64_t> size = nest.loops[candidate.loop].staticSize();
    if (!size) {
      unknown = i;
      continue;
    }
    int64_t blocks = llvm::divideCeil(uint64_t(*size), uint64_t(candidate.block));
    double here = blocks > 1 ? balance(blocks, threads) : 0;
    if (here > bestBalance + 0.05) {
      best = i;
      bestBalance = here;
    }
  }
  return unknown >= 0 && bestBalance < 0.8 ? unknown : best;
}

void WorkSplit::choose(OpBuilder &builder, const Nest &nest, ArrayRef<SplitCandidate> candidates, double cost) {
  if (!kernel || threads <= 1)
    return;
  int chosen = select(nest, candidates);
  if (chosen < 0)
    return;
  auto [splitLoop, block] = candidates[chosen];
  Location loc = nest.op.getLoc();
  IndexBuilder index(builder, loc);
  double known = cost * double(block);
  OpFoldResult unknown = index.constant(1);
  for (auto [i, each] : llvm::enumerate(nest.loops)) {
    if (i == splitLoop)
      continue;
    if (std::optional<int64_t> size = each.staticSize())
      known *= double(*size);
    else
      unknown = index.multiply(unknown, each.size);
  }
  OpFoldResult size = nest.loops[splitLoop].size;
  std::optional<int64_t> fixed = getConstantIntValue(size);
  if (fixed && getConstantIntValue(unknown) && known * double(*fixed) / double(block) < kWorthSplitting)
    return;

  loop = splitLoop;
  count =
      fixed ? index.constant(llvm::divideCeil(uint64_t(*fixed), uint64_t(block))) : blocksOf(builder, loc, size, block);
  costOfBlock = index.multiply(unknown, index.constant(static_cast<int64_t>(std::clamp(known, 1.0, 1e15))));
  Block &entry = kernel.getBody().front();
  Type type = builder.getIndexType();
  Value firstBlock = entry.addArgument(type, loc), lastBlock = entry.addArgument(type, loc);
  (void)entry.addArgument(type, loc);
  first = index.value(index.multiply(firstBlock, index.constant(block)));
  last = index.value(index.multiply(lastBlock, index.constant(block)));
}

std::pair<Value, Value> WorkSplit::clamp(OpBuilder &builder, Location loc, Value from, Value to) const {
  return {arith::MaxSIOp::create(builder, loc, from, first), arith::MinSIOp::create(builder, loc, to, last)};
}

SmallVector<SplitCandidate> splitCandidates(const Nest &nest, const TilePlan &plan) {
  SmallVector<SplitCandidate> candidates;
  for (unsigned loop : plan.outside)
    candidates.push_back({loop, 1});
  bool lanes = plan.laneLoop >= 0 && !plan.acrossReduction;
  SplitCandidate laneLoop{static_cast<unsigned>(plan.laneLoop), plan.columns * plan.lanes};
  if (lanes && nest.hasReduction() && !plan.lanesNear)
    candidates.push_back(laneLoop);
  if (!plan.packed.empty())
    return candidates;
  for (unsigned loop = 0; loop != nest.loops.size(); ++loop)
    if (!nest.loops[loop].reduction && static_cast<int>(loop) != plan.laneLoop &&
        static_cast<int>(loop) != plan.rowLoop && !llvm::is_contained(plan.outside, loop))
      candidates.push_back({loop, 1});
  if (lanes && nest.hasReduction() && plan.lanesNear)
    candidates.push_back(laneLoop);
  if (plan.rowLoop >= 0)
    candidates.push_back({static_cast<unsigned>(plan.rowLoop), plan.rows});
  if (lanes && !nest.hasReduction())
    candidates.push_back(laneLoop);
  return candidates;
}

double bodyCost(const Nest &nest, const TilePlan &plan) {
  double lanes = double(std::max<int64_t>(1, plan.lanes));
  if (plan.fuseSums)
    return 128 / lanes;
  double cost = 0;
  for (Operation &op : nest.op.getBlock()->without_terminator()) {
    bool slow = isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(op) ||
                (op.getDialect() && op.getDialect()->getNamespace() == math::MathDialect::getDialectNamespace());
    cost += (slow ? 2000 : 250) / lanes;
  }
  for (const Access &access : nest.accesses)
    if (!access.scalar && access.used)
      cost += 8 * std::max(1u, access.element.isIndex() ? 64 : access.element.getIntOrFloatBitWidth()) / 8;
  return cost;
}

} // namespace clika
