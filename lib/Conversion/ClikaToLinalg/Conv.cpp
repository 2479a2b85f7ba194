// conv, with the channels last.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Contraction.h"
#include "Conversion/ClikaToLinalg/DequantizedSums.h"
#include "Conversion/ClikaToLinalg/Epilogue.h"
#include "Conversion/ClikaToLinalg/WindowPlan.h"
#include "Dialect/LinearOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

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
      return whole(x, weight, sizes);
    bool depthwise = getConstantIntValue(t.sizeOf(weight, 1)) == 1;
    return depthwise && rank <= 2 ? perChannel(x, weight, sizes) : grouped(x, weight, sizes);
  }

private:
  Value zeros(ArrayRef<Size> sizes) { return t.filled(sizes, t.b.getZeroAttr(accumulator)); }

  // [out, in, kernel...] to [kernel..., in, out].
  Value kernelFirst(Value weight) {
    int64_t rank = cast<RankedTensorType>(weight.getType()).getRank();
    SmallVector<int64_t> order = dimRange(2, rank);
    order.append({1, 0});
    return t.transpose(weight, order);
  }

  DenseIntElementsAttr settings(ArrayRef<int64_t> values) { return t.b.getI64TensorAttr(values); }

  Value whole(Value x, Value weight, ArrayRef<Size> sizes) {
    Value kernel = kernelFirst(weight);
    if (strides.size() == 3) {
      Value start = zeros(sizes);
      return linalg::Conv3DNdhwcDhwcfOp::create(t.b, start.getType(), ValueRange{x, kernel}, start, settings(strides),
                                                settings(dilations))
          ->getResult(0);
    }
    return inPlane<linalg::Conv2DNhwcHwcfOp>(x, kernel, sizes);
  }

  // A convolution over two spatial dimensions; one is the second of two.
  template <typename Op>
  Value inPlane(Value x, Value kernel, ArrayRef<Size> sizes) {
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
    Value sums = Op::create(t.b, start.getType(), ValueRange{x, kernel}, start, settings(steps), settings(distances))
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
    return inPlane<linalg::DepthwiseConv2DNhwcHwcOp>(x, kernel, sizes);
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
    Value sums = contract(t, {t.expand(x, xRuns, xSizes), kernel}, zeros(own), {xMap, kernelMap, resultMap}, loopCount);
    return t.join(sums, rank + 1, rank + 3);
  }

  TensorBuilder &t;
  Type accumulator;
  ArrayRef<int64_t> strides, dilations;
  int64_t groups;
};

struct ConvLowering : OpConversionPattern<ConvOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConvOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    ProductOperands operands(t, rewriter, adaptor.getX(), adaptor.getWeight());
    Value x = operands.left, weight = operands.right;
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Type element = operands.element;
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
    checkBias(t, op.getBias(), adaptor.getBias(), weightDims[0], t.sizeOf(weight, 0));

    WindowPlan plan = planWindows(t, spatialSizes(t, x), spatialSizes(t, weight), *window);
    Value padded = padSpatial(t, channelsLast(t, x), plan.low, plan.high, t.b.getZeroAttr(storedElement(element)));
    Value sums = Convolution(t, element, window->strides, window->dilations, groups).build(padded, weight, plan.count);
    Value result = finish(t, operands.numbers(sums, rank + 1), adaptor.getBias(), rank + 1, op.getActivation(),
                          type.getElementType());
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), channelsSecond(t, result), type));
    return success();
  }
};

} // namespace

void populateConvToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvLowering>(converter, patterns.getContext());
}

} // namespace clika
