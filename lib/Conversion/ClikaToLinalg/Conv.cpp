// conv and conv_transpose, as convolutions with the channels last.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Epilogue.h"
#include "Conversion/ClikaToLinalg/WindowPlan.h"
#include "Dialect/LinearOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// A convolution whose input is padded: x is [batch, spatial..., channels], weight [out channels, channels / groups,
// kernel...], and so is each dimension's order in what follows.
class Convolution {
public:
  Convolution(TensorBuilder &t, Type element, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations, int64_t groups)
      : t(t), accumulator(computedElement(element)), strides(strides), dilations(dilations), groups(groups) {}

  // [batch, counts..., out channels], of the type that sums are taken in.
  Value build(Value x, Value weight, ArrayRef<Size> counts) {
    unsigned rank = strides.size();
    Sizes sizes{t.sizeOf(x, 0)};
    sizes.append(counts.begin(), counts.end());
    sizes.push_back(t.sizeOf(weight, 0));
    if (groups == 1)
      return isPointwise(weight) ? asMatmul(x, weight, sizes) : whole(x, weight, sizes);
    bool depthwise = getConstantIntValue(t.sizeOf(weight, 1)) == 1;
    return depthwise && rank <= 2 ? perChannel(x, weight, sizes) : grouped(x, weight, sizes);
  }

private:
  bool isPointwise(Value weight) {
    for (unsigned i = 0; i < strides.size(); ++i)
      if (strides[i] != 1 || getConstantIntValue(t.sizeOf(weight, 2 + i)) != 1)
        return false;
    return true;
  }

  Value zeros(ArrayRef<Size> sizes) { return t.filled(sizes, t.b.getZeroAttr(accumulator)); }

  // [out, in, kernel...] to [kernel..., in, out].
  Value kernelFirst(Value weight) {
    int64_t rank = cast<RankedTensorType>(weight.getType()).getRank();
    SmallVector<int64_t> order = dimRange(2, rank);
    order.append({1, 0});
    return t.transpose(weight, order);
  }

  DenseIntElementsAttr settings(ArrayRef<int64_t> values) { return t.b.getI64TensorAttr(values); }

  Value asMatmul(Value x, Value weight, ArrayRef<Size> sizes) {
    unsigned rank = strides.size();
    Value rows = t.join(x, 0, rank + 1);
    Value columns = t.join(kernelFirst(weight), 0, rank + 1);
    Value sums =
        linalg::MatmulOp::create(t.b, ValueRange{rows, columns}, ValueRange{zeros({t.sizeOf(rows, 0), sizes.back()})})
            ->getResult(0);
    SmallVector<ReassociationIndices> runs{asRun(dimRange(0, rank + 1)), {rank + 1}};
    return t.expand(sums, runs, sizes);
  }

  Value whole(Value x, Value weight, ArrayRef<Size> sizes) {
    Value kernel = kernelFirst(weight);
    if (strides.size() == 3) {
      Value start = zeros(sizes);
      return linalg::Conv3DNdhwcDhwcfOp::create(t.b, start.getType(), ValueRange{x, kernel}, start, settings(strides),
                                                settings(dilations))
          ->getResult(0);
    }
    // One spatial dimension is the second of two.
    bool single = strides.size() == 1;
    Sizes own(sizes.begin(), sizes.end());
    SmallVector<int64_t> steps(strides), distances(dilations);
    if (single) {
      x = t.addUnit(x, 1);
      kernel = t.addUnit(kernel, 0);
      own.insert(own.begin() + 1, t.size(1));
      steps.insert(steps.begin(), 1);
      distances.insert(distances.begin(), 1);
    }
    Value start = zeros(own);
    Value sums = linalg::Conv2DNhwcHwcfOp::create(t.b, start.getType(), ValueRange{x, kernel}, start, settings(steps),
                                                  settings(distances))
                     ->getResult(0);
    return single ? t.join(sums, 0, 2) : sums;
  }

  // One channel a group: each has out channels / channels kernels of its own.
  Value perChannel(Value x, Value weight, ArrayRef<Size> sizes) {
    unsigned rank = strides.size();
    std::optional<int64_t> outputs = getConstantIntValue(sizes.back());
    if (outputs != groups)
      return grouped(x, weight, sizes);
    Value kernel = kernelFirst(weight);
    kernel = t.join(kernel, rank, rank + 2);
    Sizes own(sizes.begin(), sizes.end());
    SmallVector<int64_t> steps(strides), distances(dilations);
    if (rank == 1) {
      x = t.addUnit(x, 1);
      kernel = t.addUnit(kernel, 0);
      own.insert(own.begin() + 1, t.size(1));
      steps.insert(steps.begin(), 1);
      distances.insert(distances.begin(), 1);
    }
    Value start = zeros(own);
    Value sums = linalg::DepthwiseConv2DNhwcHwcOp::create(t.b, start.getType(), ValueRange{x, kernel}, start,
                                                          settings(steps), settings(distances))
                     ->getResult(0);
    return rank == 1 ? t.join(sums, 0, 2) : sums;
  }

  // Loops over batch, positions, groups and a group's out channels, then over kernel positions and a group's channels.
  Value grouped(Value x, Value weight, ArrayRef<Size> sizes) {
    unsigned rank = strides.size(), loopCount = 2 * rank + 4;
    Size outputs = t.sizeOf(weight, 0), perGroup = t.floorDiv(outputs, groups);
    Sizes xSizes = t.sizesOf(x), weightSizes = t.sizesOf(weight), own(sizes.begin(), sizes.end());
    xSizes.insert(xSizes.end() - 1, t.size(groups));
    xSizes.back() = t.sizeOf(weight, 1);
    weightSizes.front() = t.size(groups);
    weightSizes.insert(weightSizes.begin() + 1, perGroup);
    own.back() = t.size(groups);
    own.push_back(perGroup);

    SmallVector<ReassociationIndices> xRuns, weightRuns{{0, 1}};
    for (int64_t i = 0; i < rank + 1; ++i) {
      xRuns.push_back({i});
      weightRuns.push_back({i + 2});
    }
    xRuns.push_back({rank + 1, rank + 2});
    SmallVector<int64_t> order = dimRange(3, rank + 3);
    order.append({0, 2, 1});
    Value kernel = t.transpose(t.expand(weight, weightRuns, weightSizes), order);

    auto dim = [&](unsigned i) { return t.b.getAffineDimExpr(i); };
    SmallVector<AffineExpr> xMap{dim(0)}, kernelMap, resultMap;
    for (unsigned i = 0; i < rank; ++i) {
      xMap.push_back(dim(1 + i) * strides[i] + dim(rank + 3 + i) * dilations[i]);
      kernelMap.push_back(dim(rank + 3 + i));
    }
    unsigned group = rank + 1, output = rank + 2, channel = 2 * rank + 3;
    xMap.append({dim(group), dim(channel)});
    kernelMap.append({dim(group), dim(channel), dim(output)});
    for (unsigned i = 0; i < rank + 3; ++i)
      resultMap.push_back(dim(i));
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> exprs : {ArrayRef(xMap), ArrayRef(kernelMap), ArrayRef(resultMap)})
      maps.push_back(AffineMap::get(loopCount, 0, exprs, t.b.getContext()));
    SmallVector<utils::IteratorType> loops(loopCount, utils::IteratorType::parallel);
    for (unsigned i = rank + 3; i < loopCount; ++i)
      loops[i] = utils::IteratorType::reduction;
    Value sums = t.generic({t.expand(x, xRuns, xSizes), kernel}, zeros(own), maps, loops,
                           [&](ImplicitLocOpBuilder &b, ValueRange scalars, SmallVectorImpl<Value> &results) {
                             results.push_back(multiplyAdd(b, scalars[0], scalars[1], scalars[2]));
                           })[0];
    return t.join(sums, rank + 1, rank + 3);
  }

  Value multiplyAdd(ImplicitLocOpBuilder &b, Value x, Value y, Value sum) {
    if (!isa<FloatType>(accumulator))
      return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
    auto wide = [&](Value value) -> Value {
      return value.getType() == accumulator ? value : arith::ExtFOp::create(b, accumulator, value).getResult();
    };
    return math::FmaOp::create(b, wide(x), wide(y), sum);
  }

  TensorBuilder &t;
  Type accumulator;
  ArrayRef<int64_t> strides, dilations;
  int64_t groups;
};

Sizes spatialSizes(TensorBuilder &t, Value tensor) {
  Sizes sizes = t.sizesOf(tensor);
  return Sizes(sizes.begin() + 2, sizes.end());
}

template <typename Op>
void checkBias(TensorBuilder &t, Op op, Value bias, Dim outputs, Size count) {
  if (bias)
    t.requireSame(dimsOf(op.getBias().getType())[0], outputs, t.sizeOf(bias, 0), count,
                  "bias and weight's out channels differ in number");
}

struct ConvLowering : OpConversionPattern<ConvOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConvOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Value x = adaptor.getX(), weight = adaptor.getWeight();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Type element = type.getElementType();
    unsigned rank = type.getRank() - 2;
    SmallVector<int64_t> ones(rank, 1);
    FailureOr<Window> window = readWindow(std::nullopt, "conv", rank, op.getStrides(), ones, op.getPads(),
                                          op.getDilations(), op.getAutoPad(), false);
    if (failed(window))
      return failure();
    int64_t groups = op.getGroups();
    Dims xDims = dimsOf(op.getX().getType()), weightDims = dimsOf(op.getWeight().getType());
    t.requireSame(xDims[1], mulDims(weightDims[1], groups), t.sizeOf(x, 1), t.mul(t.sizeOf(weight, 1), t.size(groups)),
                  "x's channels are not those that weight expects");
    if (groups > 1)
      t.require(arith::CmpIPredicate::eq, t.remainder(t.sizeOf(weight, 0), groups), t.size(0),
                "the out channels do not divide into " + Twine(groups) + " groups");
    checkBias(t, op, adaptor.getBias(), weightDims[0], t.sizeOf(weight, 0));

    WindowPlan plan = planWindows(t, spatialSizes(t, x), spatialSizes(t, weight), *window);
    Value padded = padSpatial(t, channelsLast(t, x), plan.low, plan.high, t.b.getZeroAttr(storedElement(element)));
    Value sums = Convolution(t, element, window->strides, window->dilations, groups).build(padded, weight, plan.count);
    Value result = finish(t, sums, adaptor.getBias(), rank + 1, op.getActivation(), element);
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), channelsSecond(t, result), type));
    return success();
  }
};

// The convolution, of step 1, of x spread by its strides with the mirrored kernel.
struct ConvTransposeLowering : OpConversionPattern<ConvTransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConvTransposeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    Value x = adaptor.getX(), weight = adaptor.getWeight();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Type element = type.getElementType();
    unsigned rank = type.getRank() - 2;
    SmallVector<int64_t> ones(rank, 1);
    FailureOr<Window> window = readWindow(std::nullopt, "conv_transpose", rank, op.getStrides(), ones, op.getPads(),
                                          op.getDilations(), op.getAutoPad(), false);
    if (failed(window))
      return failure();
    int64_t groups = op.getGroups();
    Dims xDims = dimsOf(op.getX().getType()), weightDims = dimsOf(op.getWeight().getType());
    t.requireSame(xDims[1], weightDims[0], t.sizeOf(x, 1), t.sizeOf(weight, 0),
                  "x's channels are not those that weight expects");
    if (groups > 1)
      t.require(arith::CmpIPredicate::eq, t.remainder(t.sizeOf(x, 1), groups), t.size(0),
                "the channels do not divide into " + Twine(groups) + " groups");
    Size outputs = t.mul(t.sizeOf(weight, 1), t.size(groups));
    checkBias(t, op, adaptor.getBias(), mulDims(weightDims[1], groups), outputs);

    Edges edges = edgesOf(t, op, spatialSizes(t, x), spatialSizes(t, weight), *window);
    TypedAttr zero = t.b.getZeroAttr(storedElement(element));
    Value spread = spreadOut(t, channelsLast(t, x), window->strides, zero);
    spread = cropOrPad(t, spread, edges, zero);
    Value sums = Convolution(t, element, ones, window->dilations, groups)
                     .build(spread, mirrored(t, weight, groups), edges.count);
    Value result = finish(t, sums, adaptor.getBias(), rank + 1, op.getActivation(), element);
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), channelsSecond(t, result), type));
    return success();
  }

private:
  // The result's spatial sizes, and what the spread input gains (or, where negative, loses) at its sides.
  struct Edges {
    Sizes count, low, high;
  };

  static Edges edgesOf(TensorBuilder &t, ConvTransposeOp op, ArrayRef<Size> sizes, ArrayRef<Size> kernel,
                       const Window &window) {
    Edges edges;
    bool same = window.mode == PadMode::SameUpper || window.mode == PadMode::SameLower;
    for (unsigned i = 0; i < window.rank(); ++i) {
      Size reach = t.add(t.mul(t.sub(kernel[i], t.size(1)), t.size(window.dilations[i])), t.size(1));
      Size spread = t.add(t.mul(t.sub(sizes[i], t.size(1)), t.size(window.strides[i])), t.size(1));
      Size added = t.size(op.getOutputPadding().empty() ? 0 : op.getOutputPadding()[i]);
      Size all = t.add(t.sub(t.add(spread, reach), t.size(1)), added);
      Size elements = t.max(spread, t.size(0));
      Size begin = t.size(window.padBegin[i]), count = t.sub(t.sub(all, begin), t.size(window.padEnd[i]));
      if (same || !op.getOutputShape().empty()) {
        count =
            op.getOutputShape().empty() ? t.mul(sizes[i], t.size(window.strides[i])) : t.size(op.getOutputShape()[i]);
        Size total = t.max(t.sub(all, count), t.size(0));
        begin = window.mode == PadMode::SameUpper ? t.floorDiv(total, 2) : t.ceilDiv(total, 2);
      }
      t.require(arith::CmpIPredicate::sge, count, t.size(0), "pads leave nothing of spatial dimension " + Twine(i));
      edges.count.push_back(count);
      edges.low.push_back(t.sub(t.sub(reach, t.size(1)), begin));
      // The windows of step 1 over what results are `count`.
      edges.high.push_back(t.sub(t.sub(t.add(count, t.sub(reach, t.size(1))), elements), edges.low.back()));
    }
    return edges;
  }

  static Value spreadOut(TensorBuilder &t, Value x, ArrayRef<int64_t> strides, TypedAttr zero) {
    if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
      return x;
    Sizes sizes = t.sizesOf(x), wide = sizes, origin(sizes.size(), t.size(0));
    SmallVector<int64_t> steps(sizes.size(), 1);
    for (auto [i, stride] : llvm::enumerate(strides)) {
      steps[1 + i] = stride;
      wide[1 + i] = t.max(t.add(t.mul(t.sub(sizes[1 + i], t.size(1)), t.size(stride)), t.size(1)), t.size(0));
    }
    return t.insert(x, t.filled(wide, zero), origin, sizes, steps);
  }

  static Value cropOrPad(TensorBuilder &t, Value x, const Edges &edges, TypedAttr zero) {
    Sizes sizes = t.sizesOf(x), offsets(sizes.size(), t.size(0)), low, high;
    for (auto [i, before, after] : llvm::enumerate(edges.low, edges.high)) {
      offsets[1 + i] = t.max(t.sub(t.size(0), before), t.size(0));
      Size lost = t.max(t.sub(t.size(0), after), t.size(0));
      sizes[1 + i] = t.max(t.sub(t.sub(sizes[1 + i], offsets[1 + i]), lost), t.size(0));
      low.push_back(t.max(before, t.size(0)));
      high.push_back(t.max(after, t.size(0)));
    }
    return padSpatial(t, t.slice(x, offsets, sizes), low, high, zero);
  }

  // [channels, out / groups, kernel...] to [out, channels / groups, kernel...], the kernel read from its end.
  static Value mirrored(TensorBuilder &t, Value weight, int64_t groups) {
    Sizes sizes = t.sizesOf(weight);
    Size perGroup = t.floorDiv(sizes[0], groups);
    Sizes split{t.size(groups), perGroup};
    split.append(sizes.begin() + 1, sizes.end());
    unsigned rank = sizes.size();
    SmallVector<ReassociationIndices> runs{{0, 1}};
    for (int64_t i = 1; i < rank; ++i)
      runs.push_back({i + 1});
    Value parts = t.expand(weight, runs, split);
    std::swap(split[1], split[2]);
    Type element = getElementTypeOrSelf(weight.getType());
    SmallVector<Value> ends;
    for (unsigned i = 3; i < split.size(); ++i)
      ends.push_back(t.indexOf(t.sub(split[i], t.size(1))));
    Value turned = t.map(split, element, {}, {}, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
      SmallVector<Value> at;
      for (unsigned i : {0u, 2u, 1u})
        at.push_back(linalg::IndexOp::create(b, i));
      for (auto [i, end] : llvm::enumerate(ends))
        at.push_back(arith::SubIOp::create(b, end, linalg::IndexOp::create(b, 3 + i)));
      return tensor::ExtractOp::create(b, parts, at);
    });
    return t.join(turned, 0, 2);
  }
};

} // namespace

void populateConvToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvLowering, ConvTransposeLowering>(converter, patterns.getContext());
}

} // namespace clika
