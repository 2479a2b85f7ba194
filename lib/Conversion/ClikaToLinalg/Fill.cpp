// expand, tile, full, range.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

struct ExpandLowering : OpConversionPattern<ExpandOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ExpandOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    IndexMath &m = l.math;
    Value x = adaptor.getX();
    Indices own = sizesOf(l.b, x),
            target = integerEntries(l, op.getShape(), op.getShapeTensor(), adaptor.getShapeTensor());
    Dims from = dimsOf(op.getX().getType()), to = dimsOf(op.getResult().getType());
    size_t rank = to.size(), offset = rank - own.size(), skipped = rank - target.size();
    Index one = m.constant(1);
    Indices sizes;
    SmallVector<AffineExpr> exprs;
    bool sure = true;
    for (size_t i = 0; i < rank; ++i) {
      Index asked = i < skipped ? one : target[i - skipped];
      l.check(m.atLeast(asked, m.constant(0)), "a size of the shape is negative");
      if (i < offset) {
        sizes.push_back(asked);
        continue;
      }
      Index mine = own[i - offset];
      bool isOne = IndexMath::known(mine) == 1;
      bool keeps = IndexMath::known(mine) || IndexMath::known(asked) == 1 || sameDim(from[i - offset], to[i]);
      Index fits = m.either(m.equal(asked, one), m.equal(asked, mine));
      if (!isOne)
        l.check(keeps ? fits : m.either(m.equal(mine, one), fits),
                "x does not broadcast with the shape in dimension " + Twine(i));
      sizes.push_back(isOne ? asked : keeps ? mine : m.select(m.equal(mine, one), asked, mine));
      exprs.push_back(isOne ? l.b.getAffineConstantExpr(0) : l.b.getAffineDimExpr(i));
      sure &= keeps;
    }
    checkCount(l, sizes);
    Type element = cast<RankedTensorType>(x.getType()).getElementType();
    Value result = sure ? broadcastBy(l, x, sizes, exprs) : pickedElements(l, x, own, sizes, element);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static Value broadcastBy(Lowering &l, Value x, ArrayRef<Index> sizes, ArrayRef<AffineExpr> exprs) {
    AffineMap map = AffineMap::get(sizes.size(), 0, exprs, l.b.getContext());
    return buildElements(l, sizes, cast<RankedTensorType>(x.getType()).getElementType(), x, map,
                         [](Lowering &, ArrayRef<Index>, ValueRange inputs) { return inputs[0]; });
  }

  // Where it turns out at run time which sizes are 1.
  static Value pickedElements(Lowering &l, Value x, ArrayRef<Index> own, ArrayRef<Index> sizes, Type element) {
    return buildElements(l, sizes, element, [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
      Indices from;
      for (auto [size, i] : llvm::zip(own, at.take_back(own.size())))
        from.push_back(inner.math.min(i, inner.math.sub(size, inner.math.constant(1))));
      return elementAt(inner, x, from);
    });
  }
};

struct TileLowering : OpConversionPattern<TileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TileOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX();
    Indices own = sizesOf(l.b, x), sizes;
    Indices repeats = integerEntries(l, op.getRepeats(), op.getRepeatsTensor(), adaptor.getRepeatsTensor());
    SmallVector<AffineExpr> exprs;
    SmallVector<ReassociationIndices> groups;
    for (auto [size, repeat] : llvm::zip(own, repeats)) {
      l.check(l.math.atLeast(repeat, l.math.constant(0)), "a repeat is negative");
      ReassociationIndices &group = groups.emplace_back();
      if (IndexMath::known(repeat) != 1) {
        group.push_back(sizes.size());
        sizes.push_back(repeat);
      }
      group.push_back(sizes.size());
      exprs.push_back(l.b.getAffineDimExpr(sizes.size()));
      sizes.push_back(size);
    }
    checkCount(l, sizes);
    AffineMap map = AffineMap::get(sizes.size(), 0, exprs, l.b.getContext());
    Value result = buildElements(l, sizes, cast<RankedTensorType>(x.getType()).getElementType(), x, map,
                                 [](Lowering &, ArrayRef<Index>, ValueRange inputs) { return inputs[0]; });
    if (sizes.size() != own.size())
      result = tensor::CollapseShapeOp::create(l.b, result, groups);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct FullLowering : OpConversionPattern<FullOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FullOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Indices sizes = integerEntries(l, op.getShape(), op.getShapeTensor(), adaptor.getShapeTensor());
    for (Index size : sizes)
      l.check(l.math.atLeast(size, l.math.constant(0)), "a size is negative");
    checkCount(l, sizes);
    Type element = cast<RankedTensorType>(op.getResult().getType()).getElementType();
    Value value =
        op.getValueTensor() ? onlyElement(l, adaptor.getValueTensor()) : storedScalar(l, op.getValueAttr(), element);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), filled(l, sizes, value), op.getResult().getType()));
    return success();
  }
};

struct RangeLowering : OpConversionPattern<RangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RangeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Type element = cast<RankedTensorType>(op.getResult().getType()).getElementType();
    Attribute one = l.b.getI64IntegerAttr(1);
    Value start = bound(l, op.getStartAttr(), adaptor.getStartTensor(), element);
    Value limit = bound(l, op.getLimitAttr(), adaptor.getLimitTensor(), element);
    Value delta = bound(l, op.getDeltaAttr() ? op.getDeltaAttr() : one, adaptor.getDeltaTensor(), element);
    std::optional<int64_t> known = constantOf(dimsOf(op.getResult().getType())[0]);
    Index length = known                     ? l.math.constant(*known)
                   : isa<FloatType>(element) ? floatLength(l, start, limit, delta)
                                             : integerLength(l, start, limit, delta, element);
    checkCount(l, length);
    Value result = buildElements(
        l, {length}, storedElement(element), [&](Lowering &inner, ArrayRef<Index> at, ValueRange) -> Value {
          Value i = arith::IndexCastOp::create(inner.b, inner.b.getI64Type(), inner.math.value(at[0]));
          return toStored(inner.b, elementOf(inner, i, start, delta), element);
        });
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static Value bound(Lowering &l, Attribute literal, Value tensor, Type element) {
    return toComputed(l.b, tensor ? onlyElement(l, tensor) : storedScalar(l, literal, element), element);
  }

  static Value elementOf(Lowering &l, Value i, Value start, Value delta) {
    Type type = start.getType();
    if (isa<FloatType>(type)) {
      Value steps = arith::MulFOp::create(l.b, arith::SIToFPOp::create(l.b, type, i), delta);
      return arith::AddFOp::create(l.b, start, steps);
    }
    if (!type.isInteger(64))
      i = arith::TruncIOp::create(l.b, type, i);
    return arith::AddIOp::create(l.b, start, arith::MulIOp::create(l.b, i, delta));
  }

  static Index floatLength(Lowering &l, Value start, Value limit, Value delta) {
    Type f64 = l.b.getF64Type();
    auto wide = [&](Value value) -> Value {
      return value.getType() == f64 ? value : Value(arith::ExtFOp::create(l.b, f64, value));
    };
    auto number = [&](double value) { return arith::ConstantOp::create(l.b, l.b.getF64FloatAttr(value)); };
    Value step = wide(delta);
    l.check(Index(arith::CmpFOp::create(l.b, arith::CmpFPredicate::UNE, step, number(0.0)).getResult()), "delta is 0");
    Value span = arith::SubFOp::create(l.b, wide(limit), wide(start));
    Value steps = math::CeilOp::create(l.b, arith::DivFOp::create(l.b, span, step));
    Value fits = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, steps, number(9e15));
    l.check(Index(fits), "start, limit and delta give no number of elements");
    return l.math.max(toIndex(l, steps, f64), l.math.constant(0));
  }

  static Index integerLength(Lowering &l, Value start, Value limit, Value delta, Type element) {
    Type i64 = l.b.getI64Type();
    bool isUnsigned = element.isUnsignedInteger();
    auto wide = [&](Value value, bool sign) -> Value {
      if (value.getType() == i64)
        return value;
      return sign ? Value(arith::ExtSIOp::create(l.b, i64, value)) : Value(arith::ExtUIOp::create(l.b, i64, value));
    };
    auto number = [&](int64_t value) { return arith::ConstantOp::create(l.b, l.b.getI64IntegerAttr(value)); };
    auto compare = [&](arith::CmpIPredicate kind, Value x, Value y) -> Value {
      return arith::CmpIOp::create(l.b, kind, x, y);
    };
    auto select = [&](Value condition, Value x, Value y) -> Value {
      return arith::SelectOp::create(l.b, condition, x, y);
    };
    Value first = wide(start, !isUnsigned), last = wide(limit, !isUnsigned), step = wide(delta, !isUnsigned);
    l.check(Index(compare(arith::CmpIPredicate::ne, step, number(0))), "delta is 0");
    Value up = isUnsigned ? Value(arith::ConstantIntOp::create(l.b, 1, 1))
                          : compare(arith::CmpIPredicate::sgt, step, number(0));
    Value low = select(up, first, last), high = select(up, last, first);
    auto below = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value some = compare(below, low, high);
    Value stride = select(up, step, arith::SubIOp::create(l.b, number(0), step));
    stride = select(compare(arith::CmpIPredicate::eq, stride, number(0)), number(1), stride);
    Value span = arith::SubIOp::create(l.b, arith::SubIOp::create(l.b, high, low), number(1));
    Value count = arith::AddIOp::create(l.b, arith::DivUIOp::create(l.b, span, stride), number(1));
    count = select(some, count, number(0));
    return Index(arith::IndexCastOp::create(l.b, l.b.getIndexType(), count).getResult());
  }
};

} // namespace

void populateFillToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ExpandLowering, TileLowering, FullLowering, RangeLowering>(converter, patterns.getContext());
}

} // namespace clika
