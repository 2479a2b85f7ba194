// decomposed_gelu and decomposed_silu.
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/NewNode.h"
#include "Transforms/Terms.h"
#include "Transforms/Transforms.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

constexpr double kRootHalf = 0.70710678118654752;      // 1 / sqrt(2)
constexpr double kRootTwoOverPi = 0.79788456080286536; // sqrt(2 / pi)
constexpr double kCubic = 0.044715;

/// The operand of a float op of type Op that is read once and has no activation, or null.
template <class Op>
Value operandOf(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && value.hasOneUse() ? op->getOperand(0) : Value();
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
  if (!isNear(product.coefficient, kRootTwoOverPi))
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
    return isNear(square.coefficient, kCubic) && isPower(square, x, 2);
  }
  auto add = sum.getDefiningOp<AddOp>();
  if (!add || add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
    return false;
  Value cubic = add.getA() == x ? add.getB() : add.getB() == x ? add.getA() : Value();
  if (!cubic)
    return false;
  Product cube = productOf(cubic);
  return isNear(cube.coefficient, kCubic) && isPower(cube, x, 3);
}

bool isErfArgument(Value value, Value x) {
  Product product = productOf(value);
  return isNear(product.coefficient, kRootHalf) && product.factors.size() == 1 && product.factors.front() == x;
}

/// 0.5 * x * (1 + erf(x / sqrt(2))), or the tanh form, in any order.
struct GeluRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "it has an activation");
    Product product = productOf(mul.getResult());
    if (product.factors.size() != 2 || !isNear(product.coefficient, 0.5))
      return rewriter.notifyMatchFailure(mul, "not half the product of two values");
    for (int i : {0, 1})
      if (succeeded(fuse(mul, product.factors[i], product.factors[1 - i], rewriter)))
        return success();
    return rewriter.notifyMatchFailure(mul, "neither factor is 1 + erf or 1 + tanh of the other");
  }

private:
  static LogicalResult fuse(MulOp mul, Value x, Value sum, PatternRewriter &rewriter) {
    std::optional<Shifted> one = shiftedOf(sum);
    if (!one || one->number != 1.0 || !sum.hasOneUse() || x.getType() != mul.getType())
      return failure();
    Value erf = operandOf<ErfOp>(one->value), tanh = operandOf<TanhOp>(one->value);
    if (!(erf && isErfArgument(erf, x)) && !(tanh && isTanhArgument(tanh, x)))
      return failure();
    rewriter.replaceOpWithNewOp<GeluOp>(mul, mul.getType(), x, erf ? "Erf" : "Tanh");
    return success();
  }
};

/// x * sigmoid(x) in either order.
struct SiluRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "it has an activation");
    for (auto [x, gate] : {std::pair(mul.getA(), mul.getB()), std::pair(mul.getB(), mul.getA())}) {
      if (operandOf<SigmoidOp>(gate) != x || x.getType() != mul.getType())
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
    std::optional<Shifted> one = shiftedOf(div.getB());
    Value exponent = one && one->number == 1.0 && div.getB().hasOneUse() ? operandOf<ExpOp>(one->value) : Value();
    if (!exponent || !hasNoActivation(div) || operandOf<NegOp>(exponent) != div.getA() ||
        div.getA().getType() != div.getType())
      return rewriter.notifyMatchFailure(div, "not x / (1 + exp(-x))");
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
