// batch_norm, layer_norm, rms_norm, group_norm, instance_norm and lrn.
#include "Conversion/ClikaToLinalg/Broadcast.h"
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/Axes.h"
#include "Dialect/NormOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {
namespace {

Value constantOf(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

// 1 / sqrt(x + epsilon).
Value inverseRoot(ImplicitLocOpBuilder &b, Value x, double epsilon) {
  Value sum = arith::AddFOp::create(b, x, constantOf(b, x.getType(), epsilon));
  return arith::DivFOp::create(b, constantOf(b, x.getType(), 1.0), math::SqrtOp::create(b, sum));
}

// One of a norm's operands beside x: its value and where it is read, over x's dimensions.
struct Beside {
  Value value;
  AffineMap map;
};

// x's rows are its dimensions `axes`, which are its last. Statistics are one number per row, of the computed type.
class Rows {
public:
  Rows(TensorBuilder &t, Value x, Type element, unsigned first)
      : t(t), x(x), element(element), computed(computedElement(element)),
        rank(cast<RankedTensorType>(x.getType()).getRank()), axes(dimRange(first, rank)),
        count(countOf(t, x, axes, computed)) {}

  // The mean of what `of` makes of an element and of its row's value in `row` (null: none).
  Value mean(Value row, function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> of) {
    Reduction sum = sumOf(t, element);
    sum.element = [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      SmallVector<Value> own(scalars);
      own[0] = toComputed(b, own[0], element);
      return of(b, own);
    };
    return perRow(
        reduce(t, x, row ? ValueRange(row) : ValueRange(), axes, sum),
        [&](ImplicitLocOpBuilder &b, Value value) -> Value { return arith::DivFOp::create(b, value, count); });
  }

  Value perRow(Value rows, function_ref<Value(ImplicitLocOpBuilder &, Value)> of) {
    Sizes sizes = t.sizesOf(rows);
    return t.map(sizes, computed, rows, t.identity(sizes.size()),
                 [&](ImplicitLocOpBuilder &b, ValueRange scalars) { return of(b, scalars[0]); });
  }

  // (x - mean) * inverse, times scale and plus bias where there are any; without `mean` x itself is scaled.
  Value scaled(Value mean, Value inverse, Beside scale, Beside bias) {
    AffineMap row = t.mapTo(rank, dimsWithout(rank, axes));
    SmallVector<Value> inputs{x};
    SmallVector<AffineMap> maps{t.identity(rank)};
    auto add = [&](Value value, AffineMap map) {
      if (!value)
        return;
      inputs.push_back(value);
      maps.push_back(map);
    };
    add(mean, row);
    add(inverse, row);
    add(scale.value, scale.map);
    add(bias.value, bias.map);
    return t.map(t.sizesOf(x), element, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      const Value *next = nullptr;
      SmallVector<Value> all(scalars);
      next = all.begin();
      Value result = toComputed(b, *next++, element);
      if (mean)
        result = arith::SubFOp::create(b, result, *next++);
      result = arith::MulFOp::create(b, result, *next++);
      if (scale.value)
        result = arith::MulFOp::create(b, result, toComputed(b, *next++, element));
      if (bias.value)
        result = arith::AddFOp::create(b, result, toComputed(b, *next++, element));
      return toStored(b, result, element);
    });
  }

  Value normalized(double epsilon, Beside scale, Beside bias) {
    Value center = mean({}, [](ImplicitLocOpBuilder &, ValueRange scalars) { return scalars[0]; });
    Value variance = mean(center, [](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      Value difference = arith::SubFOp::create(b, scalars[0], scalars[1]);
      return arith::MulFOp::create(b, difference, difference);
    });
    Value inverse =
        perRow(variance, [&](ImplicitLocOpBuilder &b, Value value) { return inverseRoot(b, value, epsilon); });
    return scaled(center, inverse, scale, bias);
  }

private:
  TensorBuilder &t;
  Value x;
  Type element, computed;
  unsigned rank;
  SmallVector<int64_t> axes;
  Value count;
};

// An operand that is broadcast to x.
Beside broadcastTo(TensorBuilder &t, Value x, Type xType, Value operand, Value original) {
  if (!operand)
    return {};
  Dims result = dimsOf(xType);
  Broadcasted both = broadcastOperands(t.b, t.op, {x, operand}, {result, dimsOf(original.getType())}, result);
  return {both.operands[1], both.maps[1]};
}

struct LayerNormLowering : OpConversionPattern<LayerNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LayerNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getX().getType());
    FailureOr<int64_t> axis = readAxis(std::nullopt, "", op.getAxis(), type.getRank());
    if (failed(axis))
      return failure();
    Value x = adaptor.getX();
    Beside scale = broadcastTo(t, x, type, adaptor.getScale(), op.getScale());
    Beside bias = broadcastTo(t, x, type, adaptor.getBias(), op.getBias());
    Value result = Rows(t, x, type.getElementType(), *axis).normalized(op.getEpsilon().convertToDouble(), scale, bias);
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct RmsNormLowering : OpConversionPattern<RmsNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(RmsNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getX().getType());
    FailureOr<int64_t> axis = readAxis(std::nullopt, "", op.getAxis(), type.getRank());
    if (failed(axis))
      return failure();
    Value x = adaptor.getX();
    Beside scale = broadcastTo(t, x, type, adaptor.getScale(), op.getScale());
    Rows rows(t, x, type.getElementType(), *axis);
    Value squares = rows.mean({}, [](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      return arith::MulFOp::create(b, scalars[0], scalars[0]);
    });
    double epsilon = op.getEpsilon().convertToDouble();
    Value inverse =
        rows.perRow(squares, [&](ImplicitLocOpBuilder &b, Value value) { return inverseRoot(b, value, epsilon); });
    Value result = rows.scaled({}, inverse, scale, {});
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// What each channel takes one number of: its name, as lowered and as it stands in the graph.
using PerChannel = std::tuple<StringRef, Value, Value>;

// Requires each operand that is there to have as many numbers as x has channels.
void requireChannels(TensorBuilder &t, Value x, Size channels, ArrayRef<PerChannel> operands) {
  for (const auto &[name, operand, original] : operands)
    if (operand)
      t.requireSame(dimsOf(original.getType())[0], dimsOf(x.getType())[1], t.sizeOf(operand, 0), channels,
                    Twine(name) + " and x's channels differ in number");
}

// x as [batch, groups, channels of a group, positions], each group a row.
template <typename Op>
Value normalizeGroups(TensorBuilder &t, Op op, Value x, Value scale, Value bias, Size groups, double epsilon) {
  Sizes sizes = t.sizesOf(x), own{sizes[0], groups};
  auto type = cast<RankedTensorType>(op.getX().getType());
  requireChannels(t, op.getX(), sizes[1], {{"scale", scale, op.getScale()}, {"bias", bias, op.getBias()}});
  bool single = !std::is_same_v<Op, GroupNormOp>;
  Value grouped = t.join(x, 2, sizes.size());
  Value positions = grouped;
  own.push_back(single ? t.size(1) : t.floorDiv(sizes[1], *mlir::getConstantIntValue(groups)));
  own.push_back(t.sizeOf(positions, 2));
  grouped = t.expand(positions, {{0}, {1, 2}, {3}}, own);
  auto perChannel = [&](Value operand) -> Beside {
    if (!operand)
      return {};
    return {t.expand(operand, {{0, 1}}, ArrayRef(own).slice(1, 2)), t.mapTo(4, {1, 2})};
  };
  Value result = Rows(t, grouped, type.getElementType(), 2).normalized(epsilon, perChannel(scale), perChannel(bias));
  return t.reshape(result, sizes);
}

struct GroupNormLowering : OpConversionPattern<GroupNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GroupNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    int64_t groups = op.getGroups();
    t.require(arith::CmpIPredicate::eq, t.remainder(t.sizeOf(adaptor.getX(), 1), groups), t.size(0),
              "the channels do not divide into " + Twine(groups) + " groups");
    Value result = normalizeGroups(t, op, adaptor.getX(), adaptor.getScale(), adaptor.getBias(), t.size(groups),
                                   op.getEpsilon().convertToDouble());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct InstanceNormLowering : OpConversionPattern<InstanceNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(InstanceNormOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Value result = normalizeGroups(t, op, adaptor.getX(), adaptor.getScale(), adaptor.getBias(),
                                   t.sizeOf(adaptor.getX(), 1), op.getEpsilon().convertToDouble());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// One factor per channel first, then (x - mean) * factor + bias.
struct BatchNormLowering : OpConversionPattern<BatchNormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(BatchNormOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getX().getType());
    Type element = type.getElementType(), computed = computedElement(element);
    Value x = adaptor.getX(), scale = adaptor.getScale(), bias = adaptor.getBias();
    Sizes sizes = t.sizesOf(x);
    requireChannels(t, op.getX(), sizes[1],
                    {{"mean", adaptor.getMean(), op.getMean()},
                     {"variance", adaptor.getVariance(), op.getVariance()},
                     {"scale", scale, op.getScale()},
                     {"bias", bias, op.getBias()}});

    double epsilon = op.getEpsilon().convertToDouble();
    SmallVector<Value> inputs{adaptor.getVariance()};
    if (scale)
      inputs.push_back(scale);
    SmallVector<AffineMap> own(inputs.size(), t.identity(1));
    Value factor = t.map({sizes[1]}, computed, inputs, own, [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
      Value variance = toComputed(b, scalars[0], element);
      Value sum = arith::AddFOp::create(b, variance, constantOf(b, computed, epsilon));
      Value numerator = scale ? toComputed(b, scalars[1], element) : constantOf(b, computed, 1.0);
      return arith::DivFOp::create(b, numerator, math::SqrtOp::create(b, sum));
    });

    unsigned rank = type.getRank();
    AffineMap channel = t.mapTo(rank, {1});
    inputs = {x, adaptor.getMean(), factor};
    SmallVector<AffineMap> maps{t.identity(rank), channel, channel};
    if (bias) {
      inputs.push_back(bias);
      maps.push_back(channel);
    }
    Value result = t.map(sizes, element, inputs, maps, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      Value difference =
          arith::SubFOp::create(b, toComputed(b, scalars[0], element), toComputed(b, scalars[1], element));
      Value product = arith::MulFOp::create(b, difference, scalars[2]);
      if (bias)
        product = arith::AddFOp::create(b, product, toComputed(b, scalars[3], element));
      return activateAndStore(b, op.getActivation(), product, element);
    });
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

// Squares, padded by zeros along the channels; each channel's sum over its neighbours, then x over its power.
struct LrnLowering : OpConversionPattern<LrnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LrnOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getX().getType());
    Type element = type.getElementType(), computed = computedElement(element);
    Value x = adaptor.getX();
    Sizes sizes = t.sizesOf(x);
    unsigned rank = sizes.size();
    int64_t size = op.getSize();
    Value squares = t.map(sizes, computed, x, t.identity(rank), [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
      Value own = toComputed(b, scalars[0], element);
      return arith::MulFOp::create(b, own, own).getResult();
    });
    Sizes low(rank, t.size(0)), high = low;
    low[1] = t.size((size - 1) / 2);
    high[1] = t.size(size - 1 - (size - 1) / 2);
    squares = t.pad(squares, low, high, t.b.getZeroAttr(computed));

    // Loops: batch, neighbours, then x's other dimensions.
    SmallVector<int64_t> own{0};
    own.append(dimRange(2, rank + 1));
    SmallVector<AffineExpr> exprs(t.mapTo(rank + 1, own).getResults());
    exprs[1] = exprs[1] + t.b.getAffineDimExpr(1);
    SmallVector<AffineMap> maps{AffineMap::get(rank + 1, 0, exprs, t.b.getContext()), t.mapTo(rank + 1, {1}),
                                t.mapTo(rank + 1, own)};
    SmallVector<utils::IteratorType> loops(rank + 1, utils::IteratorType::parallel);
    loops[1] = utils::IteratorType::reduction;
    Value window = t.empty({t.size(size)}, t.b.getI8Type());
    Value sums = t.generic({squares, window}, t.filled(sizes, t.b.getZeroAttr(computed)), maps, loops,
                           [&](ImplicitLocOpBuilder &b, ValueRange scalars, SmallVectorImpl<Value> &results) {
                             results.push_back(addScalars(b, scalars[2], scalars[0]));
                           })[0];
    double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
    double bias = op.getBias().convertToDouble();
    Value result =
        t.map(sizes, element, {x, sums}, {t.identity(rank), t.identity(rank)},
              [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
                Value scaled =
                    arith::MulFOp::create(b, constantOf(b, computed, alpha / static_cast<double>(size)), scalars[1]);
                Value base = arith::AddFOp::create(b, constantOf(b, computed, bias), scaled);
                Value power = math::PowFOp::create(b, base, constantOf(b, computed, beta));
                return toStored(b, arith::DivFOp::create(b, toComputed(b, scalars[0], element), power), element);
              });
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

} // namespace

void populateNormToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<LayerNormLowering, RmsNormLowering, GroupNormLowering, InstanceNormLowering, BatchNormLowering, LrnLowering>(
          converter, patterns.getContext());
}

} // namespace clika
