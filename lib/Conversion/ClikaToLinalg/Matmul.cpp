// matmul and linear, as linalg.matmul and linalg.batch_matmul.
#include "Conversion/ClikaToLinalg/Broadcast.h"
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/DequantizedSums.h"
#include "Conversion/ClikaToLinalg/Epilogue.h"
#include "Dialect/LinearOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// [M, K] x [K, N] -> [M, N] in the type sums are taken in.
Value product(TensorBuilder &t, Value a, Value b, Type element) {
  Value zero = t.filled({t.sizeOf(a, 0), t.sizeOf(b, 1)}, t.b.getZeroAttr(computedElement(element)));
  return linalg::MatmulOp::create(t.b, ValueRange{a, b}, ValueRange{zero})->getResult(0);
}

Value batchProduct(TensorBuilder &t, Value a, Value b, Type element) {
  Value zero = t.filled({t.sizeOf(a, 0), t.sizeOf(a, 1), t.sizeOf(b, 2)}, t.b.getZeroAttr(computedElement(element)));
  return linalg::BatchMatmulOp::create(t.b, ValueRange{a, b}, ValueRange{zero})->getResult(0);
}

Value swapLastTwo(TensorBuilder &t, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<int64_t> permutation = dimRange(0, rank);
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return t.transpose(tensor, permutation);
}

// The operands of a batched product with one batch dimension each, and the batch sizes they stand for.
struct Batched {
  Value a, b;
  Sizes batch;
};

// Whether an operand of that batch map has each batch size as its own.
bool isWhole(AffineMap map, ArrayRef<Size> batch) {
  if (map.getNumResults() != batch.size())
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr) && getConstantIntValue(batch[i]) != 1)
      return false;
  return true;
}

// `operand` with its batch dimensions broadcast to `batch` and joined into one.
Value joinBatch(TensorBuilder &t, Value operand, AffineMap batchMap, ArrayRef<Size> batch) {
  auto type = cast<RankedTensorType>(operand.getType());
  unsigned own = type.getRank() - 2, rank = batch.size();
  if (!isWhole(batchMap, batch)) {
    Sizes sizes(batch.begin(), batch.end());
    sizes.push_back(t.sizeOf(operand, own));
    sizes.push_back(t.sizeOf(operand, own + 1));
    SmallVector<AffineExpr> exprs(batchMap.getResults());
    exprs.push_back(t.b.getAffineDimExpr(rank));
    exprs.push_back(t.b.getAffineDimExpr(rank + 1));
    AffineMap map = AffineMap::get(rank + 2, 0, exprs, t.b.getContext());
    operand = t.map(sizes, type.getElementType(), operand, map,
                    [](ImplicitLocOpBuilder &, ValueRange scalars) { return scalars[0]; });
  }
  return t.join(operand, 0, rank);
}

Batched broadcastBatch(TensorBuilder &t, Value a, Value b, const Dims &aDims, const Dims &bDims, ArrayRef<Dim> result) {
  SmallVector<Dims> shapes;
  for (const Dims &dims : {aDims, bDims})
    shapes.emplace_back(dims.begin(), dims.end() - 2);
  unsigned rank = std::max(shapes[0].size(), shapes[1].size());
  Broadcasted both = broadcastOperands(t.b, t.op, {a, b}, shapes, result.take_front(rank));
  Batched out;
  out.batch.assign(both.sizes.begin(), both.sizes.end());
  out.a = joinBatch(t, both.operands[0], both.maps[0], out.batch);
  out.b = joinBatch(t, both.operands[1], both.maps[1], out.batch);
  return out;
}

// `result` with its first dimension split so that its sizes are `sizes`.
Value splitFirst(TensorBuilder &t, Value result, ArrayRef<Size> sizes) {
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank(), leading = sizes.size() - (rank - 1);
  SmallVector<ReassociationIndices> runs{asRun(dimRange(0, leading))};
  for (int64_t i = 1; i < rank; ++i)
    runs.push_back({leading + i - 1});
  return t.expand(result, runs, sizes);
}

struct MatmulLowering : OpConversionPattern<MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MatmulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    ProductOperands operands(t, rewriter, adaptor.getA(), adaptor.getB());
    Type element = operands.element;
    Value a = operands.left, b = operands.right;
    Dims aDims = dimsOf(op.getA().getType()), bDims = dimsOf(op.getB().getType());
    bool row = aDims.size() == 1, column = bDims.size() == 1;
    if (row) {
      a = t.addUnit(a, 0);
      aDims.insert(aDims.begin(), constantDim(op.getContext(), 1));
    } else if (op.getTransposeA()) {
      a = swapLastTwo(t, a);
      std::swap(aDims[aDims.size() - 1], aDims[aDims.size() - 2]);
    }
    if (column) {
      b = t.addUnit(b, 1);
      bDims.push_back(constantDim(op.getContext(), 1));
    } else if (op.getTransposeB()) {
      b = swapLastTwo(t, b);
      std::swap(bDims[bDims.size() - 1], bDims[bDims.size() - 2]);
    }
    unsigned aRank = aDims.size(), bRank = bDims.size();
    Size columns = t.sizeOf(a, aRank - 1), rows = t.sizeOf(b, bRank - 2);
    t.requireSame(aDims[aRank - 1], bDims[bRank - 2], columns, rows,
                  "the columns of a and the rows of b differ in number");

    Sizes sizes;
    Value result;
    if (bRank == 2) {
      // One matrix b: the rows of all of a's matrices are one matrix's.
      sizes = t.sizesOf(a);
      sizes.back() = t.sizeOf(b, 1);
      result = product(t, t.join(a, 0, aRank - 1), b, element);
    } else {
      Batched both = broadcastBatch(t, a, b, aDims, bDims, dimsOf(type));
      sizes = both.batch;
      sizes.push_back(t.sizeOf(both.a, 1));
      sizes.push_back(t.sizeOf(both.b, 2));
      result = batchProduct(t, both.a, both.b, element);
    }
    result = operands.numbers(result, cast<RankedTensorType>(result.getType()).getRank() - 1);
    result = splitFirst(t, finish(t, result, {}, 0, op.getActivation(), type.getElementType()), sizes);
    if (column)
      sizes.pop_back();
    if (row)
      sizes.erase(sizes.end() - (column ? 1 : 2));
    if (row || column)
      result = t.reshape(result, sizes);
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, type));
    return success();
  }
};

struct LinearLowering : OpConversionPattern<LinearOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(LinearOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Dims x = dimsOf(op.getX().getType()), weight = dimsOf(op.getWeight().getType());
    ProductOperands operands(t, rewriter, adaptor.getX(), adaptor.getWeight());
    Sizes sizes = t.sizesOf(operands.left);
    t.requireSame(x.back(), weight[1], sizes.back(), t.sizeOf(operands.right, 1),
                  "x's features and weight's differ in number");
    if (Value bias = adaptor.getBias())
      t.requireSame(dimsOf(op.getBias().getType())[0], weight[0], t.sizeOf(bias, 0), t.sizeOf(operands.right, 0),
                    "bias and weight's out features differ in number");
    sizes.back() = t.sizeOf(operands.right, 0);
    Value rows = t.join(operands.left, 0, x.size() - 1);
    Value result = product(t, rows, t.transpose(operands.right, {1, 0}), operands.element);
    result = finish(t, operands.numbers(result, 1), adaptor.getBias(), 1, op.getActivation(), type.getElementType());
    result = x.size() == 1 ? t.reshape(result, sizes) : splitFirst(t, result, sizes);
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, type));
    return success();
  }
};

} // namespace

void populateMatmulToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<MatmulLowering, LinearLowering>(converter, patterns.getContext());
}

} // namespace clika
