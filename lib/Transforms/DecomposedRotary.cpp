// decomposed_rotary.
#include "Dialect/AttentionOps.h"
#include "Dialect/IndexOps.h"
#include "Dialect/PointwiseOps.h"
#include "Transforms/ApplyOnce.h"
#include "Transforms/Literals.h"
#include "Transforms/Moved.h"
#include "Transforms/NewNode.h"
#include "Transforms/Precision.h"
#include "Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace clika {
namespace {

/// a op b in both orders.
using Operands = std::pair<Value, Value>;
llvm::SmallVector<Operands, 2> bothOrders(Operation *op) {
  return {{op->getOperand(0), op->getOperand(1)}, {op->getOperand(1), op->getOperand(0)}};
}

/// The op that makes `value` where nothing else reads it, and it is a plain Op: without alpha and activation.
template <typename Op>
Op ownPlain(Value value) {
  auto op = value.getDefiningOp<Op>();
  if (!op || !isReadOnce(value) || !hasNoActivation(op))
    return Op();
  if constexpr (std::is_same_v<Op, AddOp> || std::is_same_v<Op, SubOp>)
    return op.getAlpha().convertToDouble() == 1.0 ? op : Op();
  else
    return op;
}

/// The positions of x's last dimension that a slice or a part of a split takes.
struct Part {
  Value x;
  Positions positions;
};

std::optional<Part> partOf(Value value) {
  if (auto slice = value.getDefiningOp<SliceOp>()) {
    auto axes = literalSlice(slice);
    int64_t last = rankOf(value) - 1, size = typeOf(slice.getX()).getShape().back();
    if (!axes || axes->size() != 1 || axes->front().axis != last || ShapedType::isDynamic(size))
      return std::nullopt;
    std::optional<Positions> positions = positionsOf(axes->front(), size);
    return positions ? std::optional(Part{slice.getX(), *positions}) : std::nullopt;
  }
  auto split = value.getDefiningOp<SplitOp>();
  if (!split || fromStart(split.getAxis(), rankOf(value)) != rankOf(value) - 1)
    return std::nullopt;
  int64_t first = 0, own = typeOf(value).getShape().back();
  for (Value part : split.getParts().take_front(cast<OpResult>(value).getResultNumber())) {
    int64_t size = typeOf(part).getShape().back();
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    first += size;
  }
  return ShapedType::isDynamic(own) ? std::nullopt : std::optional(Part{split.getX(), {first, own, 1}});
}

/// The value whose first and second elements of pairs `first` and `second` are; null where they are not.
Value pairedBy(Value first, Value second, bool neighbours) {
  std::optional<Part> a = partOf(first), b = partOf(second);
  if (!a || !b || a->x != b->x)
    return {};
  int64_t half = typeOf(a->x).getShape().back() / 2, step = neighbours ? 2 : 1;
  auto is = [&](const Positions &positions, int64_t at) {
    return positions.first == at && positions.count == half && (positions.step == step || half <= 1);
  };
  bool fits =
      typeOf(a->x).getShape().back() == 2 * half && is(a->positions, 0) && is(b->positions, neighbours ? 1 : half);
  return fits ? a->x : Value();
}

/// Whether both halves of the last dimension are known to hold the same.
bool isDoubled(Value value, unsigned depth = 0) {
  constexpr unsigned kDeepest = 12;
  auto type = typeOf(value);
  if (depth > kDeepest || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return false;
  size_t size = type.getShape().back(), last = type.getRank() - 1;
  Operation *op = value.getDefiningOp();
  if (auto concat = dyn_cast_or_null<ConcatOp>(op))
    return concat.getInputs().size() == 2 && concat.getInputs()[0] == concat.getInputs()[1] &&
           fromStart(concat.getAxis(), type.getRank()) == static_cast<int64_t>(last);
  if (auto unsqueeze = dyn_cast_or_null<UnsqueezeOp>(op))
    return !llvm::is_contained(fromStart(unsqueeze.getAxes(), type.getRank()), static_cast<int64_t>(last)) &&
           isDoubled(unsqueeze.getX(), depth + 1);
  if (auto gather = dyn_cast_or_null<GatherOp>(op))
    return rankOf(gather.getX()) > 1 && fromStart(gather.getAxis(), rankOf(gather.getX())) == 0 &&
           isDoubled(gather.getX(), depth + 1);
  if (auto slice = dyn_cast_or_null<SliceOp>(op)) {
    auto axes = literalSlice(slice);
    return axes && llvm::none_of(*axes, [&](const SliceAxis &one) { return one.axis == static_cast<int64_t>(last); }) &&
           isDoubled(slice.getX(), depth + 1);
  }
  if (isBroadcasting(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      bool single = rankOf(operand) == 0 || typeOf(operand).getShape().back() == 1;
      return (single && size > 1) || isDoubled(operand, depth + 1);
    });
  std::optional<std::vector<double>> numbers = readNumbers(value);
  if (!numbers || size % 2 != 0)
    return false;
  for (size_t row = 0; row + size <= numbers->size(); row += size)
    if (!std::equal(numbers->begin() + row, numbers->begin() + row + size / 2, numbers->begin() + row + size / 2,
                    [](double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }))
      return false;
  return true;
}

/// How x's dimensions stand: heads before the sequence, or after it.
enum class Layout { HeadsFirst, HeadsLast };

/// Whether angles of type `angles`, as they are broadcast to x, are the same for every head, and what layout that
/// needs.
std::optional<Layout> layoutOf(Value x, Value angles) {
  Dims own = dimsOf(x.getType()), dims = dimsOf(angles.getType());
  if (own.size() != 4 || dims.size() < 2 || dims.size() > 4)
    return std::nullopt;
  while (dims.size() < 4)
    dims.insert(dims.begin(), constantDim(x.getContext(), 1));
  for (unsigned i = 0; i < 3; ++i)
    if (constantOf(dims[i]) != 1 && !sameDim(dims[i], own[i]))
      return std::nullopt;
  if (constantOf(dims[1]) == 1)
    return Layout::HeadsFirst;
  // There the heads' sizes become those of one dimension.
  return constantOf(dims[2]) == 1 && constantOf(own[2]) && constantOf(own[3]) ? std::optional(Layout::HeadsLast)
                                                                              : std::nullopt;
}

/// Of the dtypes of `precision`.
class Rewrite {
public:
  Rewrite(PatternRewriter &rewriter, Operation *root, Precision precision)
      : rewriter(rewriter), root(root), precision(precision) {}

  /// Replaces the root by x rotated by these angles, of which with `halve` only the first half is read.
  LogicalResult operator()(Value x, Value cos, Value sin, bool interleaved, bool halve) {
    if (!isOf(precision, x))
      return rewriter.notifyMatchFailure(root, refusal(precision, "half precision rounds the products"));
    if (x.getType() != root->getResult(0).getType())
      return rewriter.notifyMatchFailure(root, "the angles broadcast x");
    std::optional<Layout> layout = layoutOf(x, cos);
    if (!layout || layoutOf(x, sin) != layout)
      return rewriter.notifyMatchFailure(root, "the angles are not those of x's batch and sequence, for every head");
    if (halve && (!isDoubled(cos) || !isDoubled(sin)))
      return rewriter.notifyMatchFailure(root, "the halves of the angles are not known to be equal");
    int64_t pairs = typeOf(x).getShape().back() / 2;
    cos = asTable(cos, *layout, halve ? pairs : 0);
    sin = asTable(sin, *layout, halve ? pairs : 0);
    if (*layout == Layout::HeadsFirst) {
      rewriter.replaceOpWithNewOp<RotaryEmbeddingOp>(root, x.getType(), x, cos, sin, Value(), 0, 0, interleaved);
      return success();
    }
    RankedTensorType type = typeOf(x);
    int64_t heads = type.getDimSize(2);
    Dims dims = dimsOf(type);
    auto joined =
        tensorOf({dims[0], dims[1], constantDim(type.getContext(), heads * type.getDimSize(3))}, type.getElementType());
    Value flat = reshape(x, joined, {0, 0, heads * type.getDimSize(3)});
    Value rotated =
        RotaryEmbeddingOp::create(rewriter, root->getLoc(), joined, flat, cos, sin, Value(), heads, 0, interleaved);
    rewriter.replaceOp(root, reshape(rotated, type, {0, 0, heads, type.getDimSize(3)}));
    return success();
  }

private:
  Value reshape(Value value, RankedTensorType type, ArrayRef<int64_t> sizes) {
    return ReshapeOp::create(rewriter, root->getLoc(), type, value, Value(), sizes, false);
  }

  /// Angles as [batch, sequence, pairs].
  Value asTable(Value angles, Layout layout, int64_t pairs) {
    if (pairs > 0)
      angles = makeSlice(rewriter, root->getLoc(), angles, rankOf(angles) - 1, {0, pairs, 1});
    Dims dims = dimsOf(angles.getType());
    Type element = getElementTypeOrSelf(angles);
    if (dims.size() == 4) {
      int64_t heads = layout == Layout::HeadsFirst ? 1 : 2;
      dims.erase(dims.begin() + heads);
      return SqueezeOp::create(rewriter, root->getLoc(), tensorOf(dims, element), angles, heads);
    }
    if (dims.size() == 3 && layout == Layout::HeadsFirst)
      return angles;
    Dim one = constantDim(rewriter.getContext(), 1);
    if (dims.size() == 3) {
      // [sequence, 1, pairs].
      dims = {one, dims[0], dims[2]};
      angles = SqueezeOp::create(rewriter, root->getLoc(), tensorOf({dims[1], dims[2]}, element), angles, int64_t(1));
    } else {
      dims.insert(dims.begin(), one);
    }
    return UnsqueezeOp::create(rewriter, root->getLoc(), tensorOf(dims, element), angles, int64_t(0));
  }

  PatternRewriter &rewriter;
  Operation *root;
  Precision precision;
};

/// x * cos + concat(-second half of x, first half) * sin.
template <Precision precision>
struct TurnedRule : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    if (add.getAlpha().convertToDouble() != 1.0 || !hasNoActivation(add))
      return rewriter.notifyMatchFailure(add, "it has an alpha or an activation");
    for (auto [straight, turned] : bothOrders(add)) {
      MulOp withCos = ownPlain<MulOp>(straight), withSin = ownPlain<MulOp>(turned);
      if (!withCos || !withSin)
        continue;
      for (auto [turn, sin] : bothOrders(withSin))
        for (auto [x, cos] : bothOrders(withCos))
          if (x == turnedBy(turn))
            return Rewrite(rewriter, add, precision)(x, cos, sin, false, true);
    }
    return rewriter.notifyMatchFailure(add, "not x * cos + concat(-second half of x, first half) * sin");
  }

private:
  /// The x of concat(-second half of x, first half of x) that nothing else reads; null for another value.
  static Value turnedBy(Value value) {
    auto concat = value.getDefiningOp<ConcatOp>();
    if (!concat || !isReadOnce(value) || concat.getInputs().size() != 2 ||
        fromStart(concat.getAxis(), rankOf(value)) != rankOf(value) - 1)
      return {};
    auto neg = concat.getInputs()[0].getDefiningOp<NegOp>();
    return neg ? pairedBy(concat.getInputs()[1], neg.getX(), false) : Value();
  }
};

/// a * cos - b * sin and b * cos + a * sin, by their values.
struct Halves {
  Value x, cos, sin;
};

std::optional<Halves> halvesOf(Value first, Value second, bool interleaved) {
  SubOp sub = ownPlain<SubOp>(first);
  AddOp add = ownPlain<AddOp>(second);
  MulOp aCos = sub ? ownPlain<MulOp>(sub.getA()) : MulOp(), bSin = sub ? ownPlain<MulOp>(sub.getB()) : MulOp();
  if (!aCos || !bSin || !add)
    return std::nullopt;
  auto is = [](Value value, Value x, Value y) {
    MulOp mul = ownPlain<MulOp>(value);
    return mul && llvm::is_contained(bothOrders(mul), Operands(x, y));
  };
  for (auto [a, cos] : bothOrders(aCos))
    for (auto [b, sin] : bothOrders(bSin))
      for (auto [bCos, aSin] : bothOrders(add))
        if (Value x = pairedBy(a, b, interleaved); x && is(bCos, b, cos) && is(aSin, a, sin))
          return Halves{x, cos, sin};
  return std::nullopt;
}

/// The two halves computed apart and put together.
template <Precision precision>
struct HalvesRule : OpRewritePattern<ConcatOp> {
  using OpRewritePattern<ConcatOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter &rewriter) const override {
    std::optional<Halves> found;
    if (concat.getInputs().size() == 2 &&
        fromStart(concat.getAxis(), rankOf(concat.getResult())) == rankOf(concat.getResult()) - 1)
      found = halvesOf(concat.getInputs()[0], concat.getInputs()[1], false);
    if (!found)
      return rewriter.notifyMatchFailure(concat,
                                         "not a * cos - b * sin beside b * cos + a * sin, of x's halves a and b");
    return Rewrite(rewriter, concat, precision)(found->x, found->cos, found->sin, false, false);
  }
};

/// The same for neighbours: joined along a new last dimension, which the reshape takes away.
template <Precision precision>
struct NeighboursRule : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern<ReshapeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp reshape, PatternRewriter &rewriter) const override {
    auto concat = reshape.getX().getDefiningOp<ConcatOp>();
    if (!concat || !isReadOnce(concat.getResult()) || concat.getInputs().size() != 2 ||
        fromStart(concat.getAxis(), rankOf(concat.getResult())) != rankOf(concat.getResult()) - 1)
      return rewriter.notifyMatchFailure(reshape, "not of two values joined along a last dimension");
    Value first = underLast(concat.getInputs()[0]), second = underLast(concat.getInputs()[1]);
    std::optional<Halves> found = first && second ? halvesOf(first, second, true) : std::nullopt;
    if (!found)
      return rewriter.notifyMatchFailure(reshape,
                                         "not a * cos - b * sin beside b * cos + a * sin, of neighbours a and b in x");
    return Rewrite(rewriter, reshape, precision)(found->x, found->cos, found->sin, true, false);
  }

private:
  /// What `value` adds a last dimension to, where nothing else reads it.
  static Value underLast(Value value) {
    auto unsqueeze = value.getDefiningOp<UnsqueezeOp>();
    bool adds = unsqueeze && isReadOnce(value) && unsqueeze.getAxes().size() == 1 &&
                fromStart(unsqueeze.getAxes()[0], rankOf(value)) == rankOf(value) - 1;
    return adds ? unsqueeze.getX() : Value();
  }
};

/// The first elements of every head rotated, and the others after them.
struct PartRule : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter &rewriter) const override {
    auto rotary =
        concat.getInputs().size() == 2 ? concat.getInputs()[0].getDefiningOp<RotaryEmbeddingOp>() : RotaryEmbeddingOp();
    if (!rotary || !isReadOnce(rotary.getResult()) || rotary.getRotaryDim() != 0 || rankOf(rotary.getX()) != 4 ||
        fromStart(concat.getAxis(), 4) != 3)
      return rewriter.notifyMatchFailure(concat,
                                         "not of a whole rotary_embedding of its own, along the heads' elements");
    std::optional<Part> first = partOf(rotary.getX()), rest = partOf(concat.getInputs()[1]);
    if (!first || !rest || first->x != rest->x || first->positions.first != 0 || first->positions.step != 1 ||
        rest->positions.first != first->positions.count || rest->positions.step != 1 ||
        typeOf(first->x) != typeOf(concat.getResult()))
      return rewriter.notifyMatchFailure(concat, "not the first elements of one value rotated, beside its others");
    rewriter.replaceOpWithNewOp<RotaryEmbeddingOp>(concat, concat.getType(), first->x, rotary.getCos(), rotary.getSin(),
                                                   rotary.getPositions(), 0, first->positions.count,
                                                   rotary.getInterleaved());
    return success();
  }
};

template <Precision precision>
void populate(RewritePatternSet &p) {
  p.add<TurnedRule<precision>, HalvesRule<precision>, NeighboursRule<precision>>(p.getContext());
}

} // namespace

LogicalResult runDecomposedRotary(TransformContext &context) {
  return applyOnce(context, [](RewritePatternSet &p) {
    populate<Precision::Full>(p);
    p.add<PartRule>(p.getContext());
  });
}

void populateHalfRotary(RewritePatternSet &p) { populate<Precision::Half>(p); }

} // namespace clika
