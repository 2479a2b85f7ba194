// decomposed_gelu and decomposed_silu.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
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

bool isPower(Value value, Value x, double exponent) {
  auto pow = value.getDefiningOp<PowOp>();
  if (!pow || pow->getOperand(0) != x)
    return false;
  Product product = productOf(pow->getOperand(1));
  return product.factors.empty() && product.coefficient == exponent;
}

/// Whether the product is x to the power of `exponent`, times its coefficient.
bool isPower(Product product, Value x, int exponent) {
  if (product.factors.size() == 1 && isPower(product.factors.front(), x, exponent))
    return true;
  for (int i = 0; i < exponent; ++i)
    if (!product.take(x))
      return product.factors.size() == 1 && isPower(product.factors.front(), x, exponent - i);
  return product.factors.empty();
}

/// Whether `value` is sqrt(2 / pi) * (x + 0.044715 x^3), as a sum or with x factored out.
bool isTanhArgument(Value value, Value x) {
  Product product = productOf(value);
  if (!isNear(product.coefficient, kRootTwoOverPi, elementOf(x)))
    return false;
  bool factored = product.take(x);
  if (product.factors.size() != 1)
    return false;
  Value sum = product.factors.front();
  if (factored) {
    std::optional<Shifted> one = shiftedOf(sum);
    if (!one || one->number != 1.0)
      return false;
    Product square = productOf(one->value);
    return isNear(square.coefficient, kCubic, elementOf(x)) && isPower(square, x, 2);
  }
  auto add = sum.getDefiningOp<AddOp>();
  if (!add || add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
    return false;
  Value cubic = add.getA() == x ? add.getB() : add.getB() == x ? add.getA() : Value();
  if (!cubic)
    return false;
  Product cube = productOf(cubic);
  return isNear(cube.coefficient, kCubic, elementOf(x)) && isPower(cube, x, 3);
}

bool isErfArgument(Value value, Value x) {
  Product product = productOf(value);
  return isNear(product.coefficient, kRootHalf, elementOf(x)) && product.factors.size() == 1 &&
         product.factors.front() == x;
}

/// 0.5 * x * (1 + erf(x / sqrt(2))), or the tanh form, in any order.
struct GeluRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "it has an activation");
    Product product = productOf(mul.getResult());
    if (product.factors.size() != 2 || !isNear(product.coefficient, 0.5, elementOf(mul)))
      return rewriter.notifyMatchFailure(mul, "not half the product of two values");
    const char *why = "neither factor is 1 + erf or 1 + tanh, read here alone";
    for (int i : {0, 1})
      if (StringRef form = formOf(product.factors[i], product.factors[1 - i], why); !form.empty()) {
        if (product.factors[i].getType() != mul.getType())
          return rewriter.notifyMatchFailure(mul, "a literal broadcasts x");
        rewriter.replaceOpWithNewOp<GeluOp>(mul, mul.getType(), product.factors[i], form);
        return success();
      }
    return rewriter.notifyMatchFailure(mul, why);
  }

private:
  /// The form of Gelu that x * sum / 2 is; "" and why where it is none.
  static StringRef formOf(Value x, Value sum, const char *&why) {
    std::optional<Shifted> one = shiftedOf(sum);
    if (!one || one->number != 1.0 || !isReadOnce(sum))
      return "";
    Value erf = operandOf<ErfOp>(one->value), tanh = operandOf<TanhOp>(one->value);
    if (erf && isErfArgument(erf, x))
      return "Erf";
    if (tanh && isTanhArgument(tanh, x))
      return "Tanh";
    if (erf)
      why = "what erf takes is not the other factor / sqrt(2)";
    if (tanh)
      why = "what tanh takes is not sqrt(2 / pi) * (x + 0.044715 * x^3) of the other factor x";
    return "";
  }
};

/// Whether `value` is -x, of which nothing else is made: a Neg, or x times -1.
bool isNegated(Value value, Value x) {
  if (!isReadOnce(value))
    return false;
  if (auto neg = value.getDefiningOp<NegOp>())
    return neg.getX() == x;
  Product product = productOf(value);
  return product.coefficient == -1.0 && product.factors.size() == 1 && product.factors.front() == x;
}

/// Whether `value` is 1 + exp(-x), and read once.
bool isOnePlusExp(Value value, Value x) {
  std::optional<Shifted> one = isReadOnce(value) ? shiftedOf(value) : std::nullopt;
  Value exponent = one && one->number == 1.0 ? operandOf<ExpOp>(one->value) : Value();
  return exponent && isNegated(exponent, x);
}

/// Whether `value` is sigmoid(x), or 1 / (1 + exp(-x)), and read once.
bool isSigmoidOf(Value value, Value x) {
  if (operandOf<SigmoidOp>(value) == x)
    return true;
  if (Value sum = operandOf<ReciprocalOp>(value))
    return isOnePlusExp(sum, x);
  auto div = value.getDefiningOp<DivOp>();
  return div && isReadOnce(value) && hasNoActivation(div) && isConstant(div.getA(), 1.0) && isOnePlusExp(div.getB(), x);
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
  return applyOnce(context, [](RewritePatternSet &p) { p.add<GeluRule>(p.getContext()); });
}

LogicalResult runDecomposedSilu(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<SiluRule, SiluQuotientRule>(p.getContext()); });
}

} // namespace clika
