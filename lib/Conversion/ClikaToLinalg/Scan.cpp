// cumsum: one step of a loop per position along the dimension, all other dimensions at once.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/Axes.h"
#include "Dialect/ReduceOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace clika {
namespace {

// Sums along the first dimension of [n, before, after]; the state of the loop is one [1, before, after] of it.
class Scan {
public:
  Scan(TensorBuilder &t, Type element, bool exclusive, bool reverse)
      : t(t), element(element), exclusive(exclusive), reverse(reverse) {}

  Value run(Value x) {
    Sizes sizes = t.sizesOf(x), step = sizes;
    step[0] = t.size(1);
    Value start = t.filled(step, t.b.getZeroAttr(computedElement(element)));
    Value results = t.empty(sizes, storedElement(element));
    Value first = t.indexOf(t.size(0)), one = t.indexOf(t.size(1)), count = t.indexOf(sizes[0]);
    auto loop = scf::ForOp::create(t.b, first, count, one, ValueRange{start, results},
                                   [&](OpBuilder &builder, Location location, Value i, ValueRange state) {
                                     TensorBuilder inner(builder, t.op);
                                     Sizes offsets(3, inner.size(0));
                                     offsets[0] = i;
                                     if (reverse)
                                       offsets[0] = inner.sub(inner.sub(sizes[0], inner.size(1)), i);
                                     Value sums = advance(inner, inner.slice(x, offsets, step), state[0], step);
                                     Value out = store(inner, exclusive ? state[0] : sums, step);
                                     scf::YieldOp::create(inner.b,
                                                          ValueRange{sums, inner.insert(out, state[1], offsets, step)});
                                   });
    return loop.getResult(1);
  }

private:
  Value advance(TensorBuilder &t, Value part, Value sums, const Sizes &sizes) {
    AffineMap own = t.identity(3);
    return t.map(sizes, computedElement(element), {part, sums}, {own, own},
                 [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
                   return addScalars(b, scalars[1], toComputed(b, scalars[0], element));
                 });
  }

  Value store(TensorBuilder &t, Value sums, const Sizes &sizes) {
    if (computedElement(element) == storedElement(element))
      return sums;
    return t.map(sizes, storedElement(element), sums, t.identity(3),
                 [&](ImplicitLocOpBuilder &b, ValueRange scalars) { return toStored(b, scalars[0], element); });
  }

  TensorBuilder &t;
  Type element;
  bool exclusive, reverse;
};

struct CumsumLowering : OpConversionPattern<CumsumOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(CumsumOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getX().getType());
    int64_t rank = type.getRank();
    FailureOr<int64_t> axis = readAxis(std::nullopt, "", op.getAxis(), rank);
    if (failed(axis))
      return failure();
    Value x = adaptor.getX();
    Sizes sizes = t.sizesOf(x);
    if (llvm::is_contained(type.getShape(), 0)) {
      rewriter.replaceOp(op, x);
      return success();
    }
    // [before, n, after], with n first for the scan.
    Value rows =
        rank == 0 ? t.reshape(x, {t.size(1), t.size(1), t.size(1)}) : t.join(t.join(x, *axis + 1, rank), 0, *axis);
    Value sums = Scan(t, type.getElementType(), op.getExclusive(), op.getReverse()).run(t.transpose(rows, {1, 0, 2}));
    Value result = t.reshape(t.transpose(sums, {1, 0, 2}), sizes);
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

} // namespace

void populateScanToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CumsumLowering>(converter, patterns.getContext());
}

} // namespace clika
