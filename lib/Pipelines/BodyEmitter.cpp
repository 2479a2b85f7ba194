#include "Pipelines/BodyEmitter.h"
#include "Pipelines/ByteDot.h"
#include "Pipelines/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace clika {

static bool isVectorizableLoad(memref::LoadOp load) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(load.getMemRefType().getStridesAndOffset(strides, offset)) && !load.getType().isInteger(1);
}

std::string whyNotVectorizable(linalg::LinalgOp op) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      if (!isVectorizableLoad(load))
        return "it gathers bits, or from memory of no fixed form";
      continue;
    }
    bool arithmetic = isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) && inner.getNumResults() == 1 &&
                      (isa<arith::ConstantOp>(inner) || OpTrait::hasElementwiseMappableTraits(&inner));
    bool ofTensors = llvm::any_of(inner.getOperandTypes(), [](Type type) { return isa<ShapedType>(type); });
    if ((!arithmetic && !isa<linalg::IndexOp, cf::AssertOp>(inner)) || ofTensors)
      return "its body holds " + inner.getName().getStringRef().str() + ", which has no form for vectors";
  }
  return "";
}

bool isFusedSum(Operation *op) {
  auto sum = dyn_cast<arith::AddFOp>(op);
  return sum && isa<BlockArgument>(sum.getLhs()) && sum.getRhs().getDefiningOp<arith::MulFOp>() &&
         sum.getRhs().hasOneUse();
}

void BodyEmitter::bind(BlockArgument argument, ArrayRef<Value> tileValues) {
  bound[argument] = SmallVector<Value>(tileValues);
  spreads[argument] = {tile.rows > 1, tile.lanes > 1};
}

BodyEmitter::Spread BodyEmitter::spread(Value value) {
  auto found = spreads.find(value);
  if (found != spreads.end())
    return found->second;
  Spread result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == nest.op.getBlock()) {
      const Access &source = nest.accesses[argument.getArgNumber()];
      result = {tile.onRows(source), tile.onLanes(source)};
    }
  } else if (Operation *op = value.getDefiningOp(); op->getBlock() == nest.op.getBlock()) {
    if (auto used = dyn_cast<linalg::IndexOp>(op)) {
      int loop = nest.loopOf[used.getDim()];
      result = {loop >= 0 && loop == tile.rowLoop, loop >= 0 && loop == tile.laneLoop && tile.lanes > 1};
    } else {
      for (Value operand : op->getOperands()) {
        Spread part = spread(operand);
        result = {result.rows || part.rows, result.lanes || part.lanes};
      }
    }
  }
  spreads[value] = result;
  return result;
}

Value BodyEmitter::get(Value value, int64_t row, int64_t column) {
  Spread at = spread(value);
  Key key{value.getAsOpaquePointer(), at.rows ? row : 0, at.lanes || bound.contains(value) ? column : 0};
  if (Value known = values.lookup(key))
    return known;
  Value result = value;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == nest.op.getBlock())
      result = this->argument(argument, row, column);
  } else if (Operation *op = value.getDefiningOp(); op->getBlock() == nest.op.getBlock()) {
    result = compute(op, row, column);
  }
  values[key] = result;
  return result;
}

Value BodyEmitter::onLanes(Value value, int64_t row, int64_t column) {
  Value narrow = get(value, row, column);
  if (tile.lanes == 1 || isa<VectorType>(narrow.getType()))
    return narrow;
  Spread at = spread(value);
  Key key{value.getAsOpaquePointer(), at.rows ? row : 0, 0};
  Value &result = wide[key];
  if (!result)
    result = access.broadcast(narrow, tile);
  return result;
}

Value BodyEmitter::argument(BlockArgument value, int64_t row, int64_t column) {
  auto known = bound.find(value);
  if (known != bound.end())
    return known->second[row * tile.columns + column];
  const Access &source = nest.accesses[value.getArgNumber()];
  if (source.scalar)
    return source.scalar;
  return access.load(source, tile, bases[value.getArgNumber()], row, column);
}

Value BodyEmitter::counter(linalg::IndexOp op, int64_t row, int64_t column) {
  Location loc = op.getLoc();
  IndexBuilder index(builder, loc);
  int loop = nest.loopOf[op.getDim()];
  if (loop < 0)
    return index.value(index.constant(0));
  OpFoldResult result = counters[loop];
  if (loop == tile.rowLoop)
    result = index.add(result, index.constant(row));
  if (loop != tile.laneLoop || tile.lanes == 1)
    return index.value(result);
  result = index.add(result, index.constant(column * tile.lanes));
  Value start = access.broadcast(index.value(result), tile);
  return arith::AddIOp::create(builder, loc, access.laneNumbers(tile), start);
}

/// `memref.load` at indices that differ by lane.
Value BodyEmitter::gather(Operation *op, int64_t row, int64_t column) {
  auto load = cast<memref::LoadOp>(op);
  Location loc = op->getLoc();
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, load.getMemRef());
  IndexBuilder index(builder, loc);
  Value offsets = access.broadcast(index.value(metadata.getConstifiedMixedOffset()), tile);
  for (auto [position, stride] : llvm::zip(load.getIndices(), metadata.getConstifiedMixedStrides())) {
    Value step = access.broadcast(index.value(stride), tile);
    Value part = arith::MulIOp::create(builder, loc, onLanes(position, row, column), step);
    offsets = arith::AddIOp::create(builder, loc, offsets, part);
  }
  Value flat =
      memref::ReinterpretCastOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, load.getType()),
                                        load.getMemRef(), OpFoldResult(builder.getIndexAttr(0)),
                                        ArrayRef<OpFoldResult>{index.value(builder.getIndexAttr(int64_t(1) << 40))},
                                        ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  auto type = VectorType::get({tile.lanes}, load.getType());
  Value mask = tile.maskOf(column);
  if (!mask)
    mask = arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(VectorType::get({tile.lanes}, builder.getI1Type()), true));
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::GatherOp::create(builder, loc, type, flat, ValueRange{index.value(index.constant(0))}, offsets, mask,
                                  zero);
}

/// The step of a byte product, of words of four bytes; its left bytes are unsigned ones, or signed with another sign
/// bit.
Value BodyEmitter::sumOfGroup(int64_t row, int64_t column) {
  Block *block = nest.op.getBlock();
  Location loc = nest.op.getLoc();
  Value left = onLanes(block->getArgument(0), row, column), right = onLanes(block->getArgument(1), row, column);
  if (llvm::any_of(*block, llvm::IsaPred<arith::XOrIOp>)) {
    TypedAttr signs = builder.getI32IntegerAttr(static_cast<int32_t>(0x80808080));
    if (auto type = dyn_cast<VectorType>(left.getType()))
      signs = DenseElementsAttr::get(type, cast<Attribute>(signs));
    left = arith::XOrIOp::create(builder, loc, left, arith::ConstantOp::create(builder, loc, signs));
  }
  auto how = nest.op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(kByteDotAttr);
  return emitByteDot(builder, loc, how ? how.getValue() : "", left, right, onLanes(block->getArgument(2), row, column));
}

Value BodyEmitter::compute(Operation *op, int64_t row, int64_t column) {
  if (auto used = dyn_cast<linalg::IndexOp>(op))
    return counter(used, row, column);
  bool vector = op->getNumResults() && spread(op->getResult(0)).lanes;
  if (vector && isa<memref::LoadOp>(op))
    return gather(op, row, column);
  if (nest.groupsOfFour && op == nest.op.getBlock()->getTerminator()->getOperand(0).getDefiningOp())
    return sumOfGroup(row, column);
  if (fuseSums && isFusedSum(op)) {
    Operation *product = op->getOperand(1).getDefiningOp();
    SmallVector<Value> parts;
    for (Value part : {product->getOperand(0), product->getOperand(1), op->getOperand(0)})
      parts.push_back(vector ? onLanes(part, row, column) : get(part, row, column));
    return math::FmaOp::create(builder, op->getLoc(), parts[0], parts[1], parts[2]);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(vector ? onLanes(operand, row, column) : get(operand, row, column));
  if (!vector) {
    IRMapping map;
    map.map(op->getOperands(), ValueRange(operands));
    return builder.clone(*op, map)->getResult(0);
  }
  OperationState state(op->getLoc(), op->getName(), operands, {access.type(op->getResult(0).getType(), tile)},
                       op->getAttrs());
  return builder.create(state)->getResult(0);
}

Value BodyEmitter::yielded(unsigned i, int64_t row, int64_t column) {
  return get(nest.op.getBlock()->getTerminator()->getOperand(i), row, column);
}

void BodyEmitter::emitAsserts() {
  for (auto check : nest.op.getBlock()->getOps<cf::AssertOp>())
    for (int64_t row = 0; row != tile.rows; ++row)
      for (int64_t column = 0; column != tile.columns; ++column) {
        Value condition = get(check.getArg(), row, column);
        if (auto type = dyn_cast<VectorType>(condition.getType())) {
          if (Value mask = tile.maskOf(column)) {
            Value all = arith::ConstantOp::create(builder, check.getLoc(), DenseElementsAttr::get(type, true));
            Value unused = arith::XOrIOp::create(builder, check.getLoc(), mask, all);
            condition = arith::OrIOp::create(builder, check.getLoc(), condition, unused);
          }
          condition = vector::ReductionOp::create(builder, check.getLoc(), vector::CombiningKind::AND, condition);
        }
        cf::AssertOp::create(builder, check.getLoc(), condition, check.getMsg());
      }
}

} // namespace clika
