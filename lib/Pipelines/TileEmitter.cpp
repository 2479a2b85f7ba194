#include "Pipelines/TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <numeric>

using namespace mlir;

namespace clika {

OpFoldResult TileEmitter::stepOf(unsigned i, unsigned loop) const {
  const Access &at = accessAt(i);
  return at.scalar ? OpFoldResult(builder.getIndexAttr(0)) : at.steps[loop];
}

TileEmitter::Starts TileEmitter::advance(const Starts &starts, unsigned loop, Value by) {
  Starts moved = starts;
  for (unsigned i = 0; i != moved.size(); ++i)
    if (moved[i])
      moved[i] = index.value(index.add(moved[i], index.multiply(getAsOpFoldResult(by), stepOf(i, loop))));
  return moved;
}

SmallVector<RowBases> TileEmitter::advance(const SmallVector<RowBases> &bases, unsigned loop, Value by) {
  SmallVector<RowBases> moved = bases;
  for (unsigned i = 0; i != nest.accesses.size(); ++i)
    for (Value &base : moved[i])
      if (base)
        base = index.value(index.add(base, index.multiply(getAsOpFoldResult(by), stepOf(i, loop))));
  return moved;
}

void TileEmitter::emit() {
  Starts starts;
  for (unsigned i = 0; i != accessCount(); ++i) {
    const Access &at = accessAt(i);
    starts.push_back(at.scalar || !at.used ? Value() : index.value(at.offset));
  }
  counters.assign(nest.loops.size(), Value());

  allocatePanels();
  SmallVector<unsigned> order = plan.outside;
  bool lanesOutside = nest.hasReduction() && !plan.acrossReduction && plan.laneLoop >= 0;
  if (lanesOutside && !plan.lanesNear)
    order.push_back(plan.laneLoop);
  for (unsigned loop = 0; loop != nest.loops.size(); ++loop)
    if (!nest.loops[loop].reduction && static_cast<int>(loop) != plan.laneLoop &&
        static_cast<int>(loop) != plan.rowLoop && !llvm::is_contained(plan.outside, loop))
      order.push_back(loop);
  if (lanesOutside && plan.lanesNear)
    order.push_back(plan.laneLoop);
  if (plan.rowLoop >= 0)
    order.push_back(plan.rowLoop);
  if (!lanesOutside && !plan.acrossReduction && plan.laneLoop >= 0)
    order.push_back(plan.laneLoop);

  TileShape tile;
  tile.lanes = plan.lanes;
  tile.laneLoop = plan.laneLoop;
  tile.rowLoop = plan.rowLoop;
  tile.columns = plan.acrossReduction ? std::max<int64_t>(1, kRowPartials / plan.lanes) : 1;
  emitLoops(order, starts, tile);
}

void TileEmitter::forLoop(unsigned loop, OpFoldResult from, OpFoldResult to, int64_t step, const Starts &starts,
                          llvm::function_ref<void(const Starts &)> body) {
  std::optional<int64_t> a = getConstantIntValue(from), b = getConstantIntValue(to);
  if (a && b && *b <= *a)
    return;
  bool single = a && b && *b - *a <= step, clamped = split && split->splits(loop);
  if (single && !clamped) {
    counters[loop] = index.value(from);
    return body(advance(starts, loop, counters[loop]));
  }
  Value first = index.value(from), last = index.value(to);
  if (clamped)
    std::tie(first, last) = split->clamp(builder, loc, first, last);
  OpBuilder::InsertionGuard guard(builder);
  if (single) {
    Value mine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, first, last);
    builder.setInsertionPointToStart(scf::IfOp::create(builder, loc, mine, /*withElseRegion=*/false).thenBlock());
    counters[loop] = index.value(from);
    return body(advance(starts, loop, counters[loop]));
  }
  auto op = scf::ForOp::create(builder, loc, first, last, index.value(index.constant(step)));
  builder.setInsertionPointToStart(op.getBody());
  counters[loop] = op.getInductionVar();
  body(advance(starts, loop, counters[loop]));
}

void TileEmitter::emitLoops(ArrayRef<unsigned> order, const Starts &starts, TileShape tile) {
  if (order.empty())
    return emitTile(starts, tile);
  int loop = order.front();
  ArrayRef<unsigned> rest = order.drop_front();
  if (loop == plan.rowLoop)
    return emitRows(rest, starts, tile);
  if (loop == plan.laneLoop)
    return emitLanes(rest, starts, tile);
  forLoop(loop, index.constant(0), nest.loops[loop].size, 1, starts,
          [&](const Starts &moved) { emitLoops(rest, moved, tile); });
}

static OpFoldResult roundDown(IndexBuilder &index, OpBuilder &builder, Location loc, OpFoldResult size, int64_t step) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return index.constant(*known / step * step);
  if (step == 1)
    return size;
  Value value = index.value(size);
  Value count = arith::DivUIOp::create(builder, loc, value, index.value(index.constant(step)));
  return index.multiply(count, index.constant(step));
}

void TileEmitter::emitRows(ArrayRef<unsigned> rest, const Starts &starts, TileShape tile) {
  OpFoldResult size = nest.loops[plan.rowLoop].size, from = index.constant(0);
  std::optional<int64_t> known = getConstantIntValue(size);
  // A known remainder is one smaller tile; an unknown one is taken in ever smaller tiles.
  SmallVector<int64_t> heights = {plan.rows};
  if (known && *known % plan.rows)
    heights.push_back(*known % plan.rows);
  for (int64_t height = plan.rows / 2; !known && height >= 1; height = height > 4 ? 4 : height == 1 ? 0 : 1)
    heights.push_back(height);
  for (int64_t height : heights) {
    OpFoldResult to = roundDown(index, builder, loc, size, height);
    if (known)
      to = index.constant(height == plan.rows ? *known / height * height : *known);
    tile.rows = height;
    forLoop(plan.rowLoop, from, to, height, starts, [&](const Starts &moved) { emitLoops(rest, moved, tile); });
    from = to;
  }
}

Value TileEmitter::maskOf(Value size, Value from, VectorType type) {
  std::optional<int64_t> a = getConstantIntValue(from), b = getConstantIntValue(size);
  if (a && b) {
    SmallVector<bool> lanes;
    for (int64_t lane = 0; lane != type.getNumElements(); ++lane)
      lanes.push_back(*a + lane < *b);
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<bool>(lanes)));
  }
  Value left = arith::SubIOp::create(builder, loc, size, from);
  // Fewer than 2^31 are left wherever a mask is needed.
  Value count = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), left);
  auto words = VectorType::get(type.getShape(), builder.getI32Type());
  SmallVector<int32_t> numbers(type.getNumElements());
  std::iota(numbers.begin(), numbers.end(), 0);
  Value lanes = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(words, ArrayRef<int32_t>(numbers)));
  Value limit = vector::BroadcastOp::create(builder, loc, words, count);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lanes, limit);
}

void TileEmitter::emitLanes(ArrayRef<unsigned> rest, const Starts &starts, TileShape tile) {
  OpFoldResult size = nest.loops[plan.laneLoop].size, from = index.constant(0);
  std::optional<int64_t> known = getConstantIntValue(size);
  for (int64_t columns = plan.columns; columns >= 1; columns /= 2) {
    int64_t step = columns * plan.lanes;
    OpFoldResult to = roundDown(index, builder, loc, size, step);
    tile.columns = columns;
    forLoop(plan.laneLoop, from, to, step, starts, [&](const Starts &moved) {
      withPanels(moved, tile, [&](const Starts &packed) { emitLoops(rest, packed, tile); });
    });
    from = to;
    // Where the size is unknown the last vectors go through the masked tile, full or not: less code.
    if (!known)
      break;
  }
  if (plan.lanes == 1)
    return;
  tile.columns = 1;
  if (known && *getConstantIntValue(from) == *known)
    return;
  auto maskType = VectorType::get({plan.lanes}, builder.getI1Type());
  forLoop(plan.laneLoop, from, size, plan.lanes, starts, [&](const Starts &moved) {
    tile.mask = maskOf(index.value(size), counters[plan.laneLoop], maskType);
    withPanels(moved, tile, [&](const Starts &packed) { emitLoops(rest, packed, tile); });
  });
}

SmallVector<RowBases> TileEmitter::rowBases(const Starts &starts, const TileShape &tile) {
  SmallVector<RowBases> bases;
  for (unsigned i = 0; i != starts.size(); ++i)
    bases.push_back(starts[i] ? access.rowBases(accessAt(i), tile, starts[i]) : RowBases{Value()});
  return bases;
}

void TileEmitter::emitTile(const Starts &starts, const TileShape &tile) {
  if (nest.hasReduction())
    return emitReductionTile(starts, tile);
  emitParallelTile(starts, tile);
}

void TileEmitter::emitParallelTile(const Starts &starts, const TileShape &tile) {
  SmallVector<RowBases> bases = rowBases(starts, tile);
  BodyEmitter body(builder, nest, tile, plan.fuseSums);
  body.setBases(bases);
  body.setCounters(counters);
  Values filled;
  for (unsigned i = 0; i != nest.outputs(); ++i)
    if (Value value = initial.lookup(i)) {
      filled.assign(tile.rows * tile.columns, access.broadcast(value, tile));
      body.bind(nest.op.getRegionOutputArgs()[i], filled);
    }
  body.emitAsserts();
  for (unsigned i = 0; i != nest.outputs(); ++i)
    for (int64_t row = 0; row != tile.rows; ++row)
      for (int64_t column = 0; column != tile.columns; ++column)
        access.store(body.yielded(i, row, column), nest.output(i), tile, bases[nest.op.getNumDpsInputs() + i], row,
                     column);
}

TileEmitter::Values TileEmitter::startValues(const SmallVector<RowBases> &bases, const TileShape &tile) {
  Values values;
  for (unsigned i = 0; i != nest.outputs(); ++i)
    for (int64_t row = 0; row != tile.rows; ++row)
      for (int64_t column = 0; column != tile.columns; ++column) {
        Value value = initial.lookup(i);
        if (plan.acrossReduction)
          value = neutral(i, nest.output(i).element);
        else if (!value)
          value = access.load(nest.output(i), tile, bases[nest.op.getNumDpsInputs() + i], row, column);
        values.push_back(access.broadcast(value, tile));
      }
  return values;
}

TileEmitter::Values TileEmitter::evaluate(const SmallVector<RowBases> &bases, const TileShape &tile,
                                          const Values &accumulators) {
  BodyEmitter body(builder, nest, tile, plan.fuseSums);
  body.setBases(bases);
  body.setCounters(counters);
  int64_t size = tile.rows * tile.columns;
  for (unsigned i = 0; i != nest.outputs(); ++i)
    body.bind(nest.op.getRegionOutputArgs()[i], ArrayRef<Value>(accumulators).slice(i * size, size));
  body.emitAsserts();
  Values results;
  for (unsigned i = 0; i != nest.outputs(); ++i)
    for (int64_t row = 0; row != tile.rows; ++row)
      for (int64_t column = 0; column != tile.columns; ++column) {
        Value value = access.broadcast(body.yielded(i, row, column), tile);
        // Lanes past the row's end keep what they have.
        if (Value mask = plan.acrossReduction ? tile.maskOf(column) : Value())
          value = arith::SelectOp::create(builder, loc, mask, value, accumulators[results.size()]);
        results.push_back(value);
      }
  return results;
}

TileEmitter::Values TileEmitter::reduceLoop(unsigned loop, OpFoldResult from, OpFoldResult to, int64_t step,
                                            ArrayRef<unsigned> rest, const SmallVector<RowBases> &bases,
                                            const TileShape &tile, const Values &accumulators) {
  std::optional<int64_t> a = getConstantIntValue(from), b = getConstantIntValue(to);
  if (a && b && *b <= *a)
    return accumulators;
  if (a && b && *b - *a <= step) {
    counters[loop] = index.value(from);
    return reduce(rest, advance(bases, loop, counters[loop]), tile, accumulators);
  }
  auto op = scf::ForOp::create(builder, loc, index.value(from), index.value(to), index.value(index.constant(step)),
                               accumulators);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  counters[loop] = op.getInductionVar();
  Values carried(op.getRegionIterArgs());
  Values next = reduce(rest, advance(bases, loop, counters[loop]), tile, carried);
  scf::YieldOp::create(builder, loc, next);
  return Values(op.getResults());
}

TileEmitter::Values TileEmitter::reduce(ArrayRef<unsigned> order, const SmallVector<RowBases> &bases,
                                        const TileShape &tile, const Values &accumulators) {
  if (order.empty())
    return evaluate(bases, tile, accumulators);
  if (plan.acrossReduction && order.size() == 1)
    return reduceAcross(order, bases, tile, accumulators);
  unsigned loop = order.front();
  return reduceLoop(loop, index.constant(0), nest.loops[loop].size, 1, order.drop_front(), bases, tile, accumulators);
}

TileEmitter::Values TileEmitter::reduceAcross(ArrayRef<unsigned> order, const SmallVector<RowBases> &bases,
                                              const TileShape &tile, const Values &accumulators) {
  unsigned loop = order.front();
  OpFoldResult size = nest.loops[loop].size;
  OpFoldResult full = roundDown(index, builder, loc, size, kRowPartials);
  Values values = reduceLoop(loop, index.constant(0), full, kRowPartials, {}, bases, tile, accumulators);
  std::optional<int64_t> known = getConstantIntValue(size);
  int64_t columns = tile.columns;
  // The tail goes vector by vector, each with a mask of its own; a known size needs no more of them than it has.
  for (int64_t column = 0; column != columns; ++column) {
    OpFoldResult from = index.add(full, index.constant(column * tile.lanes));
    if (known && *getConstantIntValue(from) >= *known)
      break;
    TileShape part = tile;
    part.columns = 1;
    part.mask = maskOf(index.value(size), index.value(from), VectorType::get({tile.lanes}, builder.getI1Type()));
    Values mine;
    for (unsigned i = 0; i != nest.outputs() * tile.rows; ++i)
      mine.push_back(values[i * columns + column]);
    counters[loop] = index.value(from);
    mine = evaluate(advance(bases, loop, counters[loop]), part, mine);
    for (unsigned i = 0; i != nest.outputs() * tile.rows; ++i)
      values[i * columns + column] = mine[i];
  }
  return values;
}

void TileEmitter::emitReductionTile(const Starts &starts, const TileShape &tile) {
  SmallVector<RowBases> bases = rowBases(starts, tile);
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop != nest.loops.size(); ++loop)
    if (nest.loops[loop].reduction)
      order.push_back(loop);
  Values values = reduce(order, bases, tile, startValues(bases, tile));
  if (plan.acrossReduction)
    return finishRows(bases, tile, values);
  if (epilogue)
    return emitEpilogue(bases, tile, values);
  storeOutputs(bases, tile, values);
}

void TileEmitter::storeOutputs(const SmallVector<RowBases> &bases, const TileShape &tile, const Values &values) {
  for (unsigned i = 0; i != nest.outputs(); ++i)
    for (int64_t row = 0; row != tile.rows; ++row)
      for (int64_t column = 0; column != tile.columns; ++column)
        access.store(values[(i * tile.rows + row) * tile.columns + column], nest.output(i), tile,
                     bases[nest.op.getNumDpsInputs() + i], row, column);
}

} // namespace clika
