// conv_transpose. Only input elements add to a result: none stands for a zero between or beyond them.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Contraction.h"
#include "Conversion/ClikaToLinalg/Epilogue.h"
#include "Conversion/ClikaToLinalg/WindowPlan.h"
#include "Dialect/LinearOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// The sizes of everything that the input reaches, and which of it is the result.
struct Reach {
  Sizes all, begin, count;
};

Reach reachOf(TensorBuilder &t, ConvTransposeOp op, ArrayRef<Size> sizes, ArrayRef<Size> kernel, const Window &window) {
  Reach result;
  bool same = window.mode == PadMode::SameUpper || window.mode == PadMode::SameLower;
  for (unsigned i = 0; i < window.rank(); ++i) {
    Size own = t.add(t.mul(t.sub(kernel[i], t.size(1)), t.size(window.dilations[i])), t.size(1));
    Size all = t.add(t.mul(t.sub(sizes[i], t.size(1)), t.size(window.strides[i])), own);
    Size added = t.size(op.getOutputPadding().empty() ? 0 : op.getOutputPadding()[i]);
    Size whole = t.add(all, added), begin = t.size(window.padBegin[i]);
    Size count = t.sub(t.sub(whole, begin), t.size(window.padEnd[i]));
    if (same || !op.getOutputShape().empty()) {
      count = op.getOutputShape().empty() ? t.mul(sizes[i], t.size(window.strides[i])) : t.size(op.getOutputShape()[i]);
      Size total = t.max(t.sub(whole, count), t.size(0));
      begin = window.mode == PadMode::SameUpper ? t.floorDiv(total, 2) : t.ceilDiv(total, 2);
    }
    t.require(arith::CmpIPredicate::sge, count, t.size(0), "pads leave nothing of spatial dimension " + Twine(i));
    result.all.push_back(t.max(all, t.add(begin, count)));
    result.begin.push_back(begin);
    result.count.push_back(count);
  }
  return result;
}

// Adds each kernel position's products to the elements it reaches, one position after the other.
class Scatter {
public:
  Scatter(TensorBuilder &t, Type element, const Window &window, int64_t groups)
      : t(t), accumulator(computedElement(element)), window(window), groups(groups), rank(window.rank()) {}

  // [batch, counts..., out channels], of the type that sums are taken in.
  Value build(Value x, Value weight, const Reach &reach) {
    Value parts = splitLast(channelsLast(t, x)), kernel = kernelFirst(weight);
    Sizes all{t.sizeOf(x, 0)}, offsets(rank + 3, t.size(0)), own{all[0]};
    all.append(reach.all.begin(), reach.all.end());
    own.append(reach.count.begin(), reach.count.end());
    for (Sizes *sizes : {&all, &own})
      sizes->append({t.size(groups), t.sizeOf(weight, 1)});
    llvm::copy(reach.begin, offsets.begin() + 1);
    Value start = t.filled(all, t.b.getZeroAttr(accumulator));
    return t.join(t.slice(addTaps(parts, kernel, start), offsets, own), rank + 1, rank + 3);
  }

private:
  // The last dimension, of channels, as groups of them.
  Value splitLast(Value x) {
    Sizes sizes = t.sizesOf(x);
    sizes.push_back(t.floorDiv(sizes.back(), groups));
    sizes[rank + 1] = t.size(groups);
    SmallVector<ReassociationIndices> runs;
    for (int64_t i = 0; i < rank + 1; ++i)
      runs.push_back({i});
    runs.push_back({rank + 1, rank + 2});
    return t.expand(x, runs, sizes);
  }

  // [channels, out, kernel...] to [kernel..., group, channels of it, out].
  Value kernelFirst(Value weight) {
    Sizes sizes = t.sizesOf(weight);
    sizes.insert(sizes.begin() + 1, t.floorDiv(sizes[0], groups));
    sizes[0] = t.size(groups);
    SmallVector<ReassociationIndices> runs{{0, 1}};
    for (int64_t i = 1; i < rank + 2; ++i)
      runs.push_back({i + 1});
    SmallVector<int64_t> order = dimRange(3, rank + 3);
    order.append({0, 1, 2});
    return t.transpose(t.expand(weight, runs, sizes), order);
  }

  Value addTaps(Value x, Value kernel, Value start) {
    SmallVector<Value> lows(rank, t.indexOf(t.size(0))), steps(rank, t.indexOf(t.size(1))), highs;
    for (unsigned i = 0; i < rank; ++i)
      highs.push_back(t.indexOf(t.sizeOf(kernel, i)));
    scf::LoopNest nest = scf::buildLoopNest(t.b, t.b.getLoc(), lows, highs, steps, ValueRange{start},
                                            [&](OpBuilder &builder, Location, ValueRange at, ValueRange state) {
                                              TensorBuilder inner(builder, t.op);
                                              return scf::ValueVector{addTap(inner, x, kernel, at, state[0])};
                                            });
    return nest.results[0];
  }

  Value addTap(TensorBuilder &in, Value x, Value kernel, ValueRange at, Value sums) {
    Sizes tapOffsets(at.begin(), at.end()), tapSizes(rank, in.size(1)), ones(rank + 3, in.size(1));
    Sizes offsets(rank + 3, in.size(0)), sizes = in.sizesOf(x), steps = ones;
    auto kernelType = cast<RankedTensorType>(kernel.getType());
    for (unsigned i = rank; i < rank + 3; ++i) {
      tapOffsets.push_back(in.size(0));
      tapSizes.push_back(in.sizeOf(kernel, i));
    }
    auto tapType = RankedTensorType::get(kernelType.getShape().drop_front(rank), kernelType.getElementType());
    Value tap = tensor::ExtractSliceOp::create(in.b, tapType, kernel, tapOffsets, tapSizes, ones);
    for (unsigned i = 0; i < rank; ++i) {
      offsets[1 + i] = in.mul(Size(at[i]), in.size(window.dilations[i]));
      steps[1 + i] = in.size(window.strides[i]);
    }
    sizes.back() = tapSizes.back();
    Value part = tensor::ExtractSliceOp::create(in.b, sums, offsets, sizes, steps);

    SmallVector<AffineExpr> xMap, tapMap, resultMap;
    for (unsigned i = 0; i < rank + 4; ++i) {
      AffineExpr dim = in.b.getAffineDimExpr(i);
      bool channel = i == rank + 3, output = i == rank + 2, group = i == rank + 1;
      if (!output)
        xMap.push_back(dim);
      if (!channel)
        resultMap.push_back(dim);
      if (group)
        tapMap = {dim, in.b.getAffineDimExpr(rank + 3), in.b.getAffineDimExpr(rank + 2)};
    }
    Value added = contract(in, {x, tap}, part, {xMap, tapMap, resultMap}, rank + 4);
    return tensor::InsertSliceOp::create(in.b, added, sums, offsets, sizes, steps);
  }

  TensorBuilder &t;
  Type accumulator;
  const Window &window;
  int64_t groups, rank;
};

// Where the windows of input elements lie next to each other: one product, whose results are put in their places.
class Tiles {
public:
  static bool fits(TensorBuilder &t, ConvTransposeOp op, Value weight, const Window &window) {
    bool plain = op.getGroups() == 1 && op.getOutputShape().empty() && window.mode == PadMode::Explicit;
    for (unsigned i = 0; i < window.rank(); ++i)
      plain &= getConstantIntValue(t.sizeOf(weight, 2 + i)) == window.strides[i] && window.dilations[i] == 1 &&
               window.padBegin[i] == 0 && window.padEnd[i] == 0 &&
               (op.getOutputPadding().empty() || op.getOutputPadding()[i] == 0);
    return plain;
  }

  // [batch, out channels, counts...], finished.
  static Value build(TensorBuilder &t, Value x, Value weight, Value bias, StringRef activation, Type element) {
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank() - 2;
    Value columns = t.join(x, 2, rank + 2), kernel = t.join(weight, 1, rank + 2);
    Sizes sizes{t.sizeOf(x, 0), t.sizeOf(kernel, 1), t.sizeOf(columns, 2)};
    auto dim = [&](unsigned i) { return t.b.getAffineDimExpr(i); };
    Value start = t.filled(sizes, t.b.getZeroAttr(computedElement(element)));
    Value sums = contract(t, {kernel, columns}, start,
                          {{dim(3), dim(1)}, {dim(0), dim(3), dim(2)}, {dim(0), dim(1), dim(2)}}, 4);
    Value parts = finish(t, sums, bias ? repeated(t, bias, weight) : bias, 1, activation, element);
    return inPlace(t, parts, t.sizesOf(weight), spatialSizes(t, x));
  }

private:
  // The bias of each out channel once for every kernel position.
  static Value repeated(TensorBuilder &t, Value bias, Value weight) {
    Size positions = t.product(spatialSizes(t, weight));
    return t.join(t.map({t.sizeOf(bias, 0), positions}, getElementTypeOrSelf(bias.getType()), bias, t.mapTo(2, {0}),
                        [](ImplicitLocOpBuilder &, ValueRange scalars) { return scalars[0]; }),
                  0, 2);
  }

  // [batch, out and kernel, sizes] to [batch, out, size and kernel...].
  static Value inPlace(TensorBuilder &t, Value parts, ArrayRef<Size> weight, ArrayRef<Size> counts) {
    int64_t rank = counts.size();
    Sizes sizes{t.sizeOf(parts, 0)};
    sizes.append(weight.begin() + 1, weight.end());
    sizes.append(counts.begin(), counts.end());
    SmallVector<ReassociationIndices> runs{{0}, asRun(dimRange(1, rank + 2)), asRun(dimRange(rank + 2, 2 * rank + 2))};
    SmallVector<int64_t> order{0, 1};
    for (int64_t i = 0; i < rank; ++i)
      order.append({rank + 2 + i, 2 + i});
    Value result = t.transpose(t.expand(parts, runs, sizes), order);
    SmallVector<ReassociationIndices> pairs{{0}, {1}};
    for (int64_t i = 0; i < rank; ++i)
      pairs.push_back({2 + 2 * i, 3 + 2 * i});
    return t.collapse(result, pairs);
  }
};

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
    checkBias(t, op.getBias(), adaptor.getBias(), mulDims(weightDims[1], groups), outputs);

    Value result;
    if (Tiles::fits(t, op, weight, *window)) {
      result = Tiles::build(t, x, weight, adaptor.getBias(), op.getActivation(), element);
    } else {
      Reach reach = reachOf(t, op, spatialSizes(t, x), spatialSizes(t, weight), *window);
      Value sums = Scatter(t, element, *window, groups).build(x, weight, reach);
      result = channelsSecond(t, finish(t, sums, adaptor.getBias(), rank + 1, op.getActivation(), element));
    }
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, type));
    return success();
  }
};

} // namespace

void populateConvTransposeToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvTransposeLowering>(converter, patterns.getContext());
}

} // namespace clika
