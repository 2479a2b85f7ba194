// softmax and log_softmax.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Reduction.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/Axes.h"
#include "Dialect/NormOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {
namespace {

template <typename Op>
struct SoftmaxLowering : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    TensorBuilder t(rewriter, op);
    auto type = cast<RankedTensorType>(op.getX().getType());
    FailureOr<int64_t> axis = readAxis(std::nullopt, "", op.getAxis(), type.getRank());
    if (failed(axis))
      return failure();
    bool scalar = type.getRank() == 0;
    Value x = scalar ? t.addUnit(adaptor.getX(), 0) : adaptor.getX();
    Value result = along(t, x, *axis, type.getElementType());
    if (scalar)
      result = t.reshape(result, {});
    rewriter.replaceOp(op, castToLowered(rewriter, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static Value along(TensorBuilder &t, Value x, int64_t axis, Type element) {
    Sizes sizes = t.sizesOf(x);
    unsigned rank = sizes.size();
    AffineMap own = t.identity(rank), row = t.mapTo(rank, dimsWithout(rank, {axis}));
    Value highest = reduce(t, x, {}, {axis}, maximumOf(t, element));
    if constexpr (std::is_same_v<Op, LogSoftmaxOp>) {
      Reduction exponentials = sumOf(t, element);
      exponentials.element = [element](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
        return math::ExpOp::create(b, arith::SubFOp::create(b, toComputed(b, scalars[0], element), scalars[1]));
      };
      Value sums = reduce(t, x, highest, {axis}, exponentials);
      Sizes rowSizes = t.sizesOf(sums);
      AffineMap rows = t.identity(rank - 1);
      Value logs = t.map(
          rowSizes, computedElement(element), sums, rows,
          [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value { return math::LogOp::create(b, scalars[0]); });
      return t.map(sizes, element, {x, highest, logs}, {own, row, row},
                   [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
                     Value shifted = arith::SubFOp::create(b, toComputed(b, scalars[0], element), scalars[1]);
                     return toStored(b, arith::SubFOp::create(b, shifted, scalars[2]), element);
                   });
    } else {
      Type computed = computedElement(element);
      Value exponentials =
          t.map(sizes, computed, {x, highest}, {own, row}, [&](ImplicitLocOpBuilder &b, ValueRange scalars) -> Value {
            Value x = toComputed(b, scalars[0], element);
            return math::ExpOp::create(b, arith::SubFOp::create(b, x, scalars[1]));
          });
      Value sums = reduce(t, exponentials, {}, {axis}, sumOf(t, computed));
      return t.map(sizes, element, {exponentials, sums}, {own, row}, [&](ImplicitLocOpBuilder &b, ValueRange scalars) {
        return toStored(b, arith::DivFOp::create(b, scalars[0], scalars[1]), element);
      });
    }
  }
};

} // namespace

void populateSoftmaxToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<SoftmaxLowering<SoftmaxOp>, SoftmaxLowering<LogSoftmaxOp>>(converter, patterns.getContext());
}

} // namespace clika
