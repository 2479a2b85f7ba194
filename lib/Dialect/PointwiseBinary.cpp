// What the pointwise ops of several operands compute on scalars.
#include "Dialect/Numbers.h"
#include "Dialect/PointwiseFormulas.h"
#include "Dialect/PointwiseIntegers.h"
#include "Dialect/PointwiseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

bool isFloat(Value x) { return isa<FloatType>(x.getType()); }

// Read off the first operand (for `where` the condition, which has no order to speak of).
bool isUnsigned(Operation *op) { return getElementTypeOrSelf(op->getOperand(0)).isUnsignedInteger(); }

Value product(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (isFloat(x))
    return arith::MulFOp::create(b, x, y);
  return arith::MulIOp::create(b, x, y);
}

// A setting as a number of the type computed in. Integers of `element` hold it.
Value settingNumber(ImplicitLocOpBuilder &b, Type type, Type element, Attribute number) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, *integerNumber(integer, number)));
  return arith::ConstantOp::create(b, FloatAttr::get(type, floatNumber(cast<FloatType>(type), number)));
}

template <typename AddLike>
Value scaled(ImplicitLocOpBuilder &b, AddLike op, Value x) {
  FloatAttr alpha = op.getAlphaAttr();
  if (!alpha || alpha.getValueAsDouble() == 1.0)
    return x;
  return product(b, x, settingNumber(b, x.getType(), getElementTypeOrSelf(op.getA()), alpha));
}

Value test(ImplicitLocOpBuilder &b, Operation *op, ValueRange x, arith::CmpFPredicate floats,
           arith::CmpIPredicate integers, arith::CmpIPredicate unsignedIntegers) {
  if (isFloat(x[0]))
    return arith::CmpFOp::create(b, floats, x[0], x[1]);
  return arith::CmpIOp::create(b, isUnsigned(op) ? unsignedIntegers : integers, x[0], x[1]);
}

Value isZero(ImplicitLocOpBuilder &b, Value x) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, numberOf(b, x.getType(), 0.0));
}

// Where a - m, m = fmod(a, b), must go one step further down: m is not 0 and its sign is not b's.
Value needsStep(ImplicitLocOpBuilder &b, Value m, Value divisor) {
  Value zero = numberOf(b, m.getType(), 0.0);
  Value nonzero = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, m, zero);
  Value negative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, m, zero);
  Value negativeDivisor = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, divisor, zero);
  return arith::AndIOp::create(b, nonzero, arith::XOrIOp::create(b, negative, negativeDivisor));
}

Value floatRemainder(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value m = arith::RemFOp::create(b, x, y);
  Value stepped = arith::SelectOp::create(b, needsStep(b, m, y), arith::AddFOp::create(b, m, y), m);
  Value signedZero = math::CopySignOp::create(b, numberOf(b, x.getType(), 0.0), y);
  return arith::SelectOp::create(b, isZero(b, m), signedZero, stepped);
}

// x - fmod(x, y) is a multiple of y up to rounding, so that its quotient is a whole number up to rounding.
Value floatFloorDiv(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value plain = arith::DivFOp::create(b, x, y);
  Value m = arith::RemFOp::create(b, x, y);
  Value whole = arith::DivFOp::create(b, arith::SubFOp::create(b, x, m), y);
  Value one = numberOf(b, x.getType(), 1.0);
  Value down = arith::SelectOp::create(b, needsStep(b, m, y), arith::SubFOp::create(b, whole, one), whole);
  Value floored = math::FloorOp::create(b, down);
  Value gap = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, arith::SubFOp::create(b, down, floored),
                                    numberOf(b, x.getType(), 0.5));
  floored = arith::SelectOp::create(b, gap, arith::AddFOp::create(b, floored, one), floored);
  // A quotient of zero keeps the sign of the plain one.
  Value signedZero = math::CopySignOp::create(b, numberOf(b, x.getType(), 0.0), plain);
  floored = arith::SelectOp::create(b, isZero(b, down), signedZero, floored);
  return arith::SelectOp::create(b, isZero(b, y), plain, floored);
}

} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value AddOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value right = scaled(b, *this, x[1]);
  if (isFloat(x[0]))
    return arith::AddFOp::create(b, x[0], right);
  return arith::AddIOp::create(b, x[0], right);
}

Value SubOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value right = scaled(b, *this, x[1]);
  if (isFloat(x[0]))
    return arith::SubFOp::create(b, x[0], right);
  return arith::SubIOp::create(b, x[0], right);
}

Value MulOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return product(b, x[0], x[1]); }

Value DivOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return arith::DivFOp::create(b, x[0], x[1]);
  return divideTruncated(b, x[0], x[1], isUnsigned(*this)).quotient;
}

Value FloorDivOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return floatFloorDiv(b, x[0], x[1]);
  return divideFloored(b, x[0], x[1], isUnsigned(*this)).quotient;
}

Value RemainderOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return floatRemainder(b, x[0], x[1]);
  return divideFloored(b, x[0], x[1], isUnsigned(*this)).remainder;
}

Value FmodOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return arith::RemFOp::create(b, x[0], x[1]);
  return divideTruncated(b, x[0], x[1], isUnsigned(*this)).remainder;
}

Value PowOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return math::PowFOp::create(b, x[0], x[1]);
  return integerPower(b, x[0], x[1], isUnsigned(*this));
}

Value MaximumOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return maximum(b, x[0], x[1], isUnsigned(*this));
}

Value MinimumOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return minimum(b, x[0], x[1], isUnsigned(*this));
}

Value ClampOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  bool unsignedType = isUnsigned(*this);
  Type type = x[0].getType(), element = getElementTypeOrSelf(getX().getType());
  Value result = x[0];
  unsigned next = 1;
  Value floor = getMinTensor() ? x[next++] : getMinAttr() ? settingNumber(b, type, element, getMinAttr()) : Value();
  Value ceiling = getMaxTensor() ? x[next] : getMaxAttr() ? settingNumber(b, type, element, getMaxAttr()) : Value();
  if (floor)
    result = maximum(b, result, floor, unsignedType);
  if (ceiling)
    result = minimum(b, result, ceiling, unsignedType);
  return result;
}

Value PreluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return buildLeakyRelu(b, x[0], x[1]);
  if (isUnsigned(*this))
    return x[0];
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[0], numberOf(b, x[0].getType(), 0.0));
  return arith::SelectOp::create(b, negative, product(b, x[1], x[0]), x[0]);
}

Value WhereOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return arith::SelectOp::create(b, x[0], x[1], x[2]);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

using Floats = arith::CmpFPredicate;
using Integers = arith::CmpIPredicate;

Value EqualOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return test(b, *this, x, Floats::OEQ, Integers::eq, Integers::eq);
}

Value NotEqualOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return test(b, *this, x, Floats::UNE, Integers::ne, Integers::ne);
}

Value LessOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return test(b, *this, x, Floats::OLT, Integers::slt, Integers::ult);
}

Value LessEqualOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return test(b, *this, x, Floats::OLE, Integers::sle, Integers::ule);
}

Value GreaterOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return test(b, *this, x, Floats::OGT, Integers::sgt, Integers::ugt);
}

Value GreaterEqualOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return test(b, *this, x, Floats::OGE, Integers::sge, Integers::uge);
}

//===----------------------------------------------------------------------===//
// Logic and bits
//===----------------------------------------------------------------------===//

Value LogicalAndOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return arith::AndIOp::create(b, x[0], x[1]); }
Value LogicalOrOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return arith::OrIOp::create(b, x[0], x[1]); }
Value LogicalXorOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return arith::XOrIOp::create(b, x[0], x[1]); }
Value BitwiseAndOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return arith::AndIOp::create(b, x[0], x[1]); }
Value BitwiseOrOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return arith::OrIOp::create(b, x[0], x[1]); }
Value BitwiseXorOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return arith::XOrIOp::create(b, x[0], x[1]); }

Value BitwiseLeftShiftOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return shiftLeft(b, x[0], x[1]); }

Value BitwiseRightShiftOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return shiftRight(b, x[0], x[1], isUnsigned(*this));
}

} // namespace clika
