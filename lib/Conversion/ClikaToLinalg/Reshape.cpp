// reshape, squeeze, unsqueeze, transpose, flip, depth_to_space, space_to_depth, shape, size.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/ShapeOps.h"
#include "Dialect/ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

int64_t positive(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

struct ReshapeLowering : OpConversionPattern<ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReshapeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Indices from = sizesOf(l.b, adaptor.getX());
    Indices to = targetSizes(op, adaptor, l, from);
    Value result = reshaped(l, adaptor.getX(), from, to);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static bool provenSameCount(ReshapeOp op, ArrayRef<Dim> from, ArrayRef<Dim> to) {
    return constantOf(divideProducts(op.getContext(), from, to)) == 1 ||
           (constantOf(productOf(op.getContext(), from)) == 0 && constantOf(productOf(op.getContext(), to)) == 0);
  }

  static Indices targetSizes(ReshapeOp op, OpAdaptor adaptor, Lowering &l, ArrayRef<Index> from) {
    IndexMath &m = l.math;
    Dims old = dimsOf(op.getX().getType()), known = dimsOf(op.getResult().getType());
    Indices to = integerEntries(l, op.getShape(), op.getShapeTensor(), adaptor.getShapeTensor());
    Index none = m.constant(-1), zero = m.constant(0), one = m.constant(1);
    // Sizes that are copied stand on both sides of the division that finds what -1 is, so that 0 elements divide as
    // well.
    Index others = one, whole = one, holes = zero, valid = one;
    SmallVector<bool> settled(to.size(), false);
    for (auto [i, size] : llvm::enumerate(to)) {
      Index copied = zero;
      if (!op.getAllowZero() && i < from.size()) {
        copied = m.equal(size, zero);
        size = m.select(copied, from[i], size);
        whole = m.mul(whole, m.select(copied, one, from[i]));
      } else if (i < from.size()) {
        whole = m.mul(whole, from[i]);
      }
      std::optional<int64_t> constant = constantOf(known[i]);
      std::optional<unsigned> same = placeOf(old, known[i], i);
      if (constant)
        size = m.constant(*constant);
      else if (same)
        size = from[*same];
      settled[i] = constant || same || (i < from.size() && size == from[i]);
      Index hole = settled[i] ? zero : m.equal(size, none);
      others = m.mul(others, m.select(m.either(hole, copied), one, size));
      holes = m.add(holes, m.select(hole, one, zero));
      valid = settled[i] ? valid : m.both(valid, m.atLeast(size, none));
    }
    for (Index size : from.drop_front(std::min(from.size(), to.size())))
      whole = m.mul(whole, size);
    l.check(m.both(valid, m.less(holes, m.constant(2))), "the shape has a negative size other than one -1");
    if (IndexMath::known(holes) != 0) {
      Index left = m.select(m.equal(others, zero), zero, m.div(whole, m.max(others, one)));
      for (auto [size, isSize] : llvm::zip(to, settled))
        if (!isSize)
          size = m.select(m.equal(size, none), left, size);
    }
    if (!provenSameCount(op, old, known)) {
      checkCount(l, to);
      l.check(m.equal(m.product(from), m.product(to)),
              "x of shape " + describe(old) + " has another number of elements than the shape asks for");
    }
    return to;
  }

  // A dimension of x that has the size `dim`, `near` if that one does.
  static std::optional<unsigned> placeOf(ArrayRef<Dim> old, Dim dim, unsigned near) {
    if (near < old.size() && sameDim(old[near], dim))
      return near;
    for (auto [i, other] : llvm::enumerate(old))
      if (sameDim(other, dim))
        return i;
    return std::nullopt;
  }
};

// Groups that join each dimension of size 1 marked in `units` to a neighbour that is not marked.
SmallVector<ReassociationIndices> groupsAround(ArrayRef<bool> units) {
  SmallVector<ReassociationIndices> groups;
  for (auto [i, unit] : llvm::enumerate(units)) {
    bool open = groups.empty() || (!unit && llvm::any_of(groups.back(), [&](int64_t k) { return !units[k]; }));
    if (open)
      groups.emplace_back();
    groups.back().push_back(i);
  }
  if (llvm::all_of(units, [](bool unit) { return unit; }))
    groups.clear();
  return groups;
}

struct SqueezeLowering : OpConversionPattern<SqueezeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SqueezeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX();
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<bool> units(type.getRank(), false);
    for (int64_t axis : op.getAxes())
      units[positive(axis, type.getRank())] = true;
    SmallVector<int64_t> shape(type.getShape()), kept;
    for (auto [i, size] : llvm::enumerate(sizesOf(l.b, x))) {
      if (op.getAxes().empty())
        units[i] = constantOf(dimsOf(op.getX().getType())[i]) == 1;
      if (units[i]) {
        l.check(l.math.equal(size, l.math.constant(1)), "dimension " + Twine(i) + " is to go, but its size is not 1");
        shape[i] = 1;
      } else {
        kept.push_back(shape[i]);
      }
    }
    auto narrow = RankedTensorType::get(shape, type.getElementType());
    if (narrow != type)
      x = tensor::CastOp::create(l.b, narrow, x);
    if (kept.size() != shape.size())
      x = tensor::CollapseShapeOp::create(l.b, RankedTensorType::get(kept, type.getElementType()), x,
                                          groupsAround(units));
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), x, op.getResult().getType()));
    return success();
  }
};

struct UnsqueezeLowering : OpConversionPattern<UnsqueezeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(UnsqueezeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX();
    auto type = cast<RankedTensorType>(x.getType());
    int64_t rank = type.getRank() + op.getAxes().size();
    SmallVector<bool> units(rank, false);
    for (int64_t axis : op.getAxes())
      units[positive(axis, rank)] = true;
    Indices old = sizesOf(l.b, x), sizes;
    SmallVector<int64_t> shape;
    for (int64_t i = 0, next = 0; i < rank; ++i) {
      sizes.push_back(units[i] ? l.math.constant(1) : old[next]);
      shape.push_back(units[i] ? 1 : type.getDimSize(next));
      next += !units[i];
    }
    if (rank != type.getRank())
      x = tensor::ExpandShapeOp::create(l.b, RankedTensorType::get(shape, type.getElementType()), x,
                                        groupsAround(units), sizes);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), x, op.getResult().getType()));
    return success();
  }
};

struct TransposeLowering : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TransposeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    int64_t rank = cast<RankedTensorType>(op.getX().getType()).getRank();
    SmallVector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i)
      perm.push_back(op.getPerm().empty() ? rank - 1 - i : positive(op.getPerm()[i], rank));
    Value result = transposed(l, adaptor.getX(), perm);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct FlipLowering : OpConversionPattern<FlipOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FlipOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    RankedTensorType type = loweredType(op.getX().getType());
    SmallVector<bool> flips(type.getRank(), op.getAxes().empty());
    for (int64_t axis : op.getAxes())
      flips[positive(axis, type.getRank())] = true;
    Indices sizes = sizesOf(l.b, adaptor.getX());
    auto build = [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
      Indices from(at);
      for (auto [i, flip] : llvm::enumerate(flips))
        if (flip)
          from[i] = inner.math.sub(inner.math.sub(sizes[i], inner.math.constant(1)), at[i]);
      return elementAt(inner, adaptor.getX(), from);
    };
    Value result = buildElements(l, sizes, type.getElementType(), build);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// depth_to_space, space_to_depth
//===----------------------------------------------------------------------===//

// x, each dimension in several factors, those moved by `perm`, and the groups of the result joined.
Value rearranged(Lowering &l, Value x, ArrayRef<Indices> factors, ArrayRef<int64_t> perm, ArrayRef<unsigned> joined) {
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  Indices sizes, moved;
  SmallVector<ReassociationIndices> groups, results;
  for (const Indices &dimension : factors) {
    ReassociationIndices &group = groups.emplace_back();
    for (Index factor : dimension) {
      group.push_back(sizes.size());
      sizes.push_back(factor);
    }
  }
  SmallVector<int64_t> shape, narrow;
  for (Index size : sizes)
    shape.push_back(IndexMath::known(size).value_or(ShapedType::kDynamic));
  for (const ReassociationIndices &group : groups) {
    int64_t product = 1;
    for (int64_t i : group)
      product =
          ShapedType::isDynamic(shape[i]) || ShapedType::isDynamic(product) ? ShapedType::kDynamic : product * shape[i];
    narrow.push_back(product);
  }
  auto narrowType = RankedTensorType::get(narrow, element);
  if (x.getType() != narrowType)
    x = tensor::CastOp::create(l.b, narrowType, x);
  x = tensor::ExpandShapeOp::create(l.b, RankedTensorType::get(shape, element), x, groups, sizes);
  x = transposed(l, x, perm);
  int64_t next = 0;
  for (unsigned count : joined) {
    ReassociationIndices &group = results.emplace_back();
    for (unsigned i = 0; i < count; ++i)
      group.push_back(next++);
  }
  return tensor::CollapseShapeOp::create(l.b, x, results);
}

struct DepthToSpaceLowering : OpConversionPattern<DepthToSpaceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DepthToSpaceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    int64_t size = op.getBlockSize();
    Index block = l.math.constant(size), area = l.math.constant(size * size);
    Indices x = sizesOf(l.b, adaptor.getX());
    l.check(l.math.equal(l.math.mod(x[1], area), l.math.constant(0)), "block_size^2 does not divide the channels");
    Index depth = l.math.div(x[1], area);
    bool depthFirst = op.getMode() == "Dcr";
    Indices channels = depthFirst ? Indices{block, block, depth} : Indices{depth, block, block};
    SmallVector<int64_t> perm =
        depthFirst ? SmallVector<int64_t>{0, 3, 4, 1, 5, 2} : SmallVector<int64_t>{0, 1, 4, 2, 5, 3};
    Value result = rearranged(l, adaptor.getX(), {{x[0]}, channels, {x[2]}, {x[3]}}, perm, {1, 1, 2, 2});
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct SpaceToDepthLowering : OpConversionPattern<SpaceToDepthOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SpaceToDepthOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Index block = l.math.constant(op.getBlockSize());
    Indices x = sizesOf(l.b, adaptor.getX());
    for (unsigned i : {2, 3})
      l.check(l.math.equal(l.math.mod(x[i], block), l.math.constant(0)),
              "block_size does not divide dimension " + Twine(i));
    Value result = rearranged(l, adaptor.getX(),
                              {{x[0]}, {x[1]}, {l.math.div(x[2], block), block}, {l.math.div(x[3], block), block}},
                              {0, 3, 5, 1, 2, 4}, {1, 3, 1, 1});
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// shape, size
//===----------------------------------------------------------------------===//

Value integers(Lowering &l, ArrayRef<Index> list, RankedTensorType type) {
  SmallVector<int64_t> constants;
  for (Index index : list)
    if (std::optional<int64_t> value = IndexMath::known(index))
      constants.push_back(*value);
  if (constants.size() == list.size())
    return arith::ConstantOp::create(l.b, DenseElementsAttr::get(type, ArrayRef<int64_t>(constants)));
  SmallVector<Value> elements;
  for (Index index : list)
    elements.push_back(arith::IndexCastOp::create(l.b, l.b.getI64Type(), l.math.value(index)));
  return tensor::FromElementsOp::create(l.b, type, elements);
}

struct ShapeLowering : OpConversionPattern<ShapeOfOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ShapeOfOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Indices sizes = sizesOf(l.b, adaptor.getX());
    int64_t rank = sizes.size(), end = op.getEnd().value_or(rank);
    int64_t first = std::clamp<int64_t>(positive(op.getStart(), rank), 0, rank);
    int64_t last = std::clamp<int64_t>(positive(end, rank), first, rank);
    Value result = integers(l, ArrayRef(sizes).slice(first, last - first),
                            RankedTensorType::get({last - first}, l.b.getI64Type()));
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct SizeLowering : OpConversionPattern<SizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Index count = l.math.product(sizesOf(l.b, adaptor.getX()));
    rewriter.replaceOp(op, integers(l, {count}, loweredType(op.getResult().getType())));
    return success();
  }
};

} // namespace

void populateReshapeToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ReshapeLowering, SqueezeLowering, UnsqueezeLowering, TransposeLowering, FlipLowering,
               DepthToSpaceLowering, SpaceToDepthLowering, ShapeLowering, SizeLowering>(converter,
                                                                                        patterns.getContext());
}

} // namespace clika
