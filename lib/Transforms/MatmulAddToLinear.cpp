// matmul_add_to_linear.
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/NewNode.h"
#include "Transforms/Precision.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

/// The constant of a matrix of floats, transposed; null where `matrix` is no constant.
Value transposedConstantOf(PatternRewriter &rewriter, Location location, Value matrix) {
  auto constant = matrix.getDefiningOp<ConstantOp>();
  ElementsAttr turned = constant ? transposedConstant(constant.getValue()) : ElementsAttr();
  return turned ? ConstantOp::create(rewriter, location, turned).getResult() : Value();
}

template <Precision precision>
struct MatmulAddToLinearRule : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    if (add.getAlpha().convertToDouble() != 1.0)
      return rewriter.notifyMatchFailure(add, "alpha is not 1");
    Value a = add.getA(), b = add.getB();
    if (!a.getDefiningOp<MatmulOp>() && !b.getDefiningOp<MatmulOp>())
      return rewriter.notifyMatchFailure(add, "neither term is a matmul");
    for (auto [product, bias] : {std::pair(a, b), std::pair(b, a)})
      if (product.getDefiningOp<MatmulOp>() && succeeded(fuse(add, product, bias, rewriter)))
        return success();
    return failure();
  }

private:
  static LogicalResult fuse(AddOp add, Value product, Value bias, PatternRewriter &rewriter) {
    auto matmul = product.getDefiningOp<MatmulOp>();
    if (!isReadOnce(matmul->getResult(0)) || !hasNoActivation(matmul))
      return rewriter.notifyMatchFailure(add, "the matmul has another reader, or an activation");
    if (matmul.getTransposeA())
      return rewriter.notifyMatchFailure(add, "the matmul's a is transposed");
    if (!isOf(precision, product))
      return rewriter.notifyMatchFailure(
          add, refusal(precision, "the dtype is not float32 or float64, where linear rounds as the two do"));
    auto weightType = cast<RankedTensorType>(matmul.getB().getType());
    auto biasType = cast<RankedTensorType>(bias.getType());
    if (weightType.getRank() != 2 || !weightType.hasStaticShape() ||
        cast<RankedTensorType>(matmul.getA().getType()).getRank() < 2)
      return rewriter.notifyMatchFailure(add, "the matmul's operands are no matrices");
    int64_t features = weightType.getDimSize(matmul.getTransposeB() ? 0 : 1);
    if (biasType.getRank() != 1 || biasType.getDimSize(0) != features)
      return rewriter.notifyMatchFailure(add, "the other operand is not one number per column");
    Value weight = matmul.getB();
    if (!matmul.getTransposeB()) {
      weight = transposedConstantOf(rewriter, matmul.getLoc(), weight);
      if (!weight)
        return rewriter.notifyMatchFailure(add, "the matmul's b is not constant");
    }
    rewriter.replaceOpWithNewOp<LinearOp>(add, add.getType(), matmul.getA(), weight, bias, add.getActivation());
    return success();
  }
};

} // namespace

LogicalResult runMatmulAddToLinear(TransformContext &context) {
  return applyOnce(context,
                   [](RewritePatternSet &p) { p.add<MatmulAddToLinearRule<Precision::Full>>(p.getContext()); });
}

void populateHalfLinear(RewritePatternSet &p) { p.add<MatmulAddToLinearRule<Precision::Half>>(p.getContext()); }

} // namespace clika
