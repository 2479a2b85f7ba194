// decomposed_attention and decomposed_masked_attention.
#include "Dialect/AttentionOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/LinearOps.h"
#include "Dialect/NormOps.h"
#include "Dialect/PointwiseOps.h"
#include "Dialect/ShapeValues.h"
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

//===----------------------------------------------------------------------===//
// Whether a mask leaves a key
//===----------------------------------------------------------------------===//

/// The numbers that a float value's elements lie between. NaN is no -inf, and so may be among them.
struct Range {
  double low, high;
};

Range hull(std::initializer_list<double> numbers) { return {std::min(numbers), std::max(numbers)}; }

std::optional<Range> rangeOf(Value value, unsigned depth = 0);

std::optional<Range> rangeOfOperation(Operation *op, unsigned depth) {
  auto operand = [&](unsigned i) { return rangeOf(op->getOperand(i), depth + 1); };
  if (auto cast = dyn_cast<CastOp>(op))
    return getElementTypeOrSelf(cast.getX()).isInteger(1) ? std::optional(Range{0.0, 1.0}) : std::nullopt;
  if (isa<ReshapeOp, TransposeOp, SqueezeOp, UnsqueezeOp, ExpandOp, SliceOp, IdentityOp>(op))
    return operand(0);
  if (auto where = dyn_cast<WhereOp>(op)) {
    std::optional<Range> a = operand(1), b = operand(2);
    return a && b ? std::optional(Range{std::min(a->low, b->low), std::max(a->high, b->high)}) : std::nullopt;
  }
  if (!isa<AddOp, SubOp, MulOp>(op) || !hasNoActivation(op))
    return std::nullopt;
  std::optional<Range> a = operand(0), b = operand(1);
  if (!a || !b)
    return std::nullopt;
  if (isa<MulOp>(op))
    return hull({a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high});
  double alpha =
      isa<AddOp>(op) ? cast<AddOp>(op).getAlpha().convertToDouble() : -cast<SubOp>(op).getAlpha().convertToDouble();
  return Range{a->low + std::min(alpha * b->low, alpha * b->high), a->high + std::max(alpha * b->low, alpha * b->high)};
}

std::optional<Range> rangeOf(Value value, unsigned depth) {
  constexpr unsigned kDeepest = 12;
  if (std::optional<std::vector<double>> numbers = readNumbers(value)) {
    Range range{0.0, 0.0};
    for (double number : *numbers)
      range = {std::min(range.low, number), std::max(range.high, number)};
    return range;
  }
  Operation *op = value.getDefiningOp();
  std::optional<Range> range = op && depth < kDeepest ? rangeOfOperation(op, depth) : std::nullopt;
  // What is infinite in the dtype on the way tells nothing of what comes of it.
  double largest = isa<FloatType>(getElementTypeOrSelf(value))
                       ? llvm::APFloat::getLargest(cast<FloatType>(getElementTypeOrSelf(value)).getFloatSemantics())
                             .convertToDouble()
                       : 0.0;
  return range && range->low >= -largest && range->high <= largest ? range : std::nullopt;
}

/// Whether each row of a constant has an element that is not `gone`.
template <typename Number>
bool everyRowHas(Value value, llvm::ArrayRef<Number> numbers, llvm::function_ref<bool(Number)> gone) {
  size_t size = rankOf(value) > 0 ? typeOf(value).getShape().back() : 1;
  for (size_t row = 0; row + size <= numbers.size() && size > 0; row += size)
    if (llvm::all_of(numbers.slice(row, size), gone))
      return false;
  return true;
}

/// The elements of a constant of bools; none for another value or a large one.
std::optional<llvm::SmallVector<int64_t>> boolsOf(Value value) {
  constexpr int64_t kMost = int64_t(1) << 24;
  auto constant = value.getDefiningOp<ConstantOp>();
  bool isBool = constant && getElementTypeOrSelf(value).isInteger(1);
  return isBool ? integersOf(constant.getValue(), kMost) : std::nullopt;
}

bool leavesKeys(Value mask) {
  if (getElementTypeOrSelf(mask).isInteger(1)) {
    std::optional<llvm::SmallVector<int64_t>> bits = boolsOf(mask);
    return bits && everyRowHas<int64_t>(mask, *bits, [](int64_t bit) { return bit == 0; });
  }
  if (std::optional<std::vector<double>> numbers = readNumbers(mask))
    return everyRowHas<double>(mask, *numbers, [](double number) { return std::isinf(number) && number < 0.0; });
  return rangeOf(mask).has_value();
}

/// The setting `causal` that a constant mask of all the scores amounts to: 0 or true up to a diagonal, -inf or false
/// above it. "Off" for another mask.
StringRef causalOf(Value mask) {
  llvm::ArrayRef<int64_t> shape = typeOf(mask).getShape();
  if (shape.size() < 2 || !typeOf(mask).hasStaticShape() ||
      llvm::any_of(shape.drop_back(2), [](int64_t size) { return size != 1; }))
    return "Off";
  int64_t queries = shape[shape.size() - 2], keys = shape.back();
  std::optional<llvm::SmallVector<int64_t>> bits = boolsOf(mask);
  std::optional<std::vector<double>> numbers = readNumbers(mask);
  if (!bits && !numbers)
    return "Off";
  auto is = [&](int64_t at, bool kept) {
    if (bits)
      return (*bits)[at] == (kept ? 1 : 0);
    return (*numbers)[at] == (kept ? 0.0 : -std::numeric_limits<double>::infinity());
  };
  auto isCut = [&](int64_t ahead) {
    return llvm::all_of(llvm::seq<int64_t>(0, queries * keys),
                        [&](int64_t at) { return is(at, at % keys <= at / keys + ahead); });
  };
  return isCut(0) ? "UpperLeft" : isCut(keys - queries) ? "LowerRight" : "Off";
}

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

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
  Chain(MatmulOp root, PatternRewriter &rewriter, bool anyMask) : root(root), rewriter(rewriter), anyMask(anyMask) {}

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
    StringRef causal =
        mask && typeOf(mask).getShape().take_back(2) == cast<RankedTensorType>(products).getShape().take_back(2)
            ? causalOf(mask)
            : "Off";
    rewriter.replaceOpWithNewOp<AttentionOp>(root, root.getType(), q, k, v, causal == "Off" ? mask : Value(),
                                             llvm::APFloat(scale), causal, llvm::APFloat(softcap));
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
    if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(root.getType())))
      return "half precision rounds the scores";
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
    if (mask && !anyMask && !leavesKeys(mask))
      return "the mask is not known to leave a key to every query";
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
  Value q, k, v, mask;
  Type products;
  std::optional<Swapped> swapped;
  double scale = 1.0, softcap = 0.0;
};

template <bool anyMask>
struct AttentionRule : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp matmul, PatternRewriter &rewriter) const override {
    return Chain(matmul, rewriter, anyMask).rewrite();
  }
};

} // namespace

LogicalResult runDecomposedAttention(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<AttentionRule<false>>(p.getContext()); });
}

LogicalResult runDecomposedMaskedAttention(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) { p.add<AttentionRule<true>>(p.getContext()); });
}

} // namespace clika
