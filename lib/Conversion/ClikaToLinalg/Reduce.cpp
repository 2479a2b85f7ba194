// reduce_*, argmax and argmin.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/Axes.h"
#include "Dialect/ReduceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// What is done with the elements and, once, with each result, for each op. `t` is outside of loops.
template <typename Op>
struct Recipe;

template <>
struct Recipe<ReduceSumOp> {
  static Reduction reduction(TensorBuilder &t, Type element) { return sumOf(t, element); }
};
template <>
struct Recipe<ReduceMaxOp> {
  static Reduction reduction(TensorBuilder &t, Type element) { return maximumOf(t, element); }
};
template <>
struct Recipe<ReduceMinOp> {
  static Reduction reduction(TensorBuilder &t, Type element) { return minimumOf(t, element); }
};
template <>
struct Recipe<ReduceProdOp> {
  static Reduction reduction(TensorBuilder &t, Type element) {
    Reduction product = sumOf(t, element);
    product.neutral = t.b.getOneAttr(computedElement(element));
    product.combine = multiplyScalars;
    return product;
  }
};
template <>
struct Recipe<ReduceL1Op> {
  static Reduction reduction(TensorBuilder &t, Type element) {
    Reduction sum = sumOf(t, element);
    sum.element = [element](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      Value x = toComputed(b, scalars[0], element);
      if (isa<FloatType>(x.getType()))
        return math::AbsFOp::create(b, x);
      return element.isUnsignedInteger() ? x : math::AbsIOp::create(b, x).getResult();
    };
    return sum;
  }
};
template <>
struct Recipe<ReduceSumsqOp> {
  static Reduction reduction(TensorBuilder &t, Type element) {
    Reduction sum = sumOf(t, element);
    sum.element = [element](ImplicitLocOpBuilder &b, ValueRange scalars) {
      Value x = toComputed(b, scalars[0], element);
      return multiplyScalars(b, x, x);
    };
    return sum;
  }
};
template <>
struct Recipe<ReduceL2Op> : Recipe<ReduceSumsqOp> {};
template <>
struct Recipe<ReduceMeanOp> : Recipe<ReduceSumOp> {};

// The mean of integers: the wrapped sum divided by the number of elements, 0 where there are none.
Value integerMean(ImplicitLocOpBuilder &b, Value sum, Value count, bool isUnsigned) {
  Type wide = b.getI64Type(), narrow = sum.getType();
  if (narrow != wide)
    sum = isUnsigned ? arith::ExtUIOp::create(b, wide, sum).getResult()
                     : arith::ExtSIOp::create(b, wide, sum).getResult();
  Value divisor = arith::MaxSIOp::create(b, count, arith::ConstantOp::create(b, b.getI64IntegerAttr(1)));
  Value mean = isUnsigned ? arith::DivUIOp::create(b, sum, divisor).getResult()
                          : arith::DivSIOp::create(b, sum, divisor).getResult();
  return narrow == wide ? mean : arith::TruncIOp::create(b, narrow, mean).getResult();
}

/// The result of dtype `element` from the accumulators.
template <typename Op>
Value finishReduction(TensorBuilder &t, Value input, ArrayRef<int64_t> axes, Value sums, Type element) {
  Type computed = computedElement(element);
  bool isFloat = isa<FloatType>(computed);
  Value count;
  if constexpr (std::is_same_v<Op, ReduceMeanOp>)
    count = countOf(t, input, axes, isFloat ? computed : t.b.getI64Type());
  bool same = computed == storedElement(element);
  if (same && !count && !std::is_same_v<Op, ReduceL2Op>)
    return sums;
  Sizes sizes = t.sizesOf(sums);
  return t.map(sizes, storedElement(element), sums, t.identity(sizes.size()),
               [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
                 Value result = scalars[0];
                 if constexpr (std::is_same_v<Op, ReduceMeanOp>)
                   result = isFloat ? arith::DivFOp::create(b, result, count).getResult()
                                    : integerMean(b, result, count, element.isUnsignedInteger());
                 if constexpr (std::is_same_v<Op, ReduceL2Op>)
                   result = math::SqrtOp::create(b, result);
                 return toStored(b, result, element);
               });
}

// `reduced` with its reduced dimensions put back, of size 1, where they are kept.
Value shaped(TensorBuilder &t, Value reduced, ArrayRef<int64_t> axes, bool keepdims) {
  if (keepdims)
    for (int64_t axis : axes)
      reduced = t.addUnit(reduced, axis);
  return reduced;
}

template <typename Op>
struct ReduceLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto input = cast<RankedTensorType>(op.getX().getType());
    FailureOr<SmallVector<int64_t>> axes = readAxes(std::nullopt, op.getOperationName(), op.getAxes(), input.getRank());
    if (failed(axes))
      return failure();
    Type element = input.getElementType();
    Value sums = reduce(t, adaptor.getX(), {}, *axes, Recipe<Op>::reduction(t, element));
    Value result = finishReduction<Op>(t, adaptor.getX(), *axes, sums, element);
    result = shaped(t, result, *axes, op.getKeepdims());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// Subtracts the maximum, which is 0 for a row without elements.
struct LogsumexpLowering : OpConversionPattern<ReduceLogsumexpOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReduceLogsumexpOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto input = cast<RankedTensorType>(op.getX().getType());
    FailureOr<SmallVector<int64_t>> axes = readAxes(std::nullopt, "", op.getAxes(), input.getRank());
    if (failed(axes))
      return failure();
    Type element = input.getElementType();
    Value x = adaptor.getX();
    Value highest = reduce(t, x, {}, *axes, maximumOf(t, element));
    Reduction exponentials = sumOf(t, element);
    exponentials.element = [element](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      return math::ExpOp::create(b, arith::SubFOp::create(b, toComputed(b, scalars[0], element), scalars[1]));
    };
    Value sums = reduce(t, x, highest, *axes, exponentials);
    Value count = countOf(t, x, *axes, t.b.getI64Type());
    Sizes sizes = t.sizesOf(sums);
    AffineMap own = t.identity(sizes.size());
    Value result = t.map(sizes, storedElement(element), {highest, sums}, {own, own},
                         [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
                           Value log = math::LogOp::create(b, scalars[1]);
                           Value sum = arith::AddFOp::create(b, scalars[0], log);
                           Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, count,
                                                              arith::ConstantOp::create(b, b.getI64IntegerAttr(0)));
                           Value lowest = arith::ConstantOp::create(b, lowestOf(b, element));
                           return toStored(b, arith::SelectOp::create(b, none, lowest, sum), element);
                         });
    result = shaped(t, result, *axes, op.getKeepdims());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// The extreme value first, then the first (or last) place that holds it; a NaN is found by being one.
template <typename Op>
struct ArgLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Value x = adaptor.getX();
    auto input = cast<RankedTensorType>(op.getX().getType());
    int64_t rank = input.getRank();
    SmallVector<int64_t> axes;
    if (op.getAxis() && rank > 0) {
      FailureOr<int64_t> axis = readAxis(std::nullopt, "", *op.getAxis(), rank);
      if (failed(axis))
        return failure();
      axes.push_back(*axis);
    } else {
      axes = dimRange(0, rank);
    }
    for (int64_t axis : axes)
      t.require(arith::CmpIPredicate::sgt, t.sizeOf(x, axis), t.size(0),
                "dimension " + Twine(axis) + " of x has no elements");
    Type element = input.getElementType();
    bool isMax = std::is_same_v<Op, ArgmaxOp>;
    Value extreme = reduce(t, x, {}, axes, isMax ? maximumOf(t, element) : minimumOf(t, element));
    Value result =
        shaped(t, reduce(t, x, extreme, axes, placeOf(t, element, op.getSelectLast())), axes, op.getKeepdims());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

  static Reduction placeOf(TensorBuilder &t, Type element, bool last) {
    Reduction place;
    int64_t none = last ? -1 : std::numeric_limits<int64_t>::max();
    place.neutral = t.b.getI64IntegerAttr(none);
    place.indexed = true;
    place.element = [element, none](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      Value x = toComputed(b, scalars[0], element), extreme = scalars[1], found;
      if (isa<FloatType>(x.getType())) {
        Value equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, extreme);
        // Where the extreme is a NaN, so is some x; no other x is unordered with itself.
        found = arith::OrIOp::create(b, equal, arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x));
      } else {
        found = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, extreme);
      }
      Value index = arith::IndexCastOp::create(b, b.getI64Type(), scalars[2]);
      return arith::SelectOp::create(b, found, index, arith::ConstantOp::create(b, b.getI64IntegerAttr(none)));
    };
    place.combine = [last](ImplicitLocOpBuilder &b, Value x, Value y) -> Value {
      if (last)
        return arith::MaxSIOp::create(b, x, y);
      return arith::MinSIOp::create(b, x, y);
    };
    return place;
  }
};

} // namespace

void populateReduceToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ReduceLowering<ReduceSumOp>, ReduceLowering<ReduceMeanOp>, ReduceLowering<ReduceMaxOp>,
               ReduceLowering<ReduceMinOp>, ReduceLowering<ReduceProdOp>, ReduceLowering<ReduceL1Op>,
               ReduceLowering<ReduceL2Op>, ReduceLowering<ReduceSumsqOp>, LogsumexpLowering, ArgLowering<ArgmaxOp>,
               ArgLowering<ArgminOp>>(converter, patterns.getContext());
}

} // namespace clika
