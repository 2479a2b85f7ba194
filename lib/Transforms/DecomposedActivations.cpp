// decomposed_gelu and decomposed_silu.
#include "Dialect/ConstantData.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include "Transforms/Polynomials.h"
#include "Transforms/Terms.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

constexpr double kRootHalf = 0.70710678118654752;      // 1 / sqrt(2)
constexpr double kRootTwoOverPi = 0.79788456080286536; // sqrt(2 / pi)
constexpr double kCubic = 0.044715;

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// The operand of an op of type Op that is read once and has no activation, or null.
template <class Op>
Value operandOf(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && isReadOnce(value) ? op->getOperand(0) : Value();
}

/// Whether a literal stands for `number`, which every dtype holds: within some roundings of it in float32.
bool isAbout(double literal, double number) { return areWithin(literal, number, 1e-6 * std::abs(number)); }

/// Whether a polynomial is that of x times about `number`.
bool isMultiple(const std::optional<Polynomial> &p, double number) {
  return p && (*p)[0] == 0.0 && isAbout((*p)[1], number) && (*p)[2] == 0.0 && (*p)[3] == 0.0;
}

/// Whether erf (tanh) of the argument p(x), or of -p(x) for a sign of -1, is that of Gelu.
bool isGate(Operation *function, Polynomial p, double sign, Type element) {
  if (p[0] != 0.0 || p[2] != 0.0)
    return false;
  if (isa<ErfOp>(function))
    return p[3] == 0.0 && isNear(sign * p[1], kRootHalf, element);
  return isNear(sign * p[1], kRootTwoOverPi, element) && isNear(sign * p[3], kRootTwoOverPi * kCubic, element);
}

/// x / 2 + x / 2 * erf(x / sqrt(2)), or the tanh form, however it is written.
struct GeluRule : RewritePattern {
  GeluRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(op))
      return rewriter.notifyMatchFailure(op, "it has an activation");
    Value result = op->getResult(0),
          function = leafOf(result, [](Value value) {
            return isa_and_nonnull<ErfOp, TanhOp>(value.getDefiningOp()) && isReadOnce(value);
          });
    if (!function)
      return rewriter.notifyMatchFailure(op, "no part of it is erf or tanh, read here alone");
    Operation *gate = function.getDefiningOp();
    Value argument = gate->getOperand(0), x = leafOf(argument, [](Value) { return true; });
    std::optional<Gated> gated = x ? gatedOf(result, x, function) : std::nullopt;
    double sign = gated && gated->times[1] < 0.0 ? -1.0 : 1.0;
    if (!gated || !isMultiple(gated->plain, 0.5) || !isMultiple(gated->times, sign * 0.5))
      return rewriter.notifyMatchFailure(op, "not half of x + x * erf or x + x * tanh of x, whose parts are read here "
                                             "alone");
    std::optional<Polynomial> inner = polynomialOf(argument, x);
    if (!inner || !isGate(gate, *inner, sign, elementOf(x)))
      return rewriter.notifyMatchFailure(
          op, isa<ErfOp>(gate) ? "what erf takes is not x / sqrt(2) of the other factor x"
                               : "what tanh takes is not sqrt(2 / pi) * (x + 0.044715 * x^3) of the other factor x");
    if (x.getType() != result.getType())
      return rewriter.notifyMatchFailure(op, "a literal broadcasts x");
    rewriter.replaceOpWithNewOp<GeluOp>(op, result.getType(), x, isa<ErfOp>(gate) ? "Erf" : "Tanh");
    return success();
  }
};

/// Whether `value` is -x, of which nothing else is made: a Neg, x times -1, 0 - x.
bool isNegated(Value value, Value x) {
  return isReadOnce(value) && value.getType() == x.getType() && isMultiple(polynomialOf(value, x), -1.0);
}

/// Whether `value` is 1 + exp(-x), and read once.
bool isOnePlusExp(Value value, Value x) {
  std::optional<Shifted> one = isReadOnce(value) ? shiftedOf(value) : std::nullopt;
  Value exponent = one && isAbout(one->number, 1.0) ? operandOf<ExpOp>(one->value) : Value();
  return exponent && isNegated(exponent, x);
}

/// Whether `value` is sigmoid(x), or 1 / (1 + exp(-x)), and read once.
bool isSigmoidOf(Value value, Value x) {
  if (operandOf<SigmoidOp>(value) == x)
    return true;
  if (Value sum = operandOf<ReciprocalOp>(value))
    return isOnePlusExp(sum, x);
  auto div = value.getDefiningOp<DivOp>();
  return div && isReadOnce(value) && hasNoActivation(div) && isAbout(splatOf(div.getA()).value_or(0.0), 1.0) &&
         isOnePlusExp(div.getB(), x);
}

/// x * sigmoid(x) in either order.
struct SiluRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "it has an activation");
    for (auto [x, gate] : {std::pair(mul.getA(), mul.getB()), std::pair(mul.getB(), mul.getA())}) {
      if (x.getType() != mul.getType() || !isSigmoidOf(gate, x))
        continue;
      rewriter.replaceOpWithNewOp<SiluOp>(mul, mul.getType(), x);
      return success();
    }
    return rewriter.notifyMatchFailure(mul, "neither factor is the sigmoid of the other, read here alone");
  }
};

/// x / (1 + exp(-x)).
struct SiluQuotientRule : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp div, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(div))
      return rewriter.notifyMatchFailure(div, "it has an activation");
    if (div.getA().getType() != div.getType() || !isOnePlusExp(div.getB(), div.getA()))
      return rewriter.notifyMatchFailure(div, "the divisor is not 1 + exp(-x) of the dividend x, read here alone");
    rewriter.replaceOpWithNewOp<SiluOp>(div, div.getType(), div.getA());
    return success();
  }
};

} // namespace

LogicalResult runDecomposedGelu(TransformContext &context) {
  return applyOnce(context, addRooted<GeluRule, MulOp, DivOp, AddOp, SubOp>);
}

LogicalResult runDecomposedSilu(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<SiluRule, SiluQuotientRule>(p.getContext()); });
}

} // namespace clika
