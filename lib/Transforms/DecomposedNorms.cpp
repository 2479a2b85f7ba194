// decomposed_softmax, decomposed_layer_norm and decomposed_rms_norm.
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/ReduceOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Precision.h"
#include "Transforms/Terms.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// A reduction of one dimension, which stays as one of size 1.
struct Reduced {
  Operation *op = nullptr;
  Value x;
  int64_t axis = 0;
};

/// The dimension stays by keepdims, or an unsqueeze of the result, that alone reads it, brings it back.
template <class Reduce>
std::optional<Reduced> reducedOf(Value value) {
  auto unsqueeze = value.getDefiningOp<UnsqueezeOp>();
  Value result = unsqueeze ? unsqueeze.getX() : value;
  auto reduce = result.getDefiningOp<Reduce>();
  if (!reduce || reduce.getKeepdims() == bool(unsqueeze) || (unsqueeze && !isReadOnce(result)))
    return std::nullopt;
  int64_t rank = rankOf(reduce.getX());
  llvm::SmallVector<int64_t> axes = fromStart(reduce.getAxes(), rank);
  if (axes.empty() && rank == 1)
    axes.push_back(0);
  if (axes.size() != 1 || (unsqueeze && fromStart(unsqueeze.getAxes(), rank) != axes))
    return std::nullopt;
  return Reduced{reduce, reduce.getX(), axes.front()};
}

/// The mean, or the sum over a known number of elements, divided by it.
std::optional<Reduced> meanOf(Value value) {
  if (std::optional<Reduced> mean = reducedOf<ReduceMeanOp>(value))
    return mean;
  Product product = productOf(value);
  bool scaled = product.factors.size() == 1 && product.factors[0] != value && isReadOnce(product.factors[0]) &&
                product.factors[0].getType() == value.getType();
  std::optional<Reduced> sum = scaled ? reducedOf<ReduceSumOp>(product.factors[0]) : std::nullopt;
  int64_t count = sum ? typeOf(sum->x).getDimSize(sum->axis) : ShapedType::kDynamic;
  bool divides = !ShapedType::isDynamic(count) && std::abs(product.coefficient * count - 1.0) < 1e-6;
  return divides ? sum : std::nullopt;
}

/// a - b as it is: alpha 1, no activation.
SubOp plainSub(Value value) {
  auto sub = value.getDefiningOp<SubOp>();
  return sub && sub.getAlpha().convertToDouble() == 1.0 && hasNoActivation(sub) ? sub : SubOp();
}

/// Whether every reader of `value` is one of `readers`.
bool readOnlyBy(Value value, llvm::ArrayRef<Operation *> readers) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) { return llvm::is_contained(readers, user); });
}

/// y where `value` is 1 / y.
Value underOne(Value value) {
  if (auto inverse = value.getDefiningOp<ReciprocalOp>())
    return inverse.getX();
  auto div = value.getDefiningOp<DivOp>();
  return div && isConstant(div.getA(), 1.0) && hasNoActivation(div) ? div.getB() : Value();
}

/// exp(x - max) / sum(exp(x - max)) over one dimension, or times the reciprocal of the sum.
struct SoftmaxRule : RewritePattern {
  SoftmaxRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    const char *why = "not an exponential over its own sum along one dimension";
    Value a = op->getOperand(0), b = op->getOperand(1);
    bool inverse = isa<MulOp>(op);
    SubOp sub = hasNoActivation(op) ? shifted(a, b, inverse, op, why) : SubOp();
    if (!sub && inverse && hasNoActivation(op))
      sub = shifted(b, a, inverse, op, why);
    if (!sub)
      return rewriter.notifyMatchFailure(op, why);
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, op->getResult(0).getType(), sub.getA(),
                                           reducedOf<ReduceMaxOp>(sub.getB())->axis);
    return success();
  }

private:
  /// x - max, of which the exponential's share in its sum `root` is; null, and why.
  static SubOp shifted(Value whole, Value total, bool inverse, Operation *root, const char *&why) {
    Value divisor = inverse ? underOne(total) : total;
    auto exp = whole.getDefiningOp<ExpOp>();
    std::optional<Reduced> sum = exp && divisor ? reducedOf<ReduceSumOp>(divisor) : std::nullopt;
    if (!sum || sum->x != whole)
      return SubOp();
    SubOp sub = plainSub(exp.getX());
    std::optional<Reduced> most = sub ? reducedOf<ReduceMaxOp>(sub.getB()) : std::nullopt;
    if (!most || most->x != sub.getA() || most->axis != sum->axis)
      why = "the maximum along that dimension is not subtracted";
    else if (!isReadOnce(sub->getResult(0)) || !isReadOnce(total) || !isReadOnce(divisor) ||
             !readOnlyBy(whole, {root, sum->op}))
      why = "a value inside has another reader";
    else
      return sub;
    return SubOp();
  }
};

/// d * d or d to the power of 2.
Value squareRoot(Value value) {
  if (auto mul = value.getDefiningOp<MulOp>())
    return mul.getA() == mul.getB() && hasNoActivation(mul) ? mul.getA() : Value();
  auto pow = value.getDefiningOp<PowOp>();
  return pow && isConstant(pow->getOperand(1), 2.0) ? pow->getOperand(0) : Value();
}

/// The value whose square root's reciprocal, or square root, `value` is. Clears `own` where a value on the way has
/// another reader.
Value underRoot(Value value, bool reciprocal, bool &own) {
  own &= isReadOnce(value);
  if (auto pow = value.getDefiningOp<PowOp>())
    return isConstant(pow->getOperand(1), reciprocal ? -0.5 : 0.5) ? pow->getOperand(0) : Value();
  if (!reciprocal) {
    auto root = value.getDefiningOp<SqrtOp>();
    return root ? root.getX() : Value();
  }
  if (auto root = value.getDefiningOp<RsqrtOp>())
    return root.getX();
  Value root = underOne(value);
  return root ? underRoot(root, false, own) : Value();
}

/// The root of the mean of squares plus epsilon, or its reciprocal.
struct Deviation {
  Value squared;
  Operation *square = nullptr;
  double epsilon = 0.0;
  bool own = true;
};

/// Read from the root, which is of the last dimension; none for another value, or a mean of another dimension.
std::optional<Deviation> deviationOf(Value root, bool reciprocal, const char *&why) {
  Deviation result;
  Value sum = underRoot(root, reciprocal, result.own);
  std::optional<Shifted> shifted = sum ? shiftedOf(sum) : std::nullopt;
  std::optional<Reduced> mean = shifted ? meanOf(shifted->value) : std::nullopt;
  result.squared = mean ? squareRoot(mean->x) : Value();
  if (!result.squared)
    return std::nullopt;
  result.square = mean->x.getDefiningOp();
  result.epsilon = shifted->number;
  result.own &= isReadOnce(sum) && isReadOnce(shifted->value) && isReadOnce(mean->x);
  if (mean->axis != rankOf(result.squared) - 1)
    why = "the means are not those of the last dimension";
  else if (!(result.epsilon >= 0.0 && std::isfinite(result.epsilon)))
    why = "epsilon is negative or not finite";
  else
    return result;
  return std::nullopt;
}

/// What a product or quotient makes of a value and a root; `scale` is one number for each normalized element, or null.
struct Candidate {
  Value value, root, scale;
  bool reciprocal = false;
};

bool isPerElement(Value scale, Value x) {
  return rankOf(scale) == 1 && !typeOf(scale).isDynamicDim(0) && rankOf(x) > 0 &&
         typeOf(scale).getDimSize(0) == typeOf(x).getShape().back();
}

llvm::SmallVector<Candidate> candidatesOf(Operation *op) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (isa<DivOp>(op))
    return {{a, b, Value(), false}};
  llvm::SmallVector<Candidate> result;
  for (auto [value, factor] : {std::pair(a, b), std::pair(b, a)}) {
    result.push_back({value, factor, Value(), true});
    auto mul = factor.getDefiningOp<MulOp>();
    if (!mul || !isReadOnce(factor) || !hasNoActivation(mul))
      continue;
    for (auto [root, scale] : {std::pair(mul.getA(), mul.getB()), std::pair(mul.getB(), mul.getA())})
      if (isPerElement(scale, value))
        result.push_back({value, root, scale, true});
  }
  return result;
}

constexpr const char *kRoundsMean = "half precision rounds the mean, so that the numbers differ by more than the bound";
constexpr const char *kOtherReader = "a value inside has another reader";
constexpr const char *kBroadcasts = "a literal broadcasts x";

/// What x - mean(x), whose deviation that is, is the difference of; null, and why.
SubOp centeredOf(const Deviation &deviation, const char *&why) {
  SubOp sub = plainSub(deviation.squared);
  std::optional<Reduced> mean = sub ? meanOf(sub.getB()) : std::nullopt;
  if (mean && mean->x == sub.getA() && mean->axis == rankOf(mean->x) - 1)
    return sub;
  why = "the means are not those of x and of the squares along the last dimension";
  return SubOp();
}

template <Precision precision>
struct LayerNormRule : RewritePattern {
  LayerNormRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(op))
      return rewriter.notifyMatchFailure(op, "it has an activation");
    const char *why = "not x less its mean, over its deviation";
    for (const Candidate &candidate : candidatesOf(op)) {
      std::optional<Deviation> deviation =
          plainSub(candidate.value) ? deviationOf(candidate.root, candidate.reciprocal, why) : std::nullopt;
      if (!deviation || deviation->squared != candidate.value)
        continue;
      SubOp sub = centeredOf(*deviation, why);
      if (!sub || !fits(*deviation, sub, op, why))
        continue;
      rewriter.replaceOpWithNewOp<LayerNormOp>(op, op->getResult(0).getType(), sub.getA(), candidate.scale, Value(),
                                               int64_t(-1), llvm::APFloat(deviation->epsilon));
      return success();
    }
    return rewriter.notifyMatchFailure(op, why);
  }

private:
  static bool fits(const Deviation &deviation, SubOp sub, Operation *root, const char *&why) {
    if (!deviation.own || !isReadOnce(sub.getB()) || !readOnlyBy(deviation.squared, {root, deviation.square}))
      why = kOtherReader;
    else if (!isOf(precision, sub.getA()))
      why = refusal(precision, kRoundsMean);
    else if (sub.getA().getType() != root->getResult(0).getType())
      why = kBroadcasts;
    else
      return true;
    return false;
  }
};

/// Whether `value` is a constant without NaN and infinities.
bool isFinite(Value value) {
  std::optional<std::vector<double>> numbers = readNumbers(value);
  return numbers && llvm::all_of(*numbers, [](double number) { return std::isfinite(number); });
}

/// x * g + (bias - mean * g), where g is a scale over the deviation. (Both products of an infinite scale are infinite.)
template <Precision precision>
struct ShiftedLayerNormRule : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    if (add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
      return rewriter.notifyMatchFailure(add, "it has an alpha or an activation");
    const char *why = "not x * g + (bias - mean * g), where g is a finite constant over the deviation";
    for (auto [product, rest] : {std::pair(add.getA(), add.getB()), std::pair(add.getB(), add.getA())})
      if (succeeded(rewrite(add, product, rest, rewriter, why)))
        return success();
    return rewriter.notifyMatchFailure(add, why);
  }

private:
  static MulOp ownProduct(Value value) {
    auto mul = value.getDefiningOp<MulOp>();
    return mul && isReadOnce(value) && hasNoActivation(mul) ? mul : MulOp();
  }

  static LogicalResult rewrite(AddOp add, Value product, Value rest, PatternRewriter &rewriter, const char *&why) {
    MulOp first = ownProduct(product);
    SubOp difference = isReadOnce(rest) ? plainSub(rest) : SubOp();
    MulOp second = difference ? ownProduct(difference.getB()) : MulOp();
    if (!first || !second)
      return failure();
    for (auto [x, g] : {std::pair(first.getA(), first.getB()), std::pair(first.getB(), first.getA())})
      for (auto [mean, same] : {std::pair(second.getA(), second.getB()), std::pair(second.getB(), second.getA())}) {
        auto scaled = g == same ? g.getDefiningOp<MulOp>() : MulOp();
        if (!scaled || !hasNoActivation(scaled) || !readOnlyBy(g, {first, second}))
          continue;
        for (auto [root, scale] : {std::pair(scaled.getA(), scaled.getB()), std::pair(scaled.getB(), scaled.getA())}) {
          std::optional<Deviation> deviation =
              isPerElement(scale, x) && isFinite(scale) ? deviationOf(root, true, why) : std::nullopt;
          SubOp sub = deviation ? centeredOf(*deviation, why) : SubOp();
          if (!sub || sub.getA() != x || sub.getB() != mean || !isPerElement(difference.getA(), x) ||
              !fits(*deviation, sub, second, add, why))
            continue;
          rewriter.replaceOpWithNewOp<LayerNormOp>(add, add.getType(), x, scale, difference.getA(), int64_t(-1),
                                                   llvm::APFloat(deviation->epsilon));
          return success();
        }
      }
    return failure();
  }

  static bool fits(const Deviation &deviation, SubOp sub, MulOp shift, AddOp root, const char *&why) {
    if (!deviation.own || !readOnlyBy(deviation.squared, {deviation.square}) || !readOnlyBy(sub.getB(), {sub, shift}))
      why = kOtherReader;
    else if (!isOf(precision, sub.getA()))
      why = refusal(precision, kRoundsMean);
    else if (sub.getA().getType() != root.getType())
      why = kBroadcasts;
    else
      return true;
    return false;
  }
};

/// The other operand of a product or sum with `norm`, where it has exactly the normalized dimension's size.
Value perElement(Operation *op, Value norm) {
  Value other = op->getOperand(0) == norm ? op->getOperand(1) : op->getOperand(0);
  return other != norm && isPerElement(other, norm) ? other : Value();
}

template <class Norm>
Norm ownNorm(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto norm = operand.getDefiningOp<Norm>();
        norm && isReadOnce(norm->getResult(0)) && static_cast<int64_t>(norm.getAxis()) == -1)
      return norm;
  return Norm();
}

/// layer_norm(x) * scale, where it has neither scale nor bias yet. The rounding that goes in half precision is within
/// the bound, so that of Full takes every dtype.
template <Precision precision>
struct LayerNormScaleRule : OpRewritePattern<MulOp> {
  using OpRewritePattern<MulOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    if (precision == Precision::Half && !isOf(precision, mul.getResult()))
      return rewriter.notifyMatchFailure(mul, refusal(precision, ""));
    LayerNormOp norm = ownNorm<LayerNormOp>(mul);
    if (!norm || norm.getScale() || norm.getBias() || !hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "not a product with a layer_norm of its own without scale and bias");
    Value scale = perElement(mul, norm.getResult());
    if (!scale || mul.getType() != norm.getType())
      return rewriter.notifyMatchFailure(mul, "the other factor is not one number per normalized element");
    rewriter.replaceOpWithNewOp<LayerNormOp>(mul, mul.getType(), norm.getX(), scale, Value(), norm.getAxis(),
                                             norm.getEpsilon());
    return success();
  }
};

/// layer_norm(x) + bias, where it has no bias yet.
template <Precision precision>
struct LayerNormBiasRule : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    LayerNormOp norm = ownNorm<LayerNormOp>(add);
    if (!norm || norm.getBias() || add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
      return rewriter.notifyMatchFailure(add, "not a sum with a layer_norm of its own without bias");
    Value bias = perElement(add, norm.getResult());
    if (!bias || add.getType() != norm.getType())
      return rewriter.notifyMatchFailure(add, "the other term is not one number per normalized element");
    if (!isOf(precision, add.getResult()))
      return rewriter.notifyMatchFailure(add, refusal(precision, "half precision rounds what the bias is added to"));
    rewriter.replaceOpWithNewOp<LayerNormOp>(add, add.getType(), norm.getX(), norm.getScale(), bias, norm.getAxis(),
                                             norm.getEpsilon());
    return success();
  }
};

/// x over the root of its mean square, found from its root.
template <Precision precision>
struct RmsNormRule : RewritePattern {
  RmsNormRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(op))
      return rewriter.notifyMatchFailure(op, "it has an activation");
    const char *why = "not x over the root of its mean square along the last dimension";
    for (const Candidate &candidate : candidatesOf(op)) {
      std::optional<Deviation> deviation = deviationOf(candidate.root, candidate.reciprocal, why);
      if (!deviation || deviation->squared != candidate.value)
        continue;
      if (!deviation->own)
        why = kOtherReader;
      else if (!isOf(precision, candidate.value))
        why = refusal(precision, kRoundsMean);
      else if (candidate.value.getType() != op->getResult(0).getType())
        why = kBroadcasts;
      else {
        rewriter.replaceOpWithNewOp<RmsNormOp>(op, candidate.value.getType(), candidate.value, candidate.scale,
                                               uint64_t(-1), llvm::APFloat(deviation->epsilon));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, why);
  }
};

/// rms_norm(x) * scale, where it has no scale yet. In half precision a norm is no larger than the root of its elements'
/// number, and the rounding that goes is one of four that the bound has.
template <Precision precision>
struct RmsNormScaleRule : OpRewritePattern<MulOp> {
  using OpRewritePattern<MulOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    if (precision == Precision::Half && !isOf(precision, mul.getResult()))
      return rewriter.notifyMatchFailure(mul, refusal(precision, ""));
    RmsNormOp norm = ownNorm<RmsNormOp>(mul);
    if (!norm || norm.getScale() || !hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "not a product with an rms_norm of its own without scale");
    Value scale = perElement(mul, norm.getResult());
    if (!scale || mul.getType() != norm.getType())
      return rewriter.notifyMatchFailure(mul, "the other factor is not one number per normalized element");
    rewriter.replaceOpWithNewOp<RmsNormOp>(mul, mul.getType(), norm.getX(), scale, norm.getAxis(), norm.getEpsilon());
    return success();
  }
};

template <Precision precision>
void addLayerNorm(RewritePatternSet &p) {
  addRooted<LayerNormRule<precision>, MulOp, DivOp>(p);
  p.add<ShiftedLayerNormRule<precision>, LayerNormBiasRule<precision>>(p.getContext());
}

} // namespace

LogicalResult runDecomposedSoftmax(TransformContext &context) {
  return applyOnce(context, addRooted<SoftmaxRule, MulOp, DivOp>);
}

LogicalResult runDecomposedLayerNorm(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    addLayerNorm<Precision::Full>(p);
    p.add<LayerNormScaleRule<Precision::Full>>(p.getContext());
  });
}

LogicalResult runDecomposedRmsNorm(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    addRooted<RmsNormRule<Precision::Full>, MulOp, DivOp>(p);
    p.add<RmsNormScaleRule<Precision::Full>>(p.getContext());
  });
}

void populateHalfNorms(RewritePatternSet &p) {
  addLayerNorm<Precision::Half>(p);
  addRooted<RmsNormRule<Precision::Half>, MulOp, DivOp>(p);
  p.add<LayerNormScaleRule<Precision::Half>, RmsNormScaleRule<Precision::Half>>(p.getContext());
}

} // namespace clika
