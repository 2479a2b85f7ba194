// What each pointwise op computes on scalars (the semantics of lib/Conversion's one pointwise lowering).
#include "Dialect/PointwiseFormulas.h"
#include "Dialect/PointwiseOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

bool isUnsigned(Operation *op) { return getElementTypeOrSelf(op->getOperand(0)).isUnsignedInteger(); }

Value scaled(ImplicitLocOpBuilder &b, Value x, double alpha) {
  if (alpha == 1.0)
    return x;
  Value factor = numberOf(b, x.getType(), alpha);
  if (isa<FloatType>(x.getType()))
    return arith::MulFOp::create(b, x, factor);
  return arith::MulIOp::create(b, x, factor);
}

// The value of a Scalar setting in `type`.
Value scalarConstant(ImplicitLocOpBuilder &b, Type type, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return numberOf(b, type, number.getValueAsDouble());
  return numberOf(b, type, static_cast<double>(cast<IntegerAttr>(value).getInt()));
}

} // namespace

Value ReluOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return buildRelu(b, x[0], isUnsigned(*this)); }

Value NegOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return arith::NegFOp::create(b, x[0]);
  return arith::SubIOp::create(b, numberOf(b, x[0].getType(), 0.0), x[0]);
}

Value ExpOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) { return math::ExpOp::create(b, x[0]); }

Value AddOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value right = scaled(b, x[1], getAlpha().convertToDouble());
  if (isa<FloatType>(x[0].getType()))
    return arith::AddFOp::create(b, x[0], right);
  return arith::AddIOp::create(b, x[0], right);
}

Value SubOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  Value right = scaled(b, x[1], getAlpha().convertToDouble());
  if (isa<FloatType>(x[0].getType()))
    return arith::SubFOp::create(b, x[0], right);
  return arith::SubIOp::create(b, x[0], right);
}

Value ClampOp::buildScalar(ImplicitLocOpBuilder &b, ValueRange x) {
  bool unsignedType = isUnsigned(*this);
  Type type = x[0].getType();
  Value result = x[0];
  unsigned next = 1;
  Value floor = getMinTensor() ? x[next++] : getMinAttr() ? scalarConstant(b, type, getMinAttr()) : Value();
  Value ceiling = getMaxTensor() ? x[next] : getMaxAttr() ? scalarConstant(b, type, getMaxAttr()) : Value();
  if (floor)
    result = maximum(b, result, floor, unsignedType);
  if (ceiling)
    result = minimum(b, result, ceiling, unsignedType);
  return result;
}

} // namespace clika
