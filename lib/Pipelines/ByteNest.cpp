#include "Pipelines/ByteProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace clika {

static OpFoldResult inWords(OpBuilder &builder, Location loc, OpFoldResult bytes) {
  if (std::optional<int64_t> known = getConstantIntValue(bytes))
    return builder.getIndexAttr(*known / 4);
  Value four = arith::ConstantIndexOp::create(builder, loc, 4);
  return arith::DivSIOp::create(builder, loc, cast<Value>(bytes), four).getResult();
}

/// Whether a group is dense, and all of them lie groups away from the start. In a buffer without gaps they do: its last
/// dimension is that of a group.
static bool liesInWords(const Nest &nest, unsigned input, unsigned inGroup) {
  const Access &access = nest.accesses[input];
  auto type = dyn_cast<MemRefType>(nest.op->getOperand(input).getType());
  if (!type || access.step(inGroup) != 1)
    return false;
  bool isDense = type.getLayout().isIdentity();
  auto isWhole = [&](OpFoldResult bytes) {
    std::optional<int64_t> known = getConstantIntValue(bytes);
    return known ? *known % 4 == 0 : isDense;
  };
  for (auto [loop, step] : llvm::enumerate(access.steps))
    if (loop != inGroup && !isWhole(step))
      return false;
  return isWhole(access.offset);
}

void groupBytes(OpBuilder &builder, Nest &nest) {
  if (!nest.op->hasAttr(kByteProductAttr) || nest.loopOf.back() < 0)
    return;
  unsigned inGroup = nest.loopOf.back();
  if (!liesInWords(nest, 0, inGroup) || !liesInWords(nest, 1, inGroup))
    return;
  Location loc = nest.op.getLoc();
  auto words = MemRefType::get({ShapedType::kDynamic}, builder.getI32Type());
  for (unsigned i : {0U, 1U}) {
    Access &access = nest.accesses[i];
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value size = arith::ConstantIndexOp::create(builder, loc, int64_t(1) << 38);
    access.flat = memref::ViewOp::create(builder, loc, words, access.flat, zero, ValueRange{size});
    access.element = builder.getI32Type();
    access.offset = inWords(builder, loc, access.offset);
    for (OpFoldResult &step : access.steps)
      step = inWords(builder, loc, step);
  }
  removeLoop(nest, inGroup, -2);
  nest.groupsOfFour = true;
}

} // namespace clika
