// quantize, dequantize.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/QuantizeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {
namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// x, scale and the zero point, element by element. `stored` is the result's element type.
template <typename Op>
Value quantizedElements(Lowering &l, Op op, typename Op::Adaptor adaptor, Type stored,
                        llvm::function_ref<Value(Lowering &inner, Value x, Value scale, Value zero)> build) {
  Indices sizes = sizesOf(l.b, adaptor.getX());
  auto scaleType = cast<RankedTensorType>(op.getScale().getType());
  int64_t rank = sizes.size(), axis = op.getAxis(), block = op.getBlockSize();
  axis += axis < 0 ? rank : 0;
  bool one = scaleType.getRank() <= 1 && scaleType.hasStaticShape() && scaleType.getNumElements() == 1;
  AffineMap identity = l.b.getMultiDimIdentityMap(rank), map;
  Indices given = sizesOf(l.b, adaptor.getScale());
  if (block > 0) {
    for (auto [i, size] : llvm::enumerate(given)) {
      Index want = static_cast<int64_t>(i) == axis ? l.math.ceilDiv(sizes[i], l.math.constant(block)) : sizes[i];
      l.check(l.math.equal(size, want), "scale has another size than the blocks of x in dimension " + Twine(i));
    }
  } else if (one) {
    map = AffineMap::get(rank, 0, SmallVector<AffineExpr>(scaleType.getRank(), l.b.getAffineConstantExpr(0)),
                         l.b.getContext());
  } else {
    l.check(l.math.equal(given[0], sizes[axis]), "scale and x have different sizes along axis");
    map = AffineMap::get(rank, 0, {l.b.getAffineDimExpr(axis)}, l.b.getContext());
  }
  Value zeros = adaptor.getZeroPoint();
  if (zeros)
    for (auto [i, size] : llvm::enumerate(sizesOf(l.b, zeros)))
      l.check(l.math.equal(size, given[i]), "scale and zero_point have different sizes in dimension " + Twine(i));
  SmallVector<Value> inputs{adaptor.getX()};
  SmallVector<AffineMap> maps{identity};
  if (block == 0) {
    inputs.push_back(adaptor.getScale());
    if (zeros)
      inputs.push_back(zeros);
    maps.append(inputs.size() - 1, map);
  }
  return buildElements(l, sizes, stored, inputs, maps, [&](Lowering &inner, ArrayRef<Index> at, ValueRange args) {
    if (block == 0)
      return build(inner, args[0], args[1], zeros ? args[2] : Value());
    Indices place(at);
    place[axis] = inner.math.div(at[axis], inner.math.constant(block));
    return build(inner, args[0], elementAt(inner, adaptor.getScale(), place),
                 zeros ? elementAt(inner, zeros, place) : Value());
  });
}

// A quantized integer as a wider one.
Value widened(Lowering &l, Value stored, Type element, Type wide) {
  if (stored.getType() == wide)
    return stored;
  if (element.isUnsignedInteger())
    return arith::ExtUIOp::create(l.b, wide, stored);
  return arith::ExtSIOp::create(l.b, wide, stored);
}

struct QuantizeLowering : OpConversionPattern<QuantizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(QuantizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Type x = elementOf(op.getX());
    auto element = cast<IntegerType>(elementOf(op.getResult()));
    auto build = [&](Lowering &inner, Value value, Value scale, Value zero) -> Value {
      ImplicitLocOpBuilder &b = inner.b;
      Value quotient = arith::DivFOp::create(b, toComputed(b, value, x), toComputed(b, scale, x));
      return saturated(inner, math::RoundEvenOp::create(b, quotient), zero, element);
    };
    Value result = quantizedElements(l, op, adaptor, storedElement(element), build);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  // rounded + zero in the range of `element`; zero where `rounded` is NaN. In float64, where the sum is exact as far as
  // it does not saturate, for 32 bits; in float32 for fewer.
  static Value saturated(Lowering &l, Value rounded, Value zero, IntegerType element) {
    ImplicitLocOpBuilder &b = l.b;
    bool wide = element.getWidth() == 32, isUnsigned = element.isUnsigned();
    if (wide && !rounded.getType().isF64())
      rounded = arith::ExtFOp::create(b, b.getF64Type(), rounded);
    auto number = cast<FloatType>(rounded.getType());
    Type integer = wide ? b.getI64Type() : b.getI32Type();
    auto constant = [&](double value) -> Value { return arith::ConstantOp::create(b, b.getFloatAttr(number, value)); };
    Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, rounded, rounded);
    Value sum = arith::SelectOp::create(b, nan, constant(0.0), rounded);
    if (zero)
      sum = arith::AddFOp::create(b, sum, arith::SIToFPOp::create(b, number, widened(l, zero, element, integer)));
    double range = std::ldexp(1.0, element.getWidth() - !isUnsigned);
    // Of no NaN, and for integers, where zeros are alike: each of these is one instruction.
    Value low = constant(isUnsigned ? 0.0 : -range), high = constant(range - 1.0);
    auto choose = [&](arith::CmpFPredicate is, Value bound) {
      sum = arith::SelectOp::create(b, arith::CmpFOp::create(b, is, sum, bound), sum, bound);
    };
    choose(arith::CmpFPredicate::OGT, low);
    choose(arith::CmpFPredicate::OLT, high);
    return arith::TruncIOp::create(b, storedElement(element), arith::FPToSIOp::create(b, integer, sum));
  }
};

struct DequantizeLowering : OpConversionPattern<DequantizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(DequantizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Type x = elementOf(op.getX()), result = elementOf(op.getResult());
    Type integer = x.getIntOrFloatBitWidth() == 32 ? l.b.getI64Type() : l.b.getI32Type();
    auto build = [&](Lowering &inner, Value value, Value scale, Value zero) -> Value {
      ImplicitLocOpBuilder &b = inner.b;
      Value difference = widened(inner, value, x, integer);
      if (zero)
        difference = arith::SubIOp::create(b, difference, widened(inner, zero, x, integer));
      Value steps = arith::SIToFPOp::create(b, computedElement(result), difference);
      return toStored(b, arith::MulFOp::create(b, steps, toComputed(b, scale, result)), result);
    };
    Value lowered = quantizedElements(l, op, adaptor, storedElement(result), build);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), lowered, op.getResult().getType()));
    return success();
  }
};

} // namespace

void populateQuantizeToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<QuantizeLowering, DequantizeLowering>(converter, patterns.getContext());
}

} // namespace clika
