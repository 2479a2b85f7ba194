// The choice of loops and sizes for the register tile of a nest.
#include "Pipelines/TileEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace clika {
namespace {

unsigned bytesOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 8 : std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

/// The most rows, at most `most` and more than half of it, that divide `size`; 0 where none do.
int64_t evenRows(int64_t size, int64_t most) {
  for (int64_t rows = most; rows * 2 > most; --rows)
    if (size % rows == 0)
      return rows;
  return 0;
}

class Planner {
public:
  Planner(const Nest &nest, bool fuseSums, int64_t vectorBytes) : nest(nest), vectorBytes(vectorBytes) {
    plan.fuseSums = fuseSums;
    // AVX-512 has 32 vector registers, the sets before it 16.
    registers = vectorBytes >= 64 ? 32 : 16;
  }

  std::optional<TilePlan> run() {
    if (lastLoop(true) >= 0 && nest.innermostReduced && !plan.fuseSums && hasRowCombiners()) {
      if (!keepsRowOrder())
        return std::nullopt;
      planRows();
    } else {
      planLanes();
    }
    return plan;
  }

private:
  bool hasRowCombiners() const {
    for (unsigned i = 0; i != nest.outputs(); ++i)
      if (!rowCombiner(nest.op, i))
        return false;
    return true;
  }

  /// Lanes are numbered by the innermost loop alone: outer reductions must be whole rounds of them, or order not
  /// matter.
  bool keepsRowOrder() const {
    int last = lastLoop(true);
    bool single = llvm::count_if(nest.loops, [](const Loop &loop) { return loop.reduction; }) <= 1;
    std::optional<int64_t> size = last < 0 ? 1 : nest.loops[last].staticSize();
    if (single || (size && *size % kRowPartials == 0))
      return true;
    for (unsigned i = 0; i != nest.outputs(); ++i)
      if (rowCombiner(nest.op, i)->getName().getStringRef() == "arith.addf" ||
          rowCombiner(nest.op, i)->getName().getStringRef() == "arith.mulf")
        return false;
    return true;
  }

  int lastLoop(bool reduction, int except = -1) const {
    for (int loop = nest.loops.size() - 1; loop >= 0; --loop)
      if (nest.loops[loop].reduction == reduction && loop != except)
        return loop;
    return -1;
  }

  /// Lanes for the widest element that is loaded, stored or computed.
  int64_t lanesByWidth() const {
    unsigned widest = 1;
    for (const Access &access : nest.accesses)
      if (access.used)
        widest = std::max(widest, bytesOf(access.element));
    for (Operation &op : nest.op.getBlock()->without_terminator())
      for (Type type : op.getResultTypes())
        if (!isa<linalg::IndexOp>(op))
          widest = std::max(widest, bytesOf(type));
    return std::max<int64_t>(1, vectorBytes / widest);
  }

  bool isGathered() const {
    return llvm::any_of(nest.accesses, [&](const Access &access) {
      return access.used && access.dependsOn(plan.laneLoop) && access.step(plan.laneLoop) != 1;
    });
  }

  void planRows() {
    plan.acrossReduction = true;
    plan.laneLoop = lastLoop(true);
    plan.lanes = std::min(lanesByWidth(), kRowPartials);
    plan.rowLoop = lastLoop(false);
    if (plan.rowLoop < 0)
      return;
    std::optional<int64_t> rows = nest.loops[plan.rowLoop].staticSize();
    int64_t most = std::max<int64_t>(1, registers / 2 / (kRowPartials / plan.lanes) / nest.outputs());
    plan.rows = std::min<int64_t>(rows ? std::max<int64_t>(1, *rows) : 4, std::min<int64_t>(4, most));
  }

  bool isContiguousAlong(int loop) const {
    for (unsigned i = 0; i != nest.outputs(); ++i)
      if (nest.output(i).step(loop) != 1)
        return false;
    return true;
  }

  void planLanes() {
    for (int loop = nest.loops.size() - 1; loop >= 0 && plan.laneLoop < 0; --loop)
      if (!nest.loops[loop].reduction && isContiguousAlong(loop))
        plan.laneLoop = loop;
    if (plan.laneLoop >= 0) {
      plan.lanes = lanesByWidth();
      if (isGathered())
        plan.lanes = std::min<int64_t>(plan.lanes, 16);
      if (std::optional<int64_t> size = nest.loops[plan.laneLoop].staticSize())
        plan.lanes = std::min<int64_t>(plan.lanes, llvm::PowerOf2Ceil(std::max<int64_t>(1, *size)));
    }
    if (plan.lanes == 1)
      plan.laneLoop = -1;
    int64_t vectors = vectorsOfLanes();
    if (!nest.hasReduction()) {
      int64_t work = std::distance(nest.op.getBlock()->begin(), nest.op.getBlock()->end());
      plan.columns = std::min<int64_t>(vectors, work > 24 ? 1 : 2);
      return;
    }
    plan.rowLoop = chooseRowLoop();
    plan.columns = std::min<int64_t>(vectors, chooseColumns());
    if (plan.rowLoop >= 0)
      plan.rows = chooseRows();
    if (plan.laneLoop >= 0)
      planPanels();
    if (plan.fuseSums && gathersInputs())
      planScalars();
  }

  /// Whether each step of the sums gathers a vector from places apart: single elements are loaded faster.
  bool gathersInputs() const {
    for (unsigned i = 0; i != nest.accesses.size() - nest.outputs(); ++i) {
      const Access &access = nest.accesses[i];
      if (plan.laneLoop >= 0 && access.used && access.dependsOn(plan.laneLoop) && access.step(plan.laneLoop) != 1 &&
          !llvm::is_contained(plan.packed, i))
        return true;
    }
    return false;
  }

  void planScalars() {
    TilePlan scalars;
    scalars.fuseSums = true;
    plan = scalars;
    plan.rowLoop = lastLoop(false);
    if (plan.rowLoop >= 0)
      plan.rows = chooseRows();
  }

  /// Rows that each read vectors of their own gain by being many, others by being wide.
  int64_t chooseColumns() const {
    if (plan.rowLoop < 0)
      return 4;
    if (!plan.fuseSums || plan.laneLoop < 0 || nest.outputs() > 1)
      return 2;
    bool repeats = llvm::any_of(ArrayRef(nest.accesses).drop_back(nest.outputs()),
                                [&](const Access &access) { return access.used && !access.dependsOn(plan.laneLoop); });
    if (!repeats)
      return 2;
    return tileColumns(nest.loops[plan.rowLoop].staticSize(), vectorBytes);
  }

  bool readsLanes(const Access &access) const { return access.used && access.dependsOn(plan.laneLoop); }

  /// The innermost loop whose rows read vectors in common, so that each vector loaded serves all rows of a tile; where
  /// there is none, the innermost.
  int chooseRowLoop() const {
    for (int loop = nest.loops.size() - 1; loop >= 0 && plan.laneLoop >= 0; --loop)
      if (!nest.loops[loop].reduction && loop != plan.laneLoop && sharesLanes(loop))
        return loop;
    return lastLoop(false, plan.laneLoop);
  }

  bool sharesLanes(int loop) const {
    return llvm::any_of(ArrayRef(nest.accesses).drop_back(nest.outputs()),
                        [&](const Access &access) { return readsLanes(access) && !access.dependsOn(loop); });
  }

  /// Whether each row reads vectors of its own from memory, as a vector times a matrix in panels does.
  bool hasStreams() const {
    return plan.fuseSums && plan.laneLoop >= 0 && !sharesLanes(plan.rowLoop) &&
           llvm::any_of(ArrayRef(nest.accesses).drop_back(nest.outputs()),
                        [&](const Access &access) { return readsLanes(access); });
  }

  /// How often each element of an input is read by different results; none: known only at run time.
  std::optional<int64_t> reuse(const Access &access) const {
    int64_t times = 1;
    for (unsigned loop = 0; loop != nest.loops.size(); ++loop) {
      if (nest.loops[loop].reduction || access.dependsOn(loop))
        continue;
      std::optional<int64_t> size = nest.loops[loop].staticSize();
      if (!size)
        return std::nullopt;
      times *= *size;
    }
    return times;
  }

  void planPanels() {
    for (unsigned i = 0; i != nest.accesses.size() - nest.outputs(); ++i) {
      const Access &access = nest.accesses[i];
      if (!access.used || !access.dependsOn(plan.laneLoop) || plan.rowLoop < 0 || access.dependsOn(plan.rowLoop))
        continue;
      for (unsigned loop = 0; loop != nest.loops.size(); ++loop)
        if (!nest.loops[loop].reduction && static_cast<int>(loop) != plan.laneLoop && access.dependsOn(loop) &&
            !llvm::is_contained(plan.outside, loop))
          plan.outside.push_back(loop);
      if (shouldPack(access))
        plan.packed.push_back(i);
    }
    llvm::sort(plan.outside);
    plan.lanesNear = plan.rowLoop >= 0 && plan.packed.empty() && panelBytes() <= kSmallPanel;
  }

  /// How much of the inputs that all rows share is read for one step of the lanes' loop.
  int64_t panelBytes() const {
    int64_t total = 0;
    for (const Access &access : ArrayRef(nest.accesses).drop_back(nest.outputs())) {
      if (!access.used || !access.dependsOn(plan.laneLoop) || access.dependsOn(plan.rowLoop))
        continue;
      int64_t bytes = plan.lanes * plan.columns * bytesOf(access.element);
      for (auto [loop, each] : llvm::enumerate(nest.loops))
        if (each.reduction && access.dependsOn(loop))
          bytes *= each.staticSize().value_or(kSmallPanel);
      total += bytes;
    }
    return total;
  }

  bool shouldPack(const Access &access) const {
    std::optional<int64_t> times = reuse(access);
    if (access.step(plan.laneLoop) != 1)
      return !times || *times >= 4;
    if (panelBytes() <= kSmallPanel)
      return false;
    // With a power of two between one vector and the next they all fight for the same few cache sets: of the nearest
    // cache, and, the larger it is, of the second, which loses what does not fit into them.
    int last = lastLoop(true);
    int64_t step = last < 0 ? 0 : access.step(last).value_or(0) * static_cast<int64_t>(bytesOf(access.element));
    if (!times || step < 1024 || !(llvm::isPowerOf2_64(step) || step % 4096 == 0))
      return false;
    bool leavesSecond = step % 16384 == 0 && panelBytes() >= kLargePanel;
    return *times >= (leavesSecond ? 16 : 96);
  }

  int64_t vectorsOfLanes() const {
    if (plan.laneLoop < 0)
      return 1;
    std::optional<int64_t> size = nest.loops[plan.laneLoop].staticSize();
    return size ? std::max<int64_t>(1, llvm::bit_floor(uint64_t(std::max<int64_t>(1, *size / plan.lanes)))) : 4;
  }

  /// As many rows as the accumulators leave registers for, dividing the loop evenly if some number does.
  int64_t chooseRows() const {
    int64_t wide = std::max<int64_t>(1, plan.lanes * bytesOf(nest.output(0).element) / vectorBytes);
    int64_t most = (registers - 3 - plan.columns) / (plan.columns * wide * nest.outputs());
    most = std::clamp<int64_t>(most, 1, hasStreams() ? kStreams : 14);
    std::optional<int64_t> size = nest.loops[plan.rowLoop].staticSize();
    if (!size)
      return llvm::bit_floor(uint64_t(most));
    if (*size <= most)
      return std::max<int64_t>(1, *size);
    int64_t even = evenRows(*size, most);
    return even ? even : std::min<int64_t>(most, 12);
  }

  /// How many places of memory are read at once: one alone leaves a core waiting for it, more fight for its buffers
  /// (measured: 17, 22, 25 and 23 GB/s with 1, 2, 4 and 8).
  static constexpr int64_t kStreams = 4;
  /// Stays in the nearest cache beside what the rows read.
  static constexpr int64_t kSmallPanel = 8192;
  /// Takes a large part of the second cache, even where it lies densely.
  static constexpr int64_t kLargePanel = 256 << 10;

  const Nest &nest;
  int64_t vectorBytes, registers;
  TilePlan plan;
};

} // namespace

/// Wider tiles read less of memory; those of AVX-512 have six rows, or thirteen where they are two vectors wide.
int64_t tileColumns(std::optional<int64_t> rows, int64_t vectorBytes) {
  bool narrowIsEven = rows && *rows > 6 && !evenRows(*rows, 6) && evenRows(*rows, 13);
  return vectorBytes >= 64 && !narrowIsEven ? 4 : 2;
}

std::optional<TilePlan> planTile(const Nest &nest, bool fuseSums, int64_t vectorBytes) {
  return Planner(nest, fuseSums, vectorBytes).run();
}

} // namespace clika
