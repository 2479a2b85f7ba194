// merge_scales, matmul_scale, fold_scale_and_shift and drop_zero_bias.
#include "Dialect/CoreOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Precision.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// x times a number.
struct Scaled {
  Value x;
  double factor = 1.0;
};

/// A product or quotient with one finite number that is not 0, of the same shape as its other operand; none for another
/// value, or one with an activation.
std::optional<Scaled> scaledOf(Operation *op) {
  auto scaled = [&](Value x, Value number, bool divides) -> std::optional<Scaled> {
    std::optional<double> factor = splatOf(number);
    if (!factor || *factor == 0.0 || !std::isfinite(*factor) || x.getType() != op->getResult(0).getType())
      return std::nullopt;
    return Scaled{x, divides ? 1.0 / *factor : *factor};
  };
  if (!op || !isa<MulOp, DivOp>(op) || !isa<FloatType>(elementOf(op->getResult(0))))
    return std::nullopt;
  std::optional<Scaled> found = scaled(op->getOperand(0), op->getOperand(1), isa<DivOp>(op));
  return found || isa<DivOp>(op) ? found : scaled(op->getOperand(1), op->getOperand(0), false);
}

/// The same that only one operator reads.
std::optional<Scaled> ownScaled(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isReadOnce(op->getResult(0)) && hasNoActivation(op) ? scaledOf(op) : std::nullopt;
}

/// Whether the number, rounded to the dtype, is one with all its digits.
bool isNormal(double number, Type element) {
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  double size = std::abs(number);
  return size <= llvm::APFloat::getLargest(semantics).convertToDouble() &&
         size >= llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
}

Value makeNumber(RewriterBase &rewriter, Location location, Type element, double number) {
  return makeConstant(rewriter, location, RankedTensorType::get({}, element), {number});
}

struct MergeScalesRule : RewritePattern {
  MergeScalesRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    std::optional<Scaled> outer = scaledOf(op);
    std::optional<Scaled> inner = outer ? ownScaled(outer->x) : std::nullopt;
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not a product or quotient by a number of another that it alone reads");
    double a = std::abs(inner->factor), b = std::abs(outer->factor), factor = inner->factor * outer->factor;
    // Of a factor above 1 and one below, the first could overflow where both together do not.
    if (!(a >= 1.0 && b >= 1.0) && !(a <= 1.0 && b <= 1.0))
      return rewriter.notifyMatchFailure(op, "one number enlarges and the other reduces");
    if (!isNormal(factor, elementOf(op->getResult(0))))
      return rewriter.notifyMatchFailure(op, "the numbers' product is too large or too small for the dtype");
    auto activation = cast<StringAttr>(*op->getInherentAttr("activation")).getValue();
    Value number = makeNumber(rewriter, op->getLoc(), elementOf(op->getResult(0)), factor);
    rewriter.replaceOpWithNewOp<MulOp>(op, op->getResult(0).getType(), inner->x, number, activation);
    return success();
  }
};

/// Factors this side of overflow, whatever ordinary numbers they meet.
constexpr double kMostFactor = 1 << 20;
bool isModerate(double factor) { return std::abs(factor) <= kMostFactor && std::abs(factor) >= 1.0 / kMostFactor; }

struct MatmulScaleRule : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp matmul, PatternRewriter &rewriter) const override {
    std::optional<Scaled> a = ownScaled(matmul.getA()), b = ownScaled(matmul.getB());
    if (!a && !b)
      return rewriter.notifyMatchFailure(matmul,
                                         "neither operand is a product or quotient by a number that it alone reads");
    Type element = elementOf(matmul.getResult());
    if (!isa<Float32Type, Float64Type>(element))
      return rewriter.notifyMatchFailure(matmul, "half precision rounds the scaled operand");
    double factor = (a ? a->factor : 1.0) * (b ? b->factor : 1.0);
    if (!isModerate(factor) || (a && !isModerate(a->factor)) || (b && !isModerate(b->factor)))
      return rewriter.notifyMatchFailure(matmul, "a number is so large or small that the product could overflow");
    if (a && b) {
      Value plain = MatmulOp::create(rewriter, matmul.getLoc(), matmul.getType(), a->x, b->x, matmul.getTransposeA(),
                                     matmul.getTransposeB(), StringRef("Identity"));
      Value number = makeNumber(rewriter, matmul.getLoc(), element, factor);
      rewriter.replaceOpWithNewOp<MulOp>(matmul, matmul.getType(), plain, number, matmul.getActivation());
      return success();
    }
    Value other = a ? matmul.getB() : matmul.getA();
    std::optional<std::vector<double>> numbers = readNumbers(other);
    if (!numbers || !scale(*numbers, factor, element))
      return rewriter.notifyMatchFailure(matmul,
                                         "the other operand is neither scaled nor a constant that stays finite");
    Value constant = makeConstant(rewriter, other.getLoc(), typeOf(other), *numbers);
    rewriter.replaceOpWithNewOp<MatmulOp>(matmul, matmul.getType(), a ? a->x : constant, a ? constant : b->x,
                                          matmul.getTransposeA(), matmul.getTransposeB(), matmul.getActivation());
    return success();
  }

private:
  static bool scale(std::vector<double> &numbers, double factor, Type element) {
    double largest = llvm::APFloat::getLargest(cast<FloatType>(element).getFloatSemantics()).convertToDouble();
    return llvm::all_of(numbers, [&](double &number) { return std::abs(number *= factor) <= largest; });
  }
};

/// The numbers of a constant that has one for all or one for each of `channels` along `axis` of a tensor of `rank`;
/// always one a channel.
std::optional<std::vector<double>> perChannel(Value value, int64_t axis, int64_t rank, int64_t channels) {
  std::optional<std::vector<double>> numbers = readNumbers(value);
  if (!numbers || rankOf(value) > rank)
    return std::nullopt;
  for (auto [i, size] : llvm::enumerate(typeOf(value).getShape()))
    if (size != 1 && (int64_t(i) + rank - rankOf(value) != axis || size != channels))
      return std::nullopt;
  if (numbers->size() == 1)
    numbers->assign(channels, numbers->front());
  return numbers;
}

/// A convolution or product with constant weights, whose result each channel of which can be scaled and shifted in
/// them.
struct Layer {
  Operation *op;
  /// The weights, and which of their dimensions the channels are.
  Value weight;
  int64_t weightAxis, axis;

  int64_t channels() const { return typeOf(weight).getDimSize(weightAxis); }
};

std::optional<Layer> layerOf(Operation *op) {
  if (!isa_and_nonnull<ConvOp, LinearOp, MatmulOp>(op) || !isReadOnce(op->getResult(0)) || !hasNoActivation(op))
    return std::nullopt;
  Layer layer{op, op->getOperand(1), 0, isa<ConvOp>(op) ? 1 : rankOf(op->getResult(0)) - 1};
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    if (rankOf(matmul.getA()) < 2 || rankOf(matmul.getB()) != 2)
      return std::nullopt;
    layer.weightAxis = matmul.getTransposeB() ? 0 : 1;
  }
  return typeOf(layer.weight).hasStaticShape() ? std::optional(layer) : std::nullopt;
}

/// A product, quotient, sum or difference of a layer's result and constants.
template <Precision precision>
struct FoldScaleAndShiftRule : RewritePattern {
  FoldScaleAndShiftRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isOf(precision, op->getResult(0)))
      return rewriter.notifyMatchFailure(
          op, refusal(precision, "not of float32 or float64: half precision rounds in between"));
    bool commutes = isa<MulOp, AddOp>(op);
    std::optional<Layer> layer = layerOf(op->getOperand(0).getDefiningOp());
    Value other = op->getOperand(1);
    if (!layer && commutes) {
      layer = layerOf(op->getOperand(1).getDefiningOp());
      other = op->getOperand(0);
    }
    if (!layer || layer->op->getResult(0).getType() != op->getResult(0).getType())
      return rewriter.notifyMatchFailure(op, "does not change a convolution or product that it alone reads");
    auto numbers = perChannel(other, layer->axis, rankOf(op->getResult(0)), layer->channels());
    if (!numbers)
      return rewriter.notifyMatchFailure(op, "the other operand is no constant of one number for each channel");
    return isa<MulOp, DivOp>(op) ? scale(op, *layer, *numbers, rewriter) : shift(op, *layer, *numbers, rewriter);
  }

private:
  static LogicalResult scale(Operation *op, Layer layer, std::vector<double> factors, PatternRewriter &rewriter) {
    for (double &factor : factors) {
      if (factor == 0.0 || !std::isfinite(factor))
        return rewriter.notifyMatchFailure(op, "a factor is 0 or not finite");
      factor = isa<DivOp>(op) ? 1.0 / factor : factor;
    }
    auto weight = readNumbers(layer.weight);
    bool hasBias = layer.op->getNumOperands() == 3;
    auto bias =
        hasBias ? readNumbers(layer.op->getOperand(2)) : std::optional<std::vector<double>>(std::vector<double>());
    if (!weight || !bias)
      return rewriter.notifyMatchFailure(op, "the weights or the bias are no constants");
    int64_t inner = 1;
    for (int64_t size : typeOf(layer.weight).getShape().drop_front(layer.weightAxis + 1))
      inner *= size;
    for (size_t i = 0; i < weight->size(); ++i)
      (*weight)[i] *= factors[(i / inner) % factors.size()];
    for (size_t i = 0; i < bias->size(); ++i)
      (*bias)[i] *= factors[i];
    if (!areFinite(*weight, op) || !areFinite(*bias, op))
      return rewriter.notifyMatchFailure(op, "a scaled number is not finite, or too large for the dtype");
    llvm::SmallVector<Value> operands(layer.op->getOperands());
    operands[1] = makeConstant(rewriter, op->getLoc(), typeOf(layer.weight), *weight);
    if (hasBias)
      operands[2] = makeConstant(rewriter, op->getLoc(), typeOf(operands[2]), *bias);
    replace(op, layer.op, operands, rewriter);
    return success();
  }

  static LogicalResult shift(Operation *op, Layer layer, std::vector<double> terms, PatternRewriter &rewriter) {
    if (isa<MatmulOp>(layer.op))
      return rewriter.notifyMatchFailure(op, "a matmul has no bias: that is matmul_add_to_linear's");
    bool isFirst = op->getOperand(0) == layer.op->getResult(0);
    double alpha =
        isa<AddOp>(op) ? cast<AddOp>(op).getAlpha().convertToDouble() : -cast<SubOp>(op).getAlpha().convertToDouble();
    if (!isFirst && alpha != 1.0)
      return rewriter.notifyMatchFailure(op, "alpha multiplies what the layer computes");
    bool hasBias = layer.op->getNumOperands() == 3;
    auto bias = hasBias ? readNumbers(layer.op->getOperand(2))
                        : std::optional<std::vector<double>>(std::vector<double>(terms.size(), 0.0));
    if (!bias)
      return rewriter.notifyMatchFailure(op, "the bias is no constant");
    for (size_t i = 0; i < bias->size(); ++i)
      (*bias)[i] += alpha * terms[i];
    if (!areFinite(*bias, op))
      return rewriter.notifyMatchFailure(op, "a term is not finite, or too large for the dtype");
    llvm::SmallVector<Value> operands(layer.op->getOperands().take_front(2));
    auto type = RankedTensorType::get({layer.channels()}, elementOf(op->getResult(0)));
    operands.push_back(makeConstant(rewriter, op->getLoc(), type, *bias));
    replace(op, layer.op, operands, rewriter);
    return success();
  }

  static bool areFinite(llvm::ArrayRef<double> numbers, Operation *op) {
    auto element = cast<FloatType>(elementOf(op->getResult(0)));
    double largest = llvm::APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
    return llvm::all_of(numbers, [&](double number) { return std::abs(number) <= largest; });
  }

  static void replace(Operation *op, Operation *layer, ValueRange operands, PatternRewriter &rewriter) {
    Operation *folded = cloneAsNew(rewriter, layer);
    folded->setOperands(operands);
    folded->setInherentAttr(rewriter.getStringAttr("activation"), *op->getInherentAttr("activation"));
    rewriter.replaceOp(op, folded->getResults());
  }
};

struct DropZeroBiasRule : RewritePattern {
  DropZeroBiasRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 3)
      return rewriter.notifyMatchFailure(op, "it has no bias");
    std::optional<double> bias = splatOf(op->getOperand(2));
    if (!bias || *bias != 0.0)
      return rewriter.notifyMatchFailure(op, "its bias is no constant of zeros");
    Operation *plain = cloneAsNew(rewriter, op);
    plain->setOperands(op->getOperands().take_front(2));
    rewriter.replaceOp(op, plain->getResults());
    return success();
  }
};

} // namespace

LogicalResult runMergeScales(TransformContext &context) {
  return applyOnce(context, addRooted<MergeScalesRule, MulOp, DivOp>);
}

LogicalResult runMatmulScale(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MatmulScaleRule>(p.getContext()); });
}

LogicalResult runFoldScaleAndShift(TransformContext &context) {
  return applyOnce(context, addRooted<FoldScaleAndShiftRule<Precision::Full>, MulOp, DivOp, AddOp, SubOp>);
}

void populateHalfScales(RewritePatternSet &p) {
  addRooted<FoldScaleAndShiftRule<Precision::Half>, MulOp, DivOp, AddOp, SubOp>(p);
}

LogicalResult runDropZeroBias(TransformContext &context) {
  return applyOnce(context, addRooted<DropZeroBiasRule, ConvOp, ConvTransposeOp, LinearOp>);
}

} // namespace clika
