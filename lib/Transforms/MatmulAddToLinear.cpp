// matmul_add_to_linear.
#include "Dialect/CoreOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

/// [k, n] as [n, k].
std::vector<double> transposed(const std::vector<double> &numbers, int64_t rows, int64_t columns) {
  std::vector<double> result(numbers.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[j * rows + i] = numbers[i * columns + j];
  return result;
}

struct MatmulAddToLinearRule : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

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
    if (!matmul->hasOneUse() || !hasNoActivation(matmul))
      return rewriter.notifyMatchFailure(add, "the matmul has another reader, or an activation");
    if (matmul.getTransposeA())
      return rewriter.notifyMatchFailure(add, "the matmul's a is transposed");
    if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(product)))
      return rewriter.notifyMatchFailure(add, "the dtype is not float32 or float64, where linear rounds as the two do");
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
      auto numbers = readNumbers(weight);
      if (!numbers)
        return rewriter.notifyMatchFailure(add, "the matmul's b is not constant");
      auto type = RankedTensorType::get({features, weightType.getDimSize(0)}, weightType.getElementType());
      weight = makeConstant(rewriter, matmul.getLoc(), type, transposed(*numbers, weightType.getDimSize(0), features));
    }
    rewriter.replaceOpWithNewOp<LinearOp>(add, add.getType(), matmul.getA(), weight, bias, add.getActivation());
    return success();
  }
};

} // namespace

LogicalResult runMatmulAddToLinear(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<MatmulAddToLinearRule>(p.getContext()); });
}

} // namespace clika
