#include "Dialect/PointwiseFormulas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {
namespace {

constexpr double kLeakyReluSlope = 0.01;
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluGamma = 1.0507009873554804934193349852946;

Value less(ImplicitLocOpBuilder &b, Value x, double bound) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, numberOf(b, x.getType(), bound));
}

Value negativeMagnitude(ImplicitLocOpBuilder &b, Value x) {
  return arith::NegFOp::create(b, math::AbsFOp::create(b, x));
}

Value times(ImplicitLocOpBuilder &b, Value x, double factor) {
  return arith::MulFOp::create(b, x, numberOf(b, x.getType(), factor));
}

Value plus(ImplicitLocOpBuilder &b, Value x, double term) {
  return arith::AddFOp::create(b, x, numberOf(b, x.getType(), term));
}

} // namespace

Value numberOf(ImplicitLocOpBuilder &b, Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value maximum(ImplicitLocOpBuilder &b, Value x, Value y, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return arith::MaximumFOp::create(b, x, y);
  if (isUnsigned)
    return arith::MaxUIOp::create(b, x, y);
  return arith::MaxSIOp::create(b, x, y);
}

Value minimum(ImplicitLocOpBuilder &b, Value x, Value y, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return arith::MinimumFOp::create(b, x, y);
  if (isUnsigned)
    return arith::MinUIOp::create(b, x, y);
  return arith::MinSIOp::create(b, x, y);
}

Value buildRelu(ImplicitLocOpBuilder &b, Value x, bool isUnsigned) {
  return maximum(b, x, numberOf(b, x.getType(), 0.0), isUnsigned);
}

Value buildLeakyRelu(ImplicitLocOpBuilder &b, Value x, Value slope) {
  return arith::SelectOp::create(b, less(b, x, 0.0), arith::MulFOp::create(b, x, slope), x);
}

Value buildElu(ImplicitLocOpBuilder &b, Value x, double alpha) {
  Value zero = numberOf(b, x.getType(), 0.0);
  Value curve = times(b, math::ExpM1Op::create(b, arith::MinimumFOp::create(b, x, zero)), alpha);
  return arith::SelectOp::create(b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, zero), x, curve);
}

Value buildSelu(ImplicitLocOpBuilder &b, Value x, double alpha, double gamma) {
  return times(b, buildElu(b, x, alpha), gamma);
}

Value buildGelu(ImplicitLocOpBuilder &b, Value x, bool withTanh) {
  Value curve;
  if (withTanh) {
    Value cube = arith::MulFOp::create(b, arith::MulFOp::create(b, x, x), x);
    Value inner = arith::AddFOp::create(b, x, times(b, cube, 0.044715));
    curve = math::TanhOp::create(b, times(b, inner, 0.79788456080286535587989211986876));
  } else {
    curve = math::ErfOp::create(b, times(b, x, 0.70710678118654752440084436210485));
  }
  return arith::MulFOp::create(b, times(b, x, 0.5), plus(b, curve, 1.0));
}

// With e = exp(-|x|): 1 / (1 + e) or e / (1 + e), so that nothing overflows and small results keep their digits.
Value buildSigmoid(ImplicitLocOpBuilder &b, Value x) {
  Value e = math::ExpOp::create(b, negativeMagnitude(b, x));
  Value one = numberOf(b, x.getType(), 1.0);
  Value numerator = arith::SelectOp::create(b, less(b, x, 0.0), e, one);
  return arith::DivFOp::create(b, numerator, arith::AddFOp::create(b, e, one));
}

Value buildSilu(ImplicitLocOpBuilder &b, Value x) { return arith::MulFOp::create(b, x, buildSigmoid(b, x)); }

Value buildHardSigmoid(ImplicitLocOpBuilder &b, Value x, double alpha, double beta) {
  Value line = plus(b, times(b, x, alpha), beta);
  return minimum(b, buildRelu(b, line, false), numberOf(b, x.getType(), 1.0), false);
}

Value buildHardSwish(ImplicitLocOpBuilder &b, Value x) {
  return arith::MulFOp::create(b, x, buildHardSigmoid(b, x, 1.0 / 6.0, 0.5));
}

// log(1 + e^y) = maximum(y, 0) + log1p(e^-|y|) with y = beta x.
Value buildSoftplus(ImplicitLocOpBuilder &b, Value x, double beta, double threshold) {
  Value y = beta == 1.0 ? x : times(b, x, beta);
  Value tail = math::Log1pOp::create(b, math::ExpOp::create(b, negativeMagnitude(b, y)));
  Value result = arith::AddFOp::create(b, buildRelu(b, y, false), tail);
  if (beta != 1.0)
    result = arith::DivFOp::create(b, result, numberOf(b, x.getType(), beta));
  Value linear = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, y, numberOf(b, x.getType(), threshold));
  return arith::SelectOp::create(b, linear, x, result);
}

// tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2); it is 1 to the last digit well before e^x overflows.
Value buildMish(ImplicitLocOpBuilder &b, Value x) {
  Value e = math::ExpOp::create(b, minimum(b, x, numberOf(b, x.getType(), 40.0), false));
  Value n = arith::MulFOp::create(b, e, plus(b, e, 2.0));
  return arith::MulFOp::create(b, x, arith::DivFOp::create(b, n, plus(b, n, 2.0)));
}

bool activationTakes(StringRef activation, Type element) {
  return isa<FloatType>(element) || activation == "Identity" ||
         (!element.isInteger(1) && (activation == "Relu" || activation == "Relu6"));
}

Value buildActivation(ImplicitLocOpBuilder &b, StringRef activation, Value x, Type element) {
  bool isUnsigned = element.isUnsignedInteger();
  auto relu6 = [&] { return minimum(b, buildRelu(b, x, isUnsigned), numberOf(b, x.getType(), 6.0), isUnsigned); };
  return llvm::StringSwitch<llvm::function_ref<Value()>>(activation)
      .Case("Relu", [&] { return buildRelu(b, x, isUnsigned); })
      .Case("Relu6", relu6)
      .Case("LeakyRelu", [&] { return buildLeakyRelu(b, x, numberOf(b, x.getType(), kLeakyReluSlope)); })
      .Case("Gelu", [&] { return buildGelu(b, x, false); })
      .Case("GeluTanh", [&] { return buildGelu(b, x, true); })
      .Case("Silu", [&] { return buildSilu(b, x); })
      .Case("Sigmoid", [&] { return buildSigmoid(b, x); })
      .Case("Tanh", [&]() -> Value { return math::TanhOp::create(b, x); })
      .Case("HardSigmoid", [&] { return buildHardSigmoid(b, x, 1.0 / 6.0, 0.5); })
      .Case("HardSwish", [&] { return buildHardSwish(b, x); })
      .Case("Softplus", [&] { return buildSoftplus(b, x, 1.0, 20.0); })
      .Case("Mish", [&] { return buildMish(b, x); })
      .Case("Elu", [&] { return buildElu(b, x, 1.0); })
      .Case("Selu", [&] { return buildSelu(b, x, kSeluAlpha, kSeluGamma); })
      .Default([&] { return x; })();
}

} // namespace clika
