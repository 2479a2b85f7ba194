// Convolutions by 3x3 kernels as fewer products: F(4x4, 3x3) of Lavin and Gray, "Fast Algorithms for Convolutional
// Neural Networks" (2015). A tile of 6x6 inputs makes 4x4 results: with d the tile and g the kernel they are A' [(G g
// G') * (B' d B)] A, the product * taken element by element and summed over channels.
#include "Pipelines/ConstantViews.h"
#include "Pipelines/HoistConstants.h"
#include "Pipelines/OpGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include <cstring>

using namespace mlir;

namespace clika {
namespace {

constexpr int64_t kResults = 4, kKernel = 3, kInputs = kResults + kKernel - 1;

constexpr float kInputMatrix[kInputs][kInputs] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                                  {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
constexpr double kKernelMatrix[kInputs][kKernel] = {{1.0 / 4, 0, 0},
                                                    {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                                    {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                    {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                                    {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                                    {0, 0, 1}};
constexpr float kResultMatrix[kResults][kInputs] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};

/// Transforming costs about as much for any number of channels, and each tile reads all weights, which are four times
/// as many: with fewer channels or tiles than these the plain convolution is as fast (measured).
constexpr int64_t kFewestChannels = 16, kFewestTiles = 16;

/// The address need not be a multiple of a float's size.
float elementAt(const char *from, int64_t index) {
  float value;
  std::memcpy(&value, from + index * static_cast<int64_t>(sizeof(float)), sizeof(float));
  return value;
}

/// G g G' of each pair of channels: [3, 3, in, out], seen through `view`, as [6, 6, in, out].
void transformKernels(const char *from, const View &view, int64_t inputs, int64_t outputs, float *to) {
  const int64_t plane = inputs * outputs;
  for (int64_t in = 0; in != inputs; ++in)
    for (int64_t out = 0; out != outputs; ++out) {
      const int64_t kernel = view.offset + in * view.steps[2] + out * view.steps[3];
      double half[kInputs][kKernel] = {};
      for (int64_t a = 0; a != kInputs; ++a)
        for (int64_t i = 0; i != kKernel; ++i)
          for (int64_t j = 0; j != kKernel; ++j)
            half[a][j] += kKernelMatrix[a][i] * elementAt(from, kernel + i * view.steps[0] + j * view.steps[1]);
      for (int64_t a = 0; a != kInputs; ++a)
        for (int64_t b = 0; b != kInputs; ++b) {
          double sum = 0;
          for (int64_t j = 0; j != kKernel; ++j)
            sum += kKernelMatrix[b][j] * half[a][j];
          to[(a * kInputs + b) * plane + in * outputs + out] = static_cast<float>(sum);
        }
    }
}

class Winograd {
public:
  Winograd(func::FuncOp main, std::vector<ConstantArgument> &constants)
      : main(main), constants(constants), views(main, constants), rewriter(main.getContext()) {}

  void run() {
    SmallVector<linalg::Conv2DNhwcHwcfOp> ops;
    main.walk([&](linalg::Conv2DNhwcHwcfOp op) { ops.push_back(op); });
    for (linalg::Conv2DNhwcHwcfOp op : ops)
      replace(op);
    views.release();
  }

private:
  static bool areOnes(DenseIntElementsAttr values) {
    return llvm::all_of(values.getValues<int64_t>(), [](int64_t value) { return value == 1; });
  }

  static int64_t tilesOf(int64_t size) { return (size + kResults - 1) / kResults; }

  static bool isWorthIt(linalg::Conv2DNhwcHwcfOp op) {
    auto x = cast<RankedTensorType>(op.getInputs()[0].getType());
    auto weight = cast<RankedTensorType>(op.getInputs()[1].getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    if (!x.getElementType().isF32() || !weight.getElementType().isF32() || !result.getElementType().isF32() ||
        !x.hasStaticShape() || !weight.hasStaticShape() || !result.hasStaticShape() || !areOnes(op.getStrides()) ||
        !areOnes(op.getDilations()) || weight.getDimSize(0) != kKernel || weight.getDimSize(1) != kKernel)
      return false;
    ArrayRef<int64_t> sizes = result.getShape();
    return weight.getDimSize(2) >= kFewestChannels && weight.getDimSize(3) >= kFewestChannels &&
           sizes[0] * tilesOf(sizes[1]) * tilesOf(sizes[2]) >= kFewestTiles;
  }

  /// The kernels' transformation, which is a constant; null where there is no memory.
  Value transformedKernels(Value weight, const View &view) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(weight.getType()).getShape();
    auto type = RankedTensorType::get({kInputs, kInputs, shape[2], shape[3]}, rewriter.getF32Type());
    std::shared_ptr<void> data = allocateConstant(type.getNumElements() * sizeof(float));
    if (!data)
      return {};
    transformKernels(static_cast<const char *>(views.dataOf(view)), view, shape[2], shape[3],
                     static_cast<float *>(data.get()));
    const void *bytes = data.get();
    return addConstant(main, type, {bytes, std::move(data)}, constants);
  }

  Value matrix(Location loc, ArrayRef<int64_t> shape, const float *values) {
    auto type = RankedTensorType::get(shape, rewriter.getF32Type());
    auto data = DenseElementsAttr::get(type, ArrayRef(values, type.getNumElements()));
    return arith::ConstantOp::create(rewriter, loc, data);
  }

  AffineExpr dim(unsigned number) { return rewriter.getAffineDimExpr(number); }

  /// The sums of products, over the one dimension that `result` lacks, which is the last.
  Value contract(Location loc, Value x, ArrayRef<AffineExpr> xMap, Value y, ArrayRef<AffineExpr> yMap,
                 ArrayRef<int64_t> shape) {
    unsigned loops = shape.size() + 1;
    SmallVector<AffineExpr> resultMap;
    for (unsigned i = 0; i != shape.size(); ++i)
      resultMap.push_back(dim(i));
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> exprs : {xMap, yMap, ArrayRef<AffineExpr>(resultMap)})
      maps.push_back(AffineMap::get(loops, 0, exprs, rewriter.getContext()));
    SmallVector<utils::IteratorType> kinds(shape.size(), utils::IteratorType::parallel);
    kinds.push_back(utils::IteratorType::reduction);
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    Value empty = tensor::EmptyOp::create(rewriter, loc, shape, rewriter.getF32Type());
    Value start = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    auto op = linalg::GenericOp::create(rewriter, loc, start.getType(), ValueRange{x, y}, ValueRange{start}, maps,
                                        kinds, [](OpBuilder &b, Location at, ValueRange scalars) {
                                          Value sum = math::FmaOp::create(b, at, scalars[0], scalars[1], scalars[2]);
                                          linalg::YieldOp::create(b, at, sum);
                                        });
    op->setAttr(kContractionAttr, rewriter.getUnitAttr());
    return op.getResult(0);
  }

  /// `x` with zeros behind it, so that whole tiles cover it.
  Value coverTiles(Location loc, Value x, int64_t rows, int64_t columns) {
    auto type = cast<RankedTensorType>(x.getType());
    int64_t below = rows * kResults + kKernel - 1 - type.getDimSize(1);
    int64_t behind = columns * kResults + kKernel - 1 - type.getDimSize(2);
    if (below <= 0 && behind <= 0)
      return x;
    SmallVector<int64_t> shape(type.getShape());
    shape[1] += below;
    shape[2] += behind;
    auto sizes = [&](int64_t h, int64_t w) { return getAsIndexOpFoldResult(rewriter.getContext(), {0, h, w, 0}); };
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    return tensor::PadOp::create(rewriter, loc, type.clone(shape), x, sizes(0, 0), sizes(below, behind), zero);
  }

  void replace(linalg::Conv2DNhwcHwcfOp op) {
    Value weight = op.getInputs()[1];
    auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    std::optional<View> view = fill && isWorthIt(op) ? views.of(weight) : std::nullopt;
    Value kernels = view ? transformedKernels(weight, *view) : Value();
    if (!kernels)
      return;
    rewriter.setInsertionPoint(op);
    Value sums = tiles(op.getLoc(), op.getInputs()[0], kernels, cast<RankedTensorType>(op->getResult(0).getType()));
    rewriter.replaceOp(op, sums);
    eraseViews(weight);
  }

  Value tiles(Location loc, Value x, Value kernels, RankedTensorType type) {
    int64_t batch = type.getDimSize(0), rows = tilesOf(type.getDimSize(1)), columns = tilesOf(type.getDimSize(2));
    int64_t inputs = cast<RankedTensorType>(kernels.getType()).getDimSize(2), outputs = type.getDimSize(3);
    x = coverTiles(loc, x, rows, columns);
    int64_t width = cast<RankedTensorType>(x.getType()).getDimSize(2);
    Value inputMatrix = matrix(loc, {kInputs, kInputs}, &kInputMatrix[0][0]);
    Value resultMatrix = matrix(loc, {kResults, kInputs}, &kResultMatrix[0][0]);
    auto d = [&](unsigned number) { return dim(number); };

    // Rows of tiles: [6, batch, rows, width, in].
    Value half = contract(loc, x, {d(1), d(2) * kResults + d(5), d(3), d(4)}, inputMatrix, {d(0), d(5)},
                          {kInputs, batch, rows, width, inputs});
    // [6, 6, batch, rows, columns, in].
    Value tile = contract(loc, half, {d(0), d(2), d(3), d(4) * kResults + d(6), d(5)}, inputMatrix, {d(1), d(6)},
                          {kInputs, kInputs, batch, rows, columns, inputs});
    Value products = contract(loc, tile, {d(0), d(1), d(2), d(3), d(4), d(6)}, kernels, {d(0), d(1), d(6), d(5)},
                              {kInputs, kInputs, batch, rows, columns, outputs});
    // [4, 6, batch, rows, columns, out].
    half = contract(loc, products, {d(6), d(1), d(2), d(3), d(4), d(5)}, resultMatrix, {d(0), d(6)},
                    {kResults, kInputs, batch, rows, columns, outputs});
    Value sums = contract(loc, half, {d(2), d(6), d(0), d(1), d(3), d(5)}, resultMatrix, {d(4), d(6)},
                          {batch, rows, kResults, columns, kResults, outputs});
    SmallVector<ReassociationIndices> joins = {{0}, {1, 2}, {3, 4}, {5}};
    sums = tensor::CollapseShapeOp::create(rewriter, loc, sums, joins);
    if (sums.getType() == type)
      return sums;
    auto at = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(rewriter.getContext(), values); };
    return tensor::ExtractSliceOp::create(rewriter, loc, type, sums, at({0, 0, 0, 0}), at(type.getShape()),
                                          at({1, 1, 1, 1}));
  }

  func::FuncOp main;
  std::vector<ConstantArgument> &constants;
  ConstantViews views;
  IRRewriter rewriter;
};

} // namespace

void useWinograd(func::FuncOp main, std::vector<ConstantArgument> &constants) { Winograd(main, constants).run(); }

} // namespace clika
