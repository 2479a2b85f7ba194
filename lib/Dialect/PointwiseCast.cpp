// What `cast` computes on scalars.
#include "Dialect/PointwiseFormulas.h"
#include "Dialect/PointwiseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

Value integer(ImplicitLocOpBuilder &b, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value integer(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value toBool(ImplicitLocOpBuilder &b, Value x) {
  Value zero = numberOf(b, x.getType(), 0.0);
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
}

Value integerToInteger(ImplicitLocOpBuilder &b, Value x, Type type, bool fromUnsigned) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  if (from > to)
    return arith::TruncIOp::create(b, type, x);
  if (fromUnsigned)
    return arith::ExtUIOp::create(b, type, x);
  return arith::ExtSIOp::create(b, type, x);
}

// Truncates; out of range becomes the nearest value of the range, NaN becomes 0.
Value floatToInteger(ImplicitLocOpBuilder &b, Value x, IntegerType type, bool toUnsigned) {
  unsigned width = type.getWidth();
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, numberOf(b, x.getType(), bound));
  };
  Value below = compare(arith::CmpFPredicate::OLT, std::ldexp(1.0, toUnsigned ? width : width - 1));
  Value above = toUnsigned ? compare(arith::CmpFPredicate::OGT, -1.0)
                           : compare(arith::CmpFPredicate::OGE, -std::ldexp(1.0, width - 1));
  Value fits = arith::AndIOp::create(b, below, above);
  Value safe = arith::SelectOp::create(b, fits, x, numberOf(b, x.getType(), 0.0));
  Value whole = toUnsigned ? arith::FPToUIOp::create(b, type, safe).getResult()
                           : arith::FPToSIOp::create(b, type, safe).getResult();
  Value lowest = integer(b, type, toUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
  Value highest = integer(b, type, toUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  Value outside = arith::SelectOp::create(b, compare(arith::CmpFPredicate::OGT, 0.0), highest, lowest);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  outside = arith::SelectOp::create(b, isNan, integer(b, type, 0), outside);
  return arith::SelectOp::create(b, fits, whole, outside);
}

Value integerToFloat(ImplicitLocOpBuilder &b, Value x, Type to, bool fromUnsigned) {
  auto convert = [&](Type type) -> Value {
    if (fromUnsigned)
      return arith::UIToFPOp::create(b, type, x);
    return arith::SIToFPOp::create(b, type, x);
  };
  // What f32 does not hold is rounded once, straight to bf16; as f16 it is infinite either way.
  if (to.isBF16() && x.getType().getIntOrFloatBitWidth() > 24)
    return convert(to);
  return convert(isHalf(to) ? b.getF32Type() : to);
}

Value floatToFloat(ImplicitLocOpBuilder &b, Value x, Type to) {
  if (to.isF64())
    return x.getType().isF64() ? x : arith::ExtFOp::create(b, to, x);
  if (!x.getType().isF64())
    return x;
  return arith::TruncFOp::create(b, to, x);
}

} // namespace

Value CastOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange operands) {
  Value x = operands[0];
  Type from = getElementTypeOrSelf(getX().getType()), to = getElementTypeOrSelf(getType());
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (from == to)
    return x;
  if (to.isInteger(1))
    return toBool(b, x);
  if (auto integers = dyn_cast<IntegerType>(to)) {
    auto type = IntegerType::get(b.getContext(), integers.getWidth());
    if (isa<FloatType>(from))
      return floatToInteger(b, x, type, integers.isUnsigned());
    return integerToInteger(b, x, type, fromUnsigned);
  }
  return isa<FloatType>(from) ? floatToFloat(b, x, to) : integerToFloat(b, x, to, fromUnsigned);
}

} // namespace clika
