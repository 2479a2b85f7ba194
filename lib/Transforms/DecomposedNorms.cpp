// decomposed_softmax, decomposed_layer_norm and decomposed_rms_norm.
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/ReduceOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Terms.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// The one dimension that a reduction over `x` with keepdims reduces, counted from the start; none for another value.
template <class Reduce>
std::optional<int64_t> axisOf(Value value, Value x) {
  auto reduce = value.getDefiningOp<Reduce>();
  if (!reduce || reduce.getX() != x || !reduce.getKeepdims())
    return std::nullopt;
  llvm::ArrayRef<int64_t> axes = reduce.getAxes();
  if (axes.empty() && rankOf(x) == 1)
    return 0;
  if (axes.size() != 1)
    return std::nullopt;
  return axes.front() < 0 ? axes.front() + rankOf(x) : axes.front();
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

/// exp(x - max) / sum(exp(x - max)) over one dimension.
struct SoftmaxRule : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp div, PatternRewriter &rewriter) const override {
    auto exp = div.getA().getDefiningOp<ExpOp>();
    std::optional<int64_t> axis = exp ? axisOf<ReduceSumOp>(div.getB(), exp.getResult()) : std::nullopt;
    if (!axis || !hasNoActivation(div))
      return rewriter.notifyMatchFailure(div, "not an exponential over its own sum along one dimension");
    SubOp sub = plainSub(exp.getX());
    if (!sub || axisOf<ReduceMaxOp>(sub.getB(), sub.getA()) != axis)
      return rewriter.notifyMatchFailure(div, "the maximum along that dimension is not subtracted");
    if (!isReadOnce(sub->getResult(0)) || !isReadOnce(div.getB()) ||
        !readOnlyBy(exp.getResult(), {div, div.getB().getDefiningOp()}))
      return rewriter.notifyMatchFailure(div, "a value inside has another reader");
    rewriter.replaceOpWithNewOp<SoftmaxOp>(div, div.getType(), sub.getA(), *axis);
    return success();
  }
};

/// A normalized value, (x - mean) / sqrt(variance + epsilon), found from its root.
struct Normalized {
  Value x;
  double epsilon = 0.0;
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
  if (!reciprocal) {
    auto root = value.getDefiningOp<SqrtOp>();
    return root ? root.getX() : Value();
  }
  if (auto root = value.getDefiningOp<RsqrtOp>())
    return root.getX();
  if (auto inverse = value.getDefiningOp<ReciprocalOp>())
    return underRoot(inverse.getX(), false, own);
  auto div = value.getDefiningOp<DivOp>();
  return div && isConstant(div.getA(), 1.0) && hasNoActivation(div) ? underRoot(div.getB(), false, own) : Value();
}

/// `centered` over the deviation that `scale` is (or times its reciprocal), found from `root`; none, and why.
std::optional<Normalized> normalized(Value centered, Value scale, bool reciprocal, Operation *root, const char *&why) {
  SubOp sub = plainSub(centered);
  bool inside = true;
  Value sum = sub ? underRoot(scale, reciprocal, inside) : Value();
  std::optional<Shifted> shifted = sum ? shiftedOf(sum) : std::nullopt;
  auto variance = shifted ? shifted->value.getDefiningOp<ReduceMeanOp>() : ReduceMeanOp();
  if (!variance || squareRoot(variance.getX()) != centered)
    return std::nullopt;
  Value x = sub.getA();
  int64_t last = rankOf(x) - 1;
  bool along =
      axisOf<ReduceMeanOp>(sub.getB(), x) == last && axisOf<ReduceMeanOp>(shifted->value, variance.getX()) == last;
  inside &= isReadOnce(sub.getB()) && isReadOnce(sum) && isReadOnce(shifted->value) && isReadOnce(variance.getX()) &&
            readOnlyBy(centered, {root, variance.getX().getDefiningOp()});
  if (!along)
    why = "the means are not those of x and of the squares along the last dimension";
  else if (!inside)
    why = "a value inside has another reader";
  else if (!(shifted->number >= 0.0 && std::isfinite(shifted->number)))
    why = "epsilon is negative or not finite";
  // In half precision the mean is rounded before it is subtracted, which layer_norm does not.
  else if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(x)))
    why = "half precision rounds the mean, so that the numbers differ by more than the bound";
  else if (x.getType() != root->getResult(0).getType())
    why = "a literal broadcasts x";
  else
    return Normalized{x, shifted->number};
  return std::nullopt;
}

struct LayerNormRule : RewritePattern {
  LayerNormRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(op))
      return rewriter.notifyMatchFailure(op, "it has an activation");
    const char *why = "not x less its mean, over its deviation";
    Value a = op->getOperand(0), b = op->getOperand(1);
    std::optional<Normalized> found = normalized(a, b, isa<MulOp>(op), op, why);
    if (!found && isa<MulOp>(op))
      found = normalized(b, a, true, op, why);
    if (!found)
      return rewriter.notifyMatchFailure(op, why);
    rewriter.replaceOpWithNewOp<LayerNormOp>(op, op->getResult(0).getType(), found->x, Value(), Value(), int64_t(-1),
                                             llvm::APFloat(found->epsilon));
    return success();
  }
};

/// The other operand of a product or sum with `norm`, where it has exactly the normalized dimension's size.
Value perElement(Operation *op, LayerNormOp norm) {
  Value other = op->getOperand(0) == norm.getResult() ? op->getOperand(1) : op->getOperand(0);
  auto type = cast<RankedTensorType>(other.getType()), whole = cast<RankedTensorType>(norm.getType());
  bool fits = other != norm.getResult() && type.getRank() == 1 && !type.isDynamicDim(0) &&
              type.getDimSize(0) == whole.getDimSize(whole.getRank() - 1);
  return fits ? other : Value();
}

LayerNormOp ownNorm(Operation *op) {
  for (Value operand : op->getOperands())
    if (auto norm = operand.getDefiningOp<LayerNormOp>();
        norm && isReadOnce(norm->getResult(0)) && static_cast<int64_t>(norm.getAxis()) == -1)
      return norm;
  return LayerNormOp();
}

/// layer_norm(x) * scale, where it has neither scale nor bias yet.
struct LayerNormScaleRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    LayerNormOp norm = ownNorm(mul);
    if (!norm || norm.getScale() || norm.getBias() || !hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "not a product with a layer_norm of its own without scale and bias");
    Value scale = perElement(mul, norm);
    if (!scale || mul.getType() != norm.getType())
      return rewriter.notifyMatchFailure(mul, "the other factor is not one number per normalized element");
    rewriter.replaceOpWithNewOp<LayerNormOp>(mul, mul.getType(), norm.getX(), scale, Value(), norm.getAxis(),
                                             norm.getEpsilon());
    return success();
  }
};

/// layer_norm(x) + bias, where it has no bias yet.
struct LayerNormBiasRule : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    LayerNormOp norm = ownNorm(add);
    if (!norm || norm.getBias() || add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
      return rewriter.notifyMatchFailure(add, "not a sum with a layer_norm of its own without bias");
    Value bias = perElement(add, norm);
    if (!bias || add.getType() != norm.getType())
      return rewriter.notifyMatchFailure(add, "the other term is not one number per normalized element");
    rewriter.replaceOpWithNewOp<LayerNormOp>(add, add.getType(), norm.getX(), norm.getScale(), bias, norm.getAxis(),
                                             norm.getEpsilon());
    return success();
  }
};

/// x over the root of its mean square, found from its root.
struct RmsNormRule : RewritePattern {
  RmsNormRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!hasNoActivation(op))
      return rewriter.notifyMatchFailure(op, "it has an activation");
    const char *why = "not x over the root of its mean square along the last dimension";
    Value a = op->getOperand(0), b = op->getOperand(1);
    std::optional<double> epsilon = epsilonOf(a, b, isa<MulOp>(op), op, why);
    Value x = a;
    if (!epsilon && isa<MulOp>(op)) {
      epsilon = epsilonOf(b, a, true, op, why);
      x = b;
    }
    if (!epsilon)
      return rewriter.notifyMatchFailure(op, why);
    rewriter.replaceOpWithNewOp<RmsNormOp>(op, x.getType(), x, Value(), uint64_t(-1), llvm::APFloat(*epsilon));
    return success();
  }

private:
  /// What is added to the mean square of x under the root that `scale` is (or is the reciprocal of); none, and why.
  static std::optional<double> epsilonOf(Value x, Value scale, bool reciprocal, Operation *root, const char *&why) {
    bool inside = true;
    Value sum = underRoot(scale, reciprocal, inside);
    std::optional<Shifted> shifted = sum ? shiftedOf(sum) : std::nullopt;
    auto mean = shifted ? shifted->value.getDefiningOp<ReduceMeanOp>() : ReduceMeanOp();
    if (!mean || squareRoot(mean.getX()) != x || axisOf<ReduceMeanOp>(shifted->value, mean.getX()) != rankOf(x) - 1)
      return std::nullopt;
    inside &= isReadOnce(sum) && isReadOnce(shifted->value) && isReadOnce(mean.getX());
    if (!inside)
      why = "a value inside has another reader";
    else if (!(shifted->number >= 0.0 && std::isfinite(shifted->number)))
      why = "epsilon is negative or not finite";
    else if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(x)))
      why = "half precision rounds the mean, so that the numbers differ by more than the bound";
    else if (x.getType() != root->getResult(0).getType())
      why = "a literal broadcasts x";
    else
      return shifted->number;
    return std::nullopt;
  }
};

/// rms_norm(x) * scale, where it has no scale yet.
struct RmsNormScaleRule : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp mul, PatternRewriter &rewriter) const override {
    RmsNormOp norm;
    Value scale;
    for (auto [a, b] : {std::pair(mul.getA(), mul.getB()), std::pair(mul.getB(), mul.getA())})
      if (auto found = a.getDefiningOp<RmsNormOp>(); found && isReadOnce(found->getResult(0)) && !found.getScale()) {
        norm = found;
        scale = b;
      }
    if (!norm || static_cast<int64_t>(norm.getAxis()) != -1 || !hasNoActivation(mul))
      return rewriter.notifyMatchFailure(mul, "not a product with an rms_norm of its own without scale");
    int64_t last = typeOf(norm.getResult()).getShape().back();
    if (rankOf(scale) != 1 || ShapedType::isDynamic(last) || typeOf(scale).getDimSize(0) != last ||
        mul.getType() != norm.getType())
      return rewriter.notifyMatchFailure(mul, "the other factor is not one number per normalized element");
    if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(mul.getType())))
      return rewriter.notifyMatchFailure(mul, "half precision rounds what is scaled");
    rewriter.replaceOpWithNewOp<RmsNormOp>(mul, mul.getType(), norm.getX(), scale, norm.getAxis(), norm.getEpsilon());
    return success();
  }
};

} // namespace

LogicalResult runDecomposedSoftmax(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<SoftmaxRule>(p.getContext()); });
}

LogicalResult runDecomposedLayerNorm(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    addRooted<LayerNormRule, MulOp, DivOp>(p);
    p.add<LayerNormScaleRule, LayerNormBiasRule>(p.getContext());
  });
}

LogicalResult runDecomposedRmsNorm(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    addRooted<RmsNormRule, MulOp, DivOp>(p);
    p.add<RmsNormScaleRule>(p.getContext());
  });
}

} // namespace clika
