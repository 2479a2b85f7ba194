// What happens to the accumulators of a tile: the tree of a row's partial results, and the epilogue.
#include "Pipelines/TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace clika {

/// Ops of an epilogue on one tile, beyond which it is a loop.
static constexpr int64_t kUnrolledWork = 128;

Operation *rowCombiner(linalg::LinalgOp op, unsigned i) {
  BlockArgument accumulator = op.getRegionOutputArgs()[i];
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(i).getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBlock() || combiner->getNumOperands() != 2 ||
      !accumulator.hasOneUse() || !llvm::is_contained(combiner->getOperands(), accumulator))
    return nullptr;
  bool known =
      isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
          arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          combiner);
  return known ? combiner : nullptr;
}

Value TileEmitter::neutral(unsigned output, Type element) {
  std::optional<TypedAttr> attr = arith::getNeutralElement(rowCombiner(nest.op, output));
  // The sum of no numbers is +0, which a row of −0 alone shares with NumPy's.
  if (isa<arith::AddFOp>(rowCombiner(nest.op, output)))
    attr = builder.getFloatAttr(element, 0.0);
  return arith::ConstantOp::create(builder, loc, *attr);
}

Value TileEmitter::combine(unsigned output, Value a, Value b) {
  Operation *combiner = rowCombiner(nest.op, output);
  OperationState state(loc, combiner->getName(), {a, b}, {a.getType()}, combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

void TileEmitter::finishRows(const SmallVector<RowBases> &bases, const TileShape &tile, const Values &partials) {
  for (unsigned i = 0; i != nest.outputs(); ++i)
    for (int64_t row = 0; row != tile.rows; ++row) {
      Values half(ArrayRef<Value>(partials).slice((i * tile.rows + row) * tile.columns, tile.columns));
      while (half.size() > 1) {
        unsigned middle = half.size() / 2;
        for (unsigned column = 0; column != middle; ++column)
          half[column] = combine(i, half[column], half[column + middle]);
        half.truncate(middle);
      }
      Value whole = half[0];
      for (int64_t lanes = tile.lanes / 2; lanes >= 1; lanes /= 2) {
        SmallVector<int64_t> low, high;
        for (int64_t lane = 0; lane != lanes; ++lane) {
          low.push_back(lane);
          high.push_back(lane + lanes);
        }
        Value a = vector::ShuffleOp::create(builder, loc, whole, whole, low);
        Value b = vector::ShuffleOp::create(builder, loc, whole, whole, high);
        whole = combine(i, a, b);
      }
      if (tile.lanes > 1)
        whole = vector::ExtractOp::create(builder, loc, whole, 0);
      const Access &output = nest.output(i);
      const RowBases &base = bases[nest.op.getNumDpsInputs() + i];
      Value before = initial.lookup(i);
      if (!before)
        before = access.load(output, tile, base, row, 0);
      access.store(combine(i, before, whole), output, tile, base, row, 0);
    }
}

void TileEmitter::emitEpilogue(const SmallVector<RowBases> &bases, const TileShape &tile, const Values &values) {
  Nest &tail = epilogue->nest;
  SmallVector<RowBases> own(ArrayRef<RowBases>(bases).drop_front(nest.accesses.size()));
  auto emit = [&](const TileShape &shape, ArrayRef<RowBases> rowBases, ArrayRef<Value> results) {
    BodyEmitter body(builder, tail, shape, false);
    body.setBases(rowBases);
    body.setCounters(counters);
    body.bind(tail.op.getBlock()->getArgument(epilogue->operand), results);
    for (unsigned i = 0; i != tail.outputs(); ++i)
      for (int64_t row = 0; row != shape.rows; ++row)
        for (int64_t column = 0; column != shape.columns; ++column)
          access.store(body.yielded(i, row, column), tail.output(i), shape, rowBases[tail.op.getNumDpsInputs() + i],
                       row, column);
  };
  int64_t work = std::distance(tail.op.getBlock()->begin(), tail.op.getBlock()->end());
  if (tile.rows == 1 || work * tile.rows * tile.columns <= kUnrolledWork)
    return emit(tile, own, values);

  // A long body is emitted once, in a loop over the rows, which wait on the stack.
  Value rows = storeToStack(tile, values);
  TileShape one = tile;
  one.rows = 1;
  one.rowLoop = -1;
  auto loop = scf::ForOp::create(builder, loc, index.value(index.constant(0)), index.value(index.constant(tile.rows)),
                                 index.value(index.constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  OpFoldResult row = loop.getInductionVar();
  SmallVector<RowBases> moved;
  for (auto [i, base] : llvm::enumerate(own))
    moved.push_back({base[0]
                         ? index.value(index.add(base[0], index.multiply(row, tail.accesses[i].steps[tile.rowLoop])))
                         : Value()});
  Values results;
  for (int64_t column = 0; column != tile.columns; ++column) {
    OpFoldResult at =
        index.add(index.multiply(row, index.constant(tile.columns * tile.lanes)), index.constant(column * tile.lanes));
    Type element = cast<MemRefType>(rows.getType()).getElementType();
    results.push_back(tile.lanes > 1 ? vector::LoadOp::create(builder, loc, VectorType::get({tile.lanes}, element),
                                                              rows, ValueRange{index.value(at)})
                                           .getResult()
                                     : memref::LoadOp::create(builder, loc, rows, index.value(at)).getResult());
  }
  emit(one, moved, results);
}

Value TileEmitter::storeToStack(const TileShape &tile, const Values &values) {
  Value rows;
  {
    OpBuilder::InsertionGuard guard(builder);
    auto function = builder.getInsertionBlock()->getParentOp()->getParentOfType<func::FuncOp>();
    if (!function)
      function = cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
    builder.setInsertionPointToStart(&function.getBody().front());
    auto type = MemRefType::get({tile.rows * tile.columns * tile.lanes}, getElementTypeOrSelf(values[0].getType()));
    rows = memref::AllocaOp::create(builder, loc, type, builder.getI64IntegerAttr(64));
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    Value at = index.value(index.constant(i * tile.lanes));
    if (tile.lanes > 1)
      vector::StoreOp::create(builder, loc, value, rows, ValueRange{at});
    else
      memref::StoreOp::create(builder, loc, value, rows, at);
  }
  return rows;
}

} // namespace clika
