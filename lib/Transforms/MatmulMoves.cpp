// fold_transpose_into_matmul and drop_matmul_reshapes.
#include "Dialect/LinearOps.h"
#include "Dialect/Shape.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Transforms.h"

using namespace mlir;

namespace clika {
namespace {

/// The operand of a transpose that only swaps the last two dimensions; null for another value.
Value untransposed(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose || rankOf(value) < 2)
    return Value();
  llvm::SmallVector<int64_t> perm = permOf(transpose);
  int64_t rank = rankOf(value);
  std::swap(perm[rank - 1], perm[rank - 2]);
  return llvm::is_sorted(perm) ? transpose.getX() : Value();
}

struct FoldTransposeIntoMatmulRule : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp matmul, PatternRewriter &rewriter) const override {
    Value a = untransposed(matmul.getA()), b = untransposed(matmul.getB());
    if (!a && !b)
      return rewriter.notifyMatchFailure(matmul, "neither operand is a transpose of the last two dimensions");
    rewriter.replaceOpWithNewOp<MatmulOp>(matmul, matmul.getType(), a ? a : matmul.getA(), b ? b : matmul.getB(),
                                          matmul.getTransposeA() != bool(a), matmul.getTransposeB() != bool(b),
                                          matmul.getActivation());
    return success();
  }
};

using Sizes = llvm::ArrayRef<Dim>;

bool sameSizes(Sizes a, Sizes b) {
  return a.size() == b.size() && llvm::all_of_zip(a, b, [](Dim x, Dim y) { return sameDim(x, y); });
}

/// A reshape that only one operator reads and a run cannot refuse.
Operation *ownReshape(Value value) {
  Operation *op = value.getDefiningOp();
  bool own =
      isa_and_nonnull<ReshapeOp, SqueezeOp, UnsqueezeOp>(op) && isReadOnce(op->getResult(0)) && movesByKnownSizes(op);
  return own ? op : nullptr;
}

/// reshape(matmul(reshape(a), b)), where b is a matrix or reshaped alike, and reshape(linear(reshape(x), …)).
struct DropMatmulReshapesRule : RewritePattern {
  DropMatmulReshapesRule(StringRef root, MLIRContext *context) : RewritePattern(root, 1, context) {}

  LogicalResult matchAndRewrite(Operation *outer, PatternRewriter &rewriter) const override {
    Operation *product = outer->getOperand(0).getDefiningOp();
    if (!isa_and_nonnull<MatmulOp, LinearOp>(product))
      return failure();
    Operation *first = ownReshape(product->getOperand(0));
    if (!isReadOnce(product->getResult(0)) || !first || !movesByKnownSizes(outer))
      return rewriter.notifyMatchFailure(outer, "what it reads has another reader, or reads no reshape of its own");
    auto matmul = dyn_cast<MatmulOp>(product);
    Operation *second = matmul ? ownReshape(matmul.getB()) : nullptr;
    Dims to = dimsOf(outer->getResult(0).getType()), whole = dimsOf(product->getResult(0).getType());
    bool rows = undoesRows(first, to, whole) &&
                (!matmul || (rankOf(matmul.getB()) == 2 && rankOf(matmul.getA()) >= 2 && !matmul.getTransposeA()));
    bool batches = second && undoesBatches(first, second, to, whole);
    if (!rows && !batches)
      return rewriter.notifyMatchFailure(outer,
                                         "it is not known to undo what the reshape before the product does to rows "
                                         "or batches");
    llvm::SmallVector<Value> operands(product->getOperands());
    operands[0] = first->getOperand(0);
    if (!rows)
      operands[1] = second->getOperand(0);
    Operation *direct = cloneAsNew(rewriter, product);
    direct->setOperands(operands);
    direct->getResult(0).setType(outer->getResult(0).getType());
    rewriter.replaceOp(outer, direct->getResults());
    return success();
  }

private:
  /// Whether `to` is what `reshape` had, but for the last dimension, which it leaves.
  static bool undoesRows(Operation *reshape, Sizes to, Sizes whole) {
    Dims from = dimsOf(reshape->getOperand(0).getType()), flat = dimsOf(reshape->getResult(0).getType());
    return from.size() >= 2 && !flat.empty() && sameDim(from.back(), flat.back()) &&
           sameSizes(to.drop_back(to.empty() ? 0 : 1), Sizes(from).drop_back()) && !to.empty() && !whole.empty() &&
           sameDim(to.back(), whole.back());
  }

  /// Whether both reshapes make the same batches of the same ones and leave the matrices, and `to` has them as before.
  static bool undoesBatches(Operation *a, Operation *b, Sizes to, Sizes whole) {
    Dims fromA = dimsOf(a->getOperand(0).getType()), fromB = dimsOf(b->getOperand(0).getType());
    Dims flatA = dimsOf(a->getResult(0).getType()), flatB = dimsOf(b->getResult(0).getType());
    if (fromA.size() < 2 || fromB.size() < 2 || flatA.size() < 2 || flatB.size() < 2 || to.size() < 2 ||
        whole.size() < 2)
      return false;
    auto batches = [](Sizes dims) { return dims.drop_back(2); };
    auto matrix = [](Sizes dims) { return dims.take_back(2); };
    return sameSizes(matrix(fromA), matrix(flatA)) && sameSizes(matrix(fromB), matrix(flatB)) &&
           sameSizes(batches(fromA), batches(fromB)) && sameSizes(batches(flatA), batches(flatB)) &&
           sameSizes(batches(to), batches(fromA)) && sameSizes(matrix(to), matrix(whole));
  }
};

} // namespace

LogicalResult runFoldTransposeIntoMatmul(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<FoldTransposeIntoMatmulRule>(p.getContext()); });
}

LogicalResult runDropMatmulReshapes(TransformContext &context) {
  return applyOnce(context, addRooted<DropMatmulReshapesRule, ReshapeOp, SqueezeOp, UnsqueezeOp>);
}

} // namespace clika
