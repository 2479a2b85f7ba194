// fold_batch_norm.
#include "Dialect/LinearOps.h"
#include "Dialect/NormOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Precision.h"
#include "Transforms/Transforms.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// What a batch_norm does to each channel: y = x * scale + shift.
struct Affine {
  std::vector<double> scale, shift;
};

std::optional<Affine> affineOf(BatchNormOp norm) {
  auto mean = readNumbers(norm.getMean()), variance = readNumbers(norm.getVariance());
  if (!mean || !variance || mean->size() != variance->size())
    return std::nullopt;
  size_t channels = mean->size();
  auto scale = norm.getScale() ? readNumbers(norm.getScale()) : std::vector<double>(channels, 1.0);
  auto bias = norm.getBias() ? readNumbers(norm.getBias()) : std::vector<double>(channels, 0.0);
  if (!scale || !bias || scale->size() != channels || bias->size() != channels)
    return std::nullopt;
  Affine affine{std::vector<double>(channels), std::vector<double>(channels)};
  double epsilon = norm.getEpsilon().convertToDouble();
  for (size_t c = 0; c < channels; ++c) {
    affine.scale[c] = (*scale)[c] / std::sqrt((*variance)[c] + epsilon);
    affine.shift[c] = (*bias)[c] - (*mean)[c] * affine.scale[c];
    if (!std::isfinite(affine.scale[c]) || !std::isfinite(affine.shift[c]))
      return std::nullopt;
  }
  return affine;
}

/// Whether all are finite as numbers of the dtype.
bool fits(llvm::ArrayRef<double> numbers, Type element) {
  double largest = llvm::APFloat::getLargest(cast<FloatType>(element).getFloatSemantics()).convertToDouble();
  return llvm::all_of(numbers, [&](double number) { return std::abs(number) <= largest; });
}

template <Precision precision>
struct FoldBatchNormRule : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern<BatchNormOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp norm, PatternRewriter &rewriter) const override {
    Operation *producer = norm.getX().getDefiningOp();
    if (!isa_and_nonnull<ConvOp, LinearOp, MatmulOp>(producer))
      return rewriter.notifyMatchFailure(norm, "does not read a conv, linear or matmul");
    if (!isOf(precision, norm.getResult()))
      return rewriter.notifyMatchFailure(
          norm, refusal(precision, "half precision rounds the folded weights anew, which the sums multiply"));
    if (!isReadOnce(producer->getResult(0)) || !hasNoActivation(producer))
      return rewriter.notifyMatchFailure(norm, "the operator before it has another reader or an activation");
    // A linear's out features are batch_norm's channels only where x is a matrix.
    if (!isa<ConvOp>(producer) && rankOf(norm.getX()) != 2)
      return rewriter.notifyMatchFailure(norm, "the product before it is no matrix");
    if (auto matmul = dyn_cast<MatmulOp>(producer); matmul && matmul.getTransposeA())
      return rewriter.notifyMatchFailure(norm, "the matmul's a is transposed");
    std::optional<Affine> affine = affineOf(norm);
    auto weight = readNumbers(producer->getOperand(1));
    bool hasBias = producer->getNumOperands() == 3;
    auto bias = hasBias ? readNumbers(producer->getOperand(2)) : std::optional<std::vector<double>>();
    if (!affine || !weight || (hasBias && !bias))
      return rewriter.notifyMatchFailure(norm, "its numbers, or the weights before it, are not finite constants");
    RankedTensorType weightType = asRows(producer, *weight);
    int64_t channels = weightType.getDimSize(0);
    if (size_t(channels) != affine->scale.size() || channels == 0)
      return rewriter.notifyMatchFailure(norm, "the channels differ in number");
    size_t perChannel = weight->size() / affine->scale.size();
    for (size_t i = 0; i < weight->size(); ++i)
      (*weight)[i] *= affine->scale[i / perChannel];
    if (!hasBias)
      bias = std::vector<double>(channels, 0.0);
    for (size_t c = 0; c < bias->size(); ++c)
      (*bias)[c] = (*bias)[c] * affine->scale[c] + affine->shift[c];
    if (!fits(*weight, weightType.getElementType()) || !fits(*bias, weightType.getElementType()))
      return rewriter.notifyMatchFailure(norm, "a folded number is not finite, or too large for the dtype");
    replace(norm, producer, weightType, *weight, *bias, rewriter);
    return success();
  }

private:
  /// Puts the numbers of a matmul's b in a linear's order, one row a channel; the type that the weights then have.
  static RankedTensorType asRows(Operation *producer, std::vector<double> &weight) {
    RankedTensorType type = typeOf(producer->getOperand(1));
    auto matmul = dyn_cast<MatmulOp>(producer);
    if (!matmul || matmul.getTransposeB())
      return type;
    int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    std::vector<double> turned(weight.size());
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        turned[j * rows + i] = weight[i * columns + j];
    weight = std::move(turned);
    return RankedTensorType::get({columns, rows}, type.getElementType());
  }

  static void replace(BatchNormOp norm, Operation *producer, RankedTensorType weightType, llvm::ArrayRef<double> weight,
                      llvm::ArrayRef<double> bias, PatternRewriter &rewriter) {
    auto biasType = RankedTensorType::get({int64_t(bias.size())}, weightType.getElementType());
    Value newWeight = makeConstant(rewriter, producer->getLoc(), weightType, weight);
    Value newBias = makeConstant(rewriter, producer->getLoc(), biasType, bias);
    if (isa<MatmulOp>(producer)) {
      rewriter.replaceOpWithNewOp<LinearOp>(norm, norm.getType(), producer->getOperand(0), newWeight, newBias,
                                            norm.getActivation());
      return;
    }
    Operation *fused = cloneAsNew(rewriter, producer);
    fused->setOperands({producer->getOperand(0), newWeight, newBias});
    fused->setInherentAttr(rewriter.getStringAttr("activation"), norm.getActivationAttr());
    rewriter.replaceOp(norm, fused->getResults());
  }
};

} // namespace

LogicalResult runFoldBatchNorm(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<FoldBatchNormRule<Precision::Full>>(p.getContext()); });
}

void populateHalfBatchNorm(RewritePatternSet &p) { p.add<FoldBatchNormRule<Precision::Half>>(p.getContext()); }

} // namespace clika
