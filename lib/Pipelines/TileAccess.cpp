#include "Pipelines/BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace clika {

Type TileAccess::type(Type element, const TileShape &tile) const {
  return tile.lanes > 1 ? VectorType::get({tile.lanes}, element) : element;
}

Value TileAccess::broadcast(Value value, const TileShape &tile) {
  if (tile.lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc, type(value.getType(), tile), value);
}

RowBases TileAccess::rowBases(const Access &access, const TileShape &tile, Value start) {
  RowBases bases = {start};
  if (!tile.onRows(access) || access.step(tile.rowLoop))
    return bases;
  for (int64_t row = 1; row != tile.rows; ++row)
    bases.push_back(index.value(index.add(start, index.multiply(access.steps[tile.rowLoop], index.constant(row)))));
  return bases;
}

Value TileAccess::elementIndex(const Access &access, const TileShape &tile, const RowBases &bases, int64_t row,
                               int64_t column) {
  OpFoldResult result = bases.size() > 1 ? bases[row] : bases[0];
  if (bases.size() == 1 && tile.onRows(access))
    result = index.add(result, index.constant(*access.step(tile.rowLoop) * row));
  if (tile.onLanes(access) && column != 0)
    result = index.add(result, index.multiply(access.steps[tile.laneLoop], index.constant(column * tile.lanes)));
  return index.value(result);
}

Value TileAccess::laneOffsets(const Access &access, const TileShape &tile) {
  std::optional<int64_t> step = access.step(tile.laneLoop);
  bool small = step && std::abs(*step) < (int64_t(1) << 31) / tile.lanes;
  if (small) {
    SmallVector<int32_t> offsets;
    for (int64_t lane = 0; lane != tile.lanes; ++lane)
      offsets.push_back(static_cast<int32_t>(lane * *step));
    auto type = VectorType::get({tile.lanes}, builder.getI32Type());
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(offsets)));
  }
  Value steps = broadcast(index.value(access.steps[tile.laneLoop]), tile);
  return arith::MulIOp::create(builder, loc, laneNumbers(tile), steps);
}

Value TileAccess::laneNumbers(const TileShape &tile) {
  SmallVector<int64_t> numbers(tile.lanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto type = VectorType::get({tile.lanes}, builder.getIndexType());
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
}

static Value zeros(OpBuilder &builder, Location loc, Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value TileAccess::load(const Access &access, const TileShape &tile, const RowBases &bases, int64_t row,
                       int64_t column) {
  Value at = elementIndex(access, tile, bases, row, column);
  if (!tile.onLanes(access))
    return memref::LoadOp::create(builder, loc, access.flat, at);
  auto vectorType = cast<VectorType>(type(access.element, tile));
  Value mask = tile.maskOf(column);
  if (access.step(tile.laneLoop) == 1) {
    if (!mask)
      return vector::LoadOp::create(builder, loc, vectorType, access.flat, ValueRange{at});
    return vector::MaskedLoadOp::create(builder, loc, vectorType, access.flat, ValueRange{at}, mask,
                                        zeros(builder, loc, vectorType));
  }
  if (!mask)
    mask = arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(VectorType::get({tile.lanes}, builder.getI1Type()), true));
  return vector::GatherOp::create(builder, loc, vectorType, access.flat, ValueRange{at}, laneOffsets(access, tile),
                                  mask, zeros(builder, loc, vectorType));
}

/// Whether the mask is known to be of the first lane alone. LLVM 22 stores as many bytes as the element had before it
/// was made narrower, for x86, where it knows the same.
static bool isFirstLane(Value mask) {
  DenseElementsAttr lanes;
  if (!matchPattern(mask, m_Constant(&lanes)))
    return false;
  auto values = lanes.getValues<bool>();
  return values[0] && llvm::count(values, true) == 1;
}

void TileAccess::store(Value value, const Access &access, const TileShape &tile, const RowBases &bases, int64_t row,
                       int64_t column) {
  Value at = elementIndex(access, tile, bases, row, column);
  if (!tile.onLanes(access)) {
    memref::StoreOp::create(builder, loc, value, access.flat, at);
    return;
  }
  value = broadcast(value, tile);
  Value mask = tile.maskOf(column);
  if (mask && isFirstLane(mask)) {
    Value first = vector::ExtractOp::create(builder, loc, value, 0);
    memref::StoreOp::create(builder, loc, first, access.flat, at);
  } else if (mask) {
    vector::MaskedStoreOp::create(builder, loc, access.flat, ValueRange{at}, mask, value);
  } else {
    vector::StoreOp::create(builder, loc, value, access.flat, ValueRange{at});
  }
}

} // namespace clika
