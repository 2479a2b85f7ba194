// What the pointwise ops of one operand compute on scalars.
#include "Dialect/PointwiseFormulas.h"
#include "Dialect/PointwiseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

bool isFloat(Value x) { return isa<FloatType>(x.getType()); }

bool isUnsigned(Operation *op) { return getElementTypeOrSelf(op->getOperand(0)).isUnsignedInteger(); }

Value compare(ImplicitLocOpBuilder &b, arith::CmpFPredicate predicate, Value x, double bound) {
  return arith::CmpFOp::create(b, predicate, x, numberOf(b, x.getType(), bound));
}

Value divide(ImplicitLocOpBuilder &b, double numerator, Value x) {
  return arith::DivFOp::create(b, numberOf(b, x.getType(), numerator), x);
}

double toDouble(const APFloat &value) { return value.convertToDouble(); }

} // namespace

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value ReluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildRelu(b, x[0], isUnsigned(*this)); }

Value LeakyReluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return buildLeakyRelu(b, x[0], numberOf(b, x[0].getType(), toDouble(getAlpha())));
}

Value EluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildElu(b, x[0], toDouble(getAlpha())); }

Value SeluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return buildSelu(b, x[0], toDouble(getAlpha()), toDouble(getGamma()));
}

Value CeluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value alpha = numberOf(b, x[0].getType(), toDouble(getAlpha()));
  Value zero = numberOf(b, x[0].getType(), 0.0);
  Value curve = arith::MulFOp::create(b, alpha, math::ExpM1Op::create(b, arith::DivFOp::create(b, x[0], alpha)));
  return arith::AddFOp::create(b, buildRelu(b, x[0], false), minimum(b, curve, zero, false));
}

Value GeluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildGelu(b, x[0], getForm() == "Tanh"); }

Value SiluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildSilu(b, x[0]); }

Value SigmoidOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildSigmoid(b, x[0]); }

Value HardSigmoidOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return buildHardSigmoid(b, x[0], toDouble(getAlpha()), toDouble(getBeta()));
}

Value HardSwishOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildHardSwish(b, x[0]); }

Value SoftplusOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return buildSoftplus(b, x[0], toDouble(getBeta()), toDouble(getThreshold()));
}

Value MishOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildMish(b, x[0]); }

Value ThresholdedReluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value above = compare(b, arith::CmpFPredicate::OGT, x[0], toDouble(getAlpha()));
  return arith::SelectOp::create(b, above, x[0], numberOf(b, x[0].getType(), 0.0));
}

Value SoftsignOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value one = numberOf(b, x[0].getType(), 1.0);
  return arith::DivFOp::create(b, x[0], arith::AddFOp::create(b, one, math::AbsFOp::create(b, x[0])));
}

Value ShrinkOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  double edge = toDouble(getLambd());
  Value bias = numberOf(b, x[0].getType(), toDouble(getBias()));
  Value high = arith::SelectOp::create(b, compare(b, arith::CmpFPredicate::OGT, x[0], edge),
                                       arith::SubFOp::create(b, x[0], bias), numberOf(b, x[0].getType(), 0.0));
  return arith::SelectOp::create(b, compare(b, arith::CmpFPredicate::OLT, x[0], -edge),
                                 arith::AddFOp::create(b, x[0], bias), high);
}

//===----------------------------------------------------------------------===//
// Arithmetic and rounding
//===----------------------------------------------------------------------===//

Value NegOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return arith::NegFOp::create(b, x[0]);
  return arith::SubIOp::create(b, numberOf(b, x[0].getType(), 0.0), x[0]);
}

Value AbsOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isFloat(x[0]))
    return math::AbsFOp::create(b, x[0]);
  return isUnsigned(*this) ? x[0] : math::AbsIOp::create(b, x[0]);
}

Value SignOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Type type = x[0].getType();
  Value zero = numberOf(b, type, 0.0), one = numberOf(b, type, 1.0);
  if (isFloat(x[0])) {
    // Unordered or equal: NaN and both zeros.
    Value stays = arith::CmpFOp::create(b, arith::CmpFPredicate::UEQ, x[0], zero);
    return arith::SelectOp::create(b, stays, x[0], math::CopySignOp::create(b, one, x[0]));
  }
  if (isUnsigned(*this))
    return arith::MinUIOp::create(b, x[0], one);
  return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, x[0], one), numberOf(b, type, -1.0));
}

Value SqrtOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::SqrtOp::create(b, x[0]); }

Value RsqrtOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return divide(b, 1.0, math::SqrtOp::create(b, x[0]));
}

Value ReciprocalOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return divide(b, 1.0, x[0]); }

Value FloorOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return isFloat(x[0]) ? math::FloorOp::create(b, x[0]) : x[0];
}

Value CeilOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return isFloat(x[0]) ? math::CeilOp::create(b, x[0]) : x[0];
}

Value RoundOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return isFloat(x[0]) ? math::RoundEvenOp::create(b, x[0]) : x[0];
}

//===----------------------------------------------------------------------===//
// Elementary functions
//===----------------------------------------------------------------------===//

Value ExpOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::ExpOp::create(b, x[0]); }
Value LogOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::LogOp::create(b, x[0]); }
Value TanhOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::TanhOp::create(b, x[0]); }
Value ErfOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::ErfOp::create(b, x[0]); }
Value SinOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::SinOp::create(b, x[0]); }
Value CosOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::CosOp::create(b, x[0]); }
Value TanOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::TanOp::create(b, x[0]); }
Value AsinOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::AsinOp::create(b, x[0]); }
Value AcosOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::AcosOp::create(b, x[0]); }
Value AtanOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::AtanOp::create(b, x[0]); }
Value SinhOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::SinhOp::create(b, x[0]); }
Value CoshOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::CoshOp::create(b, x[0]); }
Value AsinhOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::AsinhOp::create(b, x[0]); }
Value AcoshOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::AcoshOp::create(b, x[0]); }
Value AtanhOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::AtanhOp::create(b, x[0]); }

//===----------------------------------------------------------------------===//
// Identity, negation of bits, tests
//===----------------------------------------------------------------------===//

Value IdentityOp::buildScalar(ImplicitLocOpBuilder &, ValueRange x) { return x[0]; }

Value LogicalNotOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return arith::XOrIOp::create(b, x[0], arith::ConstantIntOp::create(b, true, 1));
}

Value BitwiseNotOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value ones = arith::ConstantOp::create(b, b.getIntegerAttr(x[0].getType(), -1));
  return arith::XOrIOp::create(b, x[0], ones);
}

Value IsNanOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x[0], x[0]);
}

Value IsInfOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool negative = getDetectNegative(), positive = getDetectPositive();
  if (!negative && !positive)
    return arith::ConstantIntOp::create(b, false, 1);
  Value tested = negative && positive ? math::AbsFOp::create(b, x[0]).getResult() : x[0];
  return compare(b, arith::CmpFPredicate::OEQ, tested, positive ? infinity : -infinity);
}

} // namespace clika
