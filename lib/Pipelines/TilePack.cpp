// Panels: the part of an operand that one column of tiles reads over and over, copied so that it lies densely.
#include "Pipelines/TileEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace clika {

void TileEmitter::allocatePanels() {
  for (unsigned i : plan.packed) {
    const Access &source = nest.accesses[i];
    OpFoldResult size = index.constant(plan.columns * plan.lanes);
    for (unsigned loop = 0; loop != nest.loops.size(); ++loop)
      if (nest.loops[loop].reduction && source.dependsOn(loop))
        size = index.multiply(size, nest.loops[loop].size);
    std::optional<int64_t> known = getConstantIntValue(size);
    auto type = MemRefType::get({known.value_or(ShapedType::kDynamic)}, source.element);
    Value buffer = memref::AllocOp::create(builder, loc, type, known ? ValueRange() : ValueRange{index.value(size)});
    auto flat = MemRefType::get({ShapedType::kDynamic}, source.element);
    if (known)
      buffer = memref::CastOp::create(builder, loc, flat, buffer);
    panels[i] = buffer;
  }
}

/// The panel's addressing: reduction loops in order, then the lanes of one column of tiles.
Access TileEmitter::panelAccess(unsigned i, const TileShape &tile) {
  const Access &source = nest.accesses[i];
  Access panel = source;
  panel.flat = panels[i];
  panel.offset = index.constant(0);
  panel.steps.assign(nest.loops.size(), index.constant(0));
  panel.steps[plan.laneLoop] = index.constant(1);
  OpFoldResult step = index.constant(tile.columns * tile.lanes);
  for (unsigned loop = nest.loops.size(); loop-- > 0;)
    if (nest.loops[loop].reduction && source.dependsOn(loop)) {
      panel.steps[loop] = step;
      step = index.multiply(step, nest.loops[loop].size);
    }
  return panel;
}

void TileEmitter::copyPanel(const Access &from, const Access &to, unsigned loop, OpFoldResult source,
                            OpFoldResult target, const TileShape &tile) {
  while (loop != nest.loops.size() && !(nest.loops[loop].reduction && from.dependsOn(loop)))
    ++loop;
  if (loop == nest.loops.size()) {
    TileShape whole = tile;
    whole.mask = {};
    for (int64_t column = 0; column != tile.columns; ++column) {
      Value value = access.load(from, tile, {index.value(source)}, 0, column);
      access.store(value, to, whole, {index.value(target)}, 0, column);
    }
    return;
  }
  auto op = scf::ForOp::create(builder, loc, index.value(index.constant(0)), index.value(nest.loops[loop].size),
                               index.value(index.constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  OpFoldResult counter = op.getInductionVar();
  copyPanel(from, to, loop + 1, index.add(source, index.multiply(counter, from.steps[loop])),
            index.add(target, index.multiply(counter, to.steps[loop])), tile);
}

void TileEmitter::withPanels(Starts starts, const TileShape &tile, llvm::function_ref<void(const Starts &)> body) {
  SmallVector<Access> sources;
  TileShape one = tile;
  one.rows = 1;
  one.rowLoop = -1;
  for (unsigned i : plan.packed) {
    Access panel = panelAccess(i, tile);
    copyPanel(nest.accesses[i], panel, 0, starts[i], index.constant(0), one);
    sources.push_back(std::exchange(nest.accesses[i], std::move(panel)));
    starts[i] = index.value(index.constant(0));
  }
  body(starts);
  for (auto [i, source] : llvm::zip(plan.packed, sources))
    nest.accesses[i] = std::move(source);
}

} // namespace clika
