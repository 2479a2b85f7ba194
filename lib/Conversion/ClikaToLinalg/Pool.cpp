// Pools over windows and over whole channels. Windows are reduced with the channels last.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Conversion/ClikaToLinalg/WindowPlan.h"
#include "Dialect/PoolOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {
namespace {

Sizes constants(TensorBuilder &t, ArrayRef<int64_t> values) {
  Sizes sizes;
  for (int64_t value : values)
    sizes.push_back(t.size(value));
  return sizes;
}

// x with the channels last and padded, and the windows over it.
struct Windows {
  Window window;
  WindowPlan plan;
  SmallVector<int64_t> kernel;
  Value x;
  Sizes sizes; // of x before it was padded, spatial only

  unsigned rank() const { return kernel.size(); }
};

template <typename Op>
FailureOr<Windows> windowsOf(TensorBuilder &t, Op op, Value x, TypedAttr padding) {
  Windows windows;
  windows.kernel.assign(op.getKernel().begin(), op.getKernel().end());
  FailureOr<Window> window =
      readWindow(std::nullopt, op.getOperationName(), windows.rank(), op.getStrides(), op.getKernel(), op.getPads(),
                 op.getDilations(), op.getAutoPad(), op.getCeilMode());
  if (failed(window))
    return failure();
  windows.window = *window;
  Sizes sizes = t.sizesOf(x);
  windows.sizes.assign(sizes.begin() + 2, sizes.end());
  windows.plan = planWindows(t, windows.sizes, constants(t, windows.kernel), *window);
  windows.x = padSpatial(t, channelsLast(t, x), windows.plan.low, windows.plan.high, padding);
  return windows;
}

Sizes resultSizes(TensorBuilder &t, const Windows &windows) {
  Sizes sizes{t.sizeOf(windows.x, 0)};
  sizes.append(windows.plan.count.begin(), windows.plan.count.end());
  sizes.push_back(t.sizeOf(windows.x, windows.rank() + 1));
  return sizes;
}

// Loops: batch, windows, then the positions in a window, then channels. `beside` are tensors of the result's shape,
// whose elements `element` sees after x's.
Value reduceWindows(TensorBuilder &t, const Windows &windows, ValueRange beside, const Reduction &reduction) {
  unsigned rank = windows.rank(), loopCount = 2 * rank + 2, channel = 2 * rank + 1;
  auto dim = [&](unsigned i) { return t.b.getAffineDimExpr(i); };
  SmallVector<AffineExpr> xMap{dim(0)}, windowMap;
  SmallVector<int64_t> resultDims = dimRange(0, rank + 1);
  for (unsigned i = 0; i < rank; ++i) {
    xMap.push_back(dim(1 + i) * windows.window.strides[i] + dim(rank + 1 + i) * windows.window.dilations[i]);
    windowMap.push_back(dim(rank + 1 + i));
  }
  xMap.push_back(dim(channel));
  resultDims.push_back(channel);
  AffineMap result = t.mapTo(loopCount, resultDims);
  SmallVector<Value> operands{windows.x};
  operands.append(beside.begin(), beside.end());
  // Only its shape is read: it says how large a window is.
  operands.push_back(t.empty(constants(t, windows.kernel), t.b.getI8Type()));
  SmallVector<AffineMap> maps{AffineMap::get(loopCount, 0, xMap, t.b.getContext())};
  maps.append(beside.size(), result);
  maps.push_back(AffineMap::get(loopCount, 0, windowMap, t.b.getContext()));
  maps.push_back(result);
  SmallVector<utils::IteratorType> loops(loopCount, utils::IteratorType::parallel);
  for (unsigned i = 0; i < rank; ++i)
    loops[rank + 1 + i] = utils::IteratorType::reduction;
  return t.generic(operands, t.filled(resultSizes(t, windows), reduction.neutral), maps, loops,
                   [&](ImplicitLocOpBuilder &b, ValueRange scalars, SmallVectorImpl<Value> &results) {
                     Value element = reduction.element(b, scalars.drop_back(2));
                     results.push_back(reduction.combine(b, scalars.back(), element));
                   })[0];
}

// A maximum needs no wider type than x's own.
Reduction storedMaximum(TensorBuilder &t, Type element) {
  Reduction maximum = maximumOf(t, element);
  if (element.isF16() || element.isBF16()) {
    auto type = cast<FloatType>(element);
    maximum.neutral = t.b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), true));
    maximum.element = [](ImplicitLocOpBuilder &, ValueRange scalars) { return scalars[0]; };
  }
  return maximum;
}

struct MaxPoolLowering : OpConversionPattern<MaxPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MaxPoolOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Reduction maximum = storedMaximum(t, getElementTypeOrSelf(op.getX().getType()));
    FailureOr<Windows> windows = windowsOf(t, op, adaptor.getX(), maximum.neutral);
    if (failed(windows))
      return failure();
    Value result = channelsSecond(t, reduceWindows(t, *windows, {}, maximum));
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// The maxima, then the first place in each window, within x, that holds its maximum.
struct MaxPoolWithIndicesLowering : OpConversionPattern<MaxPoolWithIndicesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MaxPoolWithIndicesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Reduction maximum = storedMaximum(t, getElementTypeOrSelf(op.getX().getType()));
    FailureOr<Windows> windows = windowsOf(t, op, adaptor.getX(), maximum.neutral);
    if (failed(windows))
      return failure();
    Value maxima = reduceWindows(t, *windows, {}, maximum);
    Value places = reduceWindows(t, *windows, maxima, placeOf(t, *windows));
    places = t.map(t.sizesOf(places), t.b.getI64Type(), places, t.identity(windows->rank() + 2),
                   [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
                     Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, scalars[0], constant(b, kNone));
                     return arith::SelectOp::create(b, none, constant(b, -1), scalars[0]);
                   });
    Value first = castToLowered(rewriter, op.getLoc(), channelsSecond(t, maxima), op.getResult().getType());
    Value second = castToLowered(rewriter, op.getLoc(), channelsSecond(t, places), op.getIndices().getType());
    rewriter.replaceOp(op, ValueRange{first, second});
    return success();
  }

private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }

  static Reduction placeOf(TensorBuilder &t, const Windows &windows) {
    unsigned rank = windows.rank();
    SmallVector<Value> sizes, starts;
    for (unsigned i = 0; i < rank; ++i) {
      sizes.push_back(t.indexOf(windows.sizes[i]));
      starts.push_back(t.indexOf(windows.plan.low[i]));
    }
    Value channels = t.indexOf(t.sizeOf(windows.x, rank + 1));
    Reduction place;
    place.neutral = t.b.getI64IntegerAttr(kNone);
    place.element = [=, &windows](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
      Value found = isSame(b, scalars[0], scalars[1]);
      Value batch = linalg::IndexOp::create(b, 0), channel = linalg::IndexOp::create(b, 2 * rank + 1);
      Value flat = arith::AddIOp::create(b, arith::MulIOp::create(b, batch, channels), channel);
      for (unsigned i = 0; i < rank; ++i) {
        Value start = arith::MulIOp::create(b, linalg::IndexOp::create(b, 1 + i), index(windows.window.strides[i]));
        Value step =
            arith::MulIOp::create(b, linalg::IndexOp::create(b, rank + 1 + i), index(windows.window.dilations[i]));
        Value at = arith::SubIOp::create(b, arith::AddIOp::create(b, start, step), starts[i]);
        // A negative position is a large one without its sign.
        Value within = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, sizes[i]);
        found = arith::AndIOp::create(b, found, within);
        flat = arith::AddIOp::create(b, arith::MulIOp::create(b, flat, sizes[i]), at);
      }
      Value integer = arith::IndexCastOp::create(b, b.getI64Type(), flat);
      return arith::SelectOp::create(b, found, integer, constant(b, kNone));
    };
    place.combine = [](ImplicitLocOpBuilder &b, Value x, Value y) -> Value { return arith::MinSIOp::create(b, x, y); };
    return place;
  }

  static Value isSame(ImplicitLocOpBuilder &b, Value x, Value maximum) {
    if (!isa<FloatType>(x.getType()))
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, maximum);
    // A NaN among the elements is the maximum, and the only kind that is unordered with itself.
    Value equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, maximum);
    return arith::OrIOp::create(b, equal, arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x));
  }
};

// Per spatial dimension, how many of a window's elements along it count, as a vector over the windows.
Value countAlong(TensorBuilder &t, const Windows &windows, unsigned i, bool withPadding, Type type) {
  int64_t stride = windows.window.strides[i], dilation = windows.window.dilations[i], kernel = windows.kernel[i];
  Size low = windows.plan.low[i], size = windows.sizes[i];
  // In the explicit mode the padding asked for; what ceil mode reaches beyond it is not part of it.
  Size end = windows.window.mode == PadMode::Explicit ? t.size(windows.window.padEnd[i]) : windows.plan.high[i];
  Value limit = t.indexOf(withPadding ? t.add(size, end) : size), before = t.indexOf(low);
  return t.map({windows.plan.count[i]}, type, {}, {}, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, value); };
    Value start =
        arith::SubIOp::create(b, arith::MulIOp::create(b, linalg::IndexOp::create(b, 0), index(stride)), before);
    // The first position in the window that counts, and the one after the last: ceil((edge - start) / dilation).
    auto positionAt = [&](Value edge) -> Value {
      Value distance = arith::MaxSIOp::create(b, arith::SubIOp::create(b, edge, start), index(0));
      Value rounded = arith::AddIOp::create(b, distance, index(dilation - 1));
      Value position = arith::DivSIOp::create(b, rounded, index(dilation));
      return arith::MinSIOp::create(b, position, index(kernel));
    };
    Value first = withPadding ? index(0) : positionAt(index(0));
    Value count = arith::SubIOp::create(b, positionAt(limit), first);
    Value integer = arith::IndexCastOp::create(b, b.getI64Type(), count);
    return arith::SIToFPOp::create(b, type, integer);
  });
}

bool everyElementCounts(const Windows &windows, bool withPadding) {
  auto isZero = [](Size size) { return getConstantIntValue(size) == 0; };
  if (llvm::all_of(windows.plan.low, isZero) && llvm::all_of(windows.plan.high, isZero))
    return true;
  return withPadding && !windows.window.ceil && windows.window.mode == PadMode::Explicit;
}

struct AvgPoolLowering : OpConversionPattern<AvgPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AvgPoolOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Type element = getElementTypeOrSelf(op.getX().getType()), type = computedElement(element);
    FailureOr<Windows> windows = windowsOf(t, op, adaptor.getX(), t.b.getZeroAttr(element));
    if (failed(windows))
      return failure();
    Value sums = reduceWindows(t, *windows, {}, sumOf(t, element));
    unsigned rank = windows->rank();
    SmallVector<Value> inputs{sums};
    SmallVector<AffineMap> maps{t.identity(rank + 2)};
    bool plain = everyElementCounts(*windows, op.getCountIncludePad());
    double all = 1;
    for (unsigned i = 0; i < rank; ++i) {
      all *= static_cast<double>(windows->kernel[i]);
      if (plain)
        continue;
      inputs.push_back(countAlong(t, *windows, i, op.getCountIncludePad(), type));
      maps.push_back(t.mapTo(rank + 2, {1 + i}));
    }
    Value means = t.map(t.sizesOf(sums), element, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      Value count;
      if (plain)
        count = arith::ConstantOp::create(b, b.getFloatAttr(type, all));
      for (Value along : scalars.drop_front())
        count = count ? arith::MulFOp::create(b, count, along).getResult() : along;
      return toStored(b, arith::DivFOp::create(b, scalars[0], count), element);
    });
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), channelsSecond(t, means), op.getResult().getType()));
    return success();
  }
};

// |x|^p, and the root of the sum of such. The common orders need no power.
Value powerOf(ImplicitLocOpBuilder &b, Value x, double p) {
  Value size = math::AbsFOp::create(b, x);
  if (p == 1)
    return size;
  if (p == 2)
    return arith::MulFOp::create(b, x, x);
  return math::PowFOp::create(b, size, arith::ConstantOp::create(b, b.getFloatAttr(x.getType(), p)));
}

Value rootOf(ImplicitLocOpBuilder &b, Value sum, double p) {
  if (p == 1)
    return sum;
  if (p == 2)
    return math::SqrtOp::create(b, sum);
  return math::PowFOp::create(b, sum, arith::ConstantOp::create(b, b.getFloatAttr(sum.getType(), 1 / p)));
}

Reduction powersOf(TensorBuilder &t, Type element, double p) {
  Reduction powers = sumOf(t, element);
  powers.element = [element, p](ImplicitLocOpBuilder &b, ValueRange scalars) {
    return powerOf(b, toComputed(b, scalars[0], element), p);
  };
  return powers;
}

Value roots(TensorBuilder &t, Value sums, Type element, double p) {
  Sizes sizes = t.sizesOf(sums);
  return t.map(sizes, element, sums, t.identity(sizes.size()), [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
    return toStored(b, rootOf(b, scalars[0], p), element);
  });
}

struct LpPoolLowering : OpConversionPattern<LpPoolOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LpPoolOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Type element = getElementTypeOrSelf(op.getX().getType());
    double p = op.getP().convertToDouble();
    FailureOr<Windows> windows = windowsOf(t, op, adaptor.getX(), t.b.getZeroAttr(element));
    if (failed(windows))
      return failure();
    Value result = channelsSecond(t, roots(t, reduceWindows(t, *windows, {}, powersOf(t, element, p)), element, p));
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// [batch, channels] of [batch, positions, channels]: one accumulator each, positions ascending.
Value reducePositions(TensorBuilder &t, Value x, const Reduction &reduction) {
  unsigned rank = cast<RankedTensorType>(x.getType()).getRank();
  return reduce(t, t.join(channelsLast(t, x), 1, rank - 1), {}, {1}, reduction);
}

// [batch, channels] to [batch, channels, 1...].
Value withPositions(TensorBuilder &t, Value result, unsigned rank) {
  for (unsigned i = 2; i < rank; ++i)
    result = t.addUnit(result, i);
  return result;
}

template <typename Op>
struct GlobalPoolLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Value x = adaptor.getX();
    auto type = cast<RankedTensorType>(op.getX().getType());
    Value result = withPositions(t, reduced(t, op, x, type.getElementType()), type.getRank());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static Value reduced(TensorBuilder &t, GlobalMaxPoolOp, Value x, Type element) {
    return reducePositions(t, x, storedMaximum(t, element));
  }

  static Value reduced(TensorBuilder &t, GlobalLpPoolOp op, Value x, Type element) {
    double p = op.getP().convertToDouble();
    return roots(t, reducePositions(t, x, powersOf(t, element, p)), element, p);
  }

  static Value reduced(TensorBuilder &t, GlobalAvgPoolOp, Value x, Type element) {
    Value sums = reducePositions(t, x, sumOf(t, element));
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    Value count = countOf(t, x, dimRange(2, rank), computedElement(element));
    return t.map(t.sizesOf(sums), element, sums, t.identity(2), [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      return toStored(b, arith::DivFOp::create(b, scalars[0], count), element);
    });
  }
};

} // namespace

void populatePoolToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<MaxPoolLowering, MaxPoolWithIndicesLowering, AvgPoolLowering, LpPoolLowering,
               GlobalPoolLowering<GlobalMaxPoolOp>, GlobalPoolLowering<GlobalAvgPoolOp>,
               GlobalPoolLowering<GlobalLpPoolOp>>(converter, patterns.getContext());
}

} // namespace clika
