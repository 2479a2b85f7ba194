// decomposed_attention and decomposed_masked_attention.
#include "Dialect/AttentionOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/AttentionMasks.h"
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

struct Scaled {
  Value value;
  double factor = 1.0;
};

/// A value that nothing else reads as a number times another; itself where it is no such product.
Scaled scaledOf(Value value) {
  if (!isReadOnce(value))
    return {value};
  Product product = productOf(value);
  bool fits = product.factors.size() == 1 && product.factors[0].getType() == value.getType() &&
              std::isfinite(product.coefficient) && product.coefficient != 0.0;
  return fits ? Scaled{product.factors[0], product.coefficient} : Scaled{value};
}

/// The keys whose last two dimensions are swapped in `value`, as they are made for it alone, and where they come from.
struct Swapped {
  Value x;
  llvm::SmallVector<int64_t> perm;
};

std::optional<Swapped> swappedOf(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose || !isReadOnce(value) || rankOf(value) != 4)
    return std::nullopt;
  llvm::SmallVector<int64_t> perm = permOf(transpose);
  std::swap(perm[2], perm[3]);
  return Swapped{transpose.getX(), perm};
}

/// Heads that are each repeated: [batch, heads, ...] as an unsqueeze, an expand and a reshape make it; null where the
/// value is not made so.
Value unrepeated(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto expand = reshape ? reshape.getX().getDefiningOp<ExpandOp>() : ExpandOp();
  auto unsqueeze = expand ? expand.getX().getDefiningOp<UnsqueezeOp>() : UnsqueezeOp();
  if (!unsqueeze || rankOf(value) != 4 || rankOf(expand.getResult()) != 5 || rankOf(unsqueeze.getX()) != 4 ||
      fromStart(unsqueeze.getAxes(), 5) != llvm::SmallVector<int64_t>{2})
    return {};
  Dims own = dimsOf(unsqueeze.getX().getType()), wide = dimsOf(expand.getType()), all = dimsOf(value.getType());
  auto same = [](Dim a, Dim b) { return sameDim(a, b); };
  std::optional<int64_t> heads = constantOf(own[1]), times = constantOf(wide[2]), joined = constantOf(all[1]);
  bool repeats = heads && times && joined && *heads * *times == *joined && same(own[0], wide[0]) &&
                 same(own[1], wide[1]) && same(own[2], wide[3]) && same(own[3], wide[4]) && same(own[0], all[0]) &&
                 same(own[2], all[2]) && same(own[3], all[3]);
  return repeats ? unsqueeze.getX() : Value();
}

class Chain {
public:
  Chain(MatmulOp root, PatternRewriter &rewriter, bool anyMask, Precision precision)
      : root(root), rewriter(rewriter), anyMask(anyMask), precision(precision) {}

  LogicalResult rewrite() {
    if (const char *why = read())
      return rewriter.notifyMatchFailure(root, why);
    if (swapped && !isSortedPerm())
      k = TransposeOp::create(rewriter, root.getLoc(), swapped->x, swapped->perm);
    else if (swapped)
      k = swapped->x;
    if (Value few = unrepeated(k), fewValues = unrepeated(v);
        few && fewValues && sameDim(dimsOf(few.getType())[1], dimsOf(fewValues.getType())[1])) {
      k = few;
      v = fewValues;
    }
    rewriter.replaceOpWithNewOp<AttentionOp>(root, root.getType(), q, k, v, mask, llvm::APFloat(scale), causal,
                                             llvm::APFloat(softcap));
    return success();
  }

private:
  bool isSortedPerm() { return llvm::is_sorted(swapped->perm); }

  /// Why this is no attention; null where it is.
  const char *read() {
    SoftmaxOp softmax = weights(root.getA());
    if (!softmax || root.getTransposeA())
      return "its first operand is not a softmax of its own";
    if (rankOf(root.getA()) != 4 || rankOf(root.getB()) != 4 || fromStart(softmax.getAxis(), 4) != 3)
      return "not a softmax of 4 dimensions, along the last";
    if (root.getTransposeB() || !hasNoActivation(root))
      return "it transposes the values, or has an activation";
    if (!isOf(precision, root.getResult()))
      return refusal(precision, "half precision rounds the scores");
    v = root.getB();
    Value scores = softmax.getX();
    if (!isReadOnce(scores))
      return "the scores have another reader";
    if (!readProduct(scores) && !readMasked(scores))
      return "what the softmax reads are not products of queries and keys, scaled or masked";
    if (!sizesAgree())
      return "batches or heads are broadcast, or not known to agree";
    if (mask && !maskFits())
      return "the mask broadcasts the scores";
    if (mask)
      causal = causalOf(mask, cast<RankedTensorType>(products));
    bool leaves = causal == "UpperLeft" || !mask || leavesKeys(mask);
    if (!anyMask && !leaves)
      return "the mask is not known to leave a key to every query";
    // Causality leaves out what a sum with -inf makes NaN of: NaN and infinite scores.
    if (causal != "Off" && (anyMask || getElementTypeOrSelf(mask).isInteger(1)))
      mask = Value();
    else
      causal = "Off";
    return nullptr;
  }

  /// The softmax that nothing else reads, with any mask also one whose NaN are replaced by 0.
  SoftmaxOp weights(Value value) {
    if (auto where = value.getDefiningOp<WhereOp>(); where && anyMask && isReadOnce(value)) {
      auto isNan = where.getCondition().getDefiningOp<IsNanOp>();
      bool guards = isNan && isNan.getX() == where.getB() && isConstant(where.getA(), 0.0) &&
                    where.getB().getType() == where.getType() && value.getType() == where.getType() &&
                    llvm::range_size(where.getB().getUses()) == 2;
      return guards ? where.getB().getDefiningOp<SoftmaxOp>() : SoftmaxOp();
    }
    return isReadOnce(value) ? value.getDefiningOp<SoftmaxOp>() : SoftmaxOp();
  }

  /// Scaled products, or cap * tanh(scaled products / cap).
  bool readProduct(Value scores) {
    Scaled outer = scaledOf(scores);
    auto tanh = outer.value.getDefiningOp<TanhOp>();
    softcap = 0.0;
    if (!tanh)
      return readScaled(scores);
    if (!isReadOnce(outer.value) || !isReadOnce(tanh.getX()) || !(outer.factor > 0.0) || !readScaled(tanh.getX()))
      return false;
    softcap = outer.factor;
    scale *= softcap;
    return std::isfinite(scale);
  }

  /// (q * k^T) with numbers before and after it.
  bool readScaled(Value scores) {
    Scaled outer = scaledOf(scores);
    auto matmul = outer.value.getDefiningOp<MatmulOp>();
    if (!matmul || !isReadOnce(outer.value) || matmul.getTransposeA() || !hasNoActivation(matmul) ||
        rankOf(matmul.getA()) != 4 || rankOf(matmul.getB()) != 4)
      return false;
    Scaled left = scaledOf(matmul.getA()), right = scaledOf(matmul.getB());
    scale = outer.factor * left.factor * right.factor;
    q = left.value;
    k = right.value;
    products = matmul.getType();
    // A scale of 0 stands for another.
    if (!std::isfinite(scale) || scale == 0.0)
      return false;
    if (matmul.getTransposeB())
      return true;
    swapped = swappedOf(k);
    if (!swapped)
      return false;
    Scaled inner = scaledOf(swapped->x);
    // Where the dimensions stay in place, a number may come before the swap too.
    scale *= inner.factor;
    swapped->x = inner.value;
    return true;
  }

  /// Scores plus a mask, or -inf where a bool is false.
  bool readMasked(Value scores) {
    if (auto where = scores.getDefiningOp<WhereOp>()) {
      mask = where.getCondition();
      return isConstant(where.getB(), -std::numeric_limits<double>::infinity()) && isReadOnce(where.getA()) &&
             where.getA().getType() == where.getType() && readProduct(where.getA());
    }
    auto add = scores.getDefiningOp<AddOp>();
    if (!add || add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
      return false;
    for (auto [product, other] : {std::pair(add.getA(), add.getB()), std::pair(add.getB(), add.getA())})
      if (product.getType() == add.getType() && isReadOnce(product) && readProduct(product)) {
        mask = other;
        return true;
      }
    return false;
  }

  bool sizesAgree() {
    Dims queries = dimsOf(q.getType()), values = dimsOf(v.getType()), own = dimsOf(k.getType());
    return llvm::all_of(llvm::seq(0, 2),
                        [&](int i) { return sameDim(queries[i], own[i]) && sameDim(queries[i], values[i]); });
  }

  bool maskFits() {
    Dims own = dimsOf(mask.getType()), scores = dimsOf(products);
    if (own.size() > scores.size())
      return false;
    for (unsigned i = 0; i < own.size(); ++i)
      if (constantOf(own[i]) != 1 && !sameDim(own[i], scores[scores.size() - own.size() + i]))
        return false;
    return true;
  }

  MatmulOp root;
  PatternRewriter &rewriter;
  bool anyMask;
  Precision precision;
  Value q, k, v, mask;
  Type products;
  std::optional<Swapped> swapped;
  StringRef causal = "Off";
  double scale = 1.0, softcap = 0.0;
};

template <bool anyMask, Precision precision = Precision::Full>
struct AttentionRule : OpRewritePattern<MatmulOp> {
  using OpRewritePattern<MatmulOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp matmul, PatternRewriter &rewriter) const override {
    return Chain(matmul, rewriter, anyMask, precision).rewrite();
  }
};

} // namespace

LogicalResult runDecomposedAttention(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<AttentionRule<false>>(p.getContext()); });
}

LogicalResult runDecomposedMaskedAttention(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<AttentionRule<true>>(p.getContext()); });
}

void populateHalfAttention(RewritePatternSet &p) { p.add<AttentionRule<true, Precision::Half>>(p.getContext()); }

} // namespace clika
