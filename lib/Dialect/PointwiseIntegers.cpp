#include "Dialect/PointwiseIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace clika {
namespace {

Value integer(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate, Value x, int64_t bound) {
  return arith::CmpIOp::create(b, predicate, x, integer(b, x.getType(), bound));
}

Value select(ImplicitLocOpBuilder &b, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(b, condition, yes, no);
}

constexpr auto kEqual = arith::CmpIPredicate::eq;

} // namespace

Division divideTruncated(ImplicitLocOpBuilder &b, Value x, Value y, bool isUnsigned) {
  Value zero = integer(b, x.getType(), 0), one = integer(b, x.getType(), 1);
  Value byZero = compare(b, kEqual, y, 0);
  if (isUnsigned) {
    Value divisor = select(b, byZero, one, y);
    return {select(b, byZero, zero, arith::DivUIOp::create(b, x, divisor)),
            select(b, byZero, zero, arith::RemUIOp::create(b, x, divisor))};
  }
  Value byMinusOne = compare(b, kEqual, y, -1);
  Value divisor = select(b, arith::OrIOp::create(b, byZero, byMinusOne), one, y);
  Value quotient = arith::DivSIOp::create(b, x, divisor);
  // Of a division by 1 in another's stead the remainder is 0 anyway.
  Value remainder = arith::SubIOp::create(b, x, arith::MulIOp::create(b, quotient, divisor));
  quotient = select(b, byMinusOne, arith::SubIOp::create(b, zero, x), quotient);
  return {select(b, byZero, zero, quotient), remainder};
}

Division divideFloored(ImplicitLocOpBuilder &b, Value x, Value y, bool isUnsigned) {
  Division truncated = divideTruncated(b, x, y, isUnsigned);
  if (isUnsigned)
    return truncated;
  Value zero = integer(b, x.getType(), 0);
  Value inexact = compare(b, arith::CmpIPredicate::ne, truncated.remainder, 0);
  Value signs = arith::XOrIOp::create(b, truncated.remainder, y);
  Value step = arith::AndIOp::create(b, inexact, compare(b, arith::CmpIPredicate::slt, signs, 0));
  Value one = select(b, step, integer(b, x.getType(), 1), zero);
  return {arith::SubIOp::create(b, truncated.quotient, one),
          arith::AddIOp::create(b, truncated.remainder, select(b, step, y, zero))};
}

Value integerPower(ImplicitLocOpBuilder &b, Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  Value one = integer(b, type, 1), zero = integer(b, type, 0);
  unsigned bits = type.getIntOrFloatBitWidth() - (isUnsigned ? 0 : 1);
  Value power = one, square = x;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value set = arith::AndIOp::create(
        b, y,
        arith::ConstantOp::create(b, b.getIntegerAttr(type, APInt::getOneBitSet(type.getIntOrFloatBitWidth(), bit))));
    Value factor = select(b, compare(b, kEqual, set, 0), one, square);
    power = arith::MulIOp::create(b, power, factor);
    if (bit + 1 < bits)
      square = arith::MulIOp::create(b, square, square);
  }
  if (isUnsigned)
    return power;
  // 1 / x^n: 1 for 1, the sign of (-1)^n for -1, and 0 for the rest, 0 included.
  Value odd = arith::AndIOp::create(b, y, one);
  Value sign = select(b, compare(b, kEqual, odd, 0), one, integer(b, type, -1));
  Value inverse = select(b, compare(b, kEqual, x, 1), one, select(b, compare(b, kEqual, x, -1), sign, zero));
  return select(b, compare(b, arith::CmpIPredicate::slt, y, 0), inverse, power);
}

Value shiftLeft(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value zero = integer(b, x.getType(), 0);
  Value fits = compare(b, arith::CmpIPredicate::ult, y, x.getType().getIntOrFloatBitWidth());
  return select(b, fits, arith::ShLIOp::create(b, x, select(b, fits, y, zero)), zero);
}

Value shiftRight(ImplicitLocOpBuilder &b, Value x, Value y, bool isUnsigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Value zero = integer(b, x.getType(), 0);
  Value fits = compare(b, arith::CmpIPredicate::ult, y, width);
  if (isUnsigned)
    return select(b, fits, arith::ShRUIOp::create(b, x, select(b, fits, y, zero)), zero);
  return arith::ShRSIOp::create(b, x, select(b, fits, y, integer(b, x.getType(), width - 1)));
}

} // namespace clika
