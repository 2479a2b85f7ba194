#include "Conversion/ClikaToLinalg/DequantizedSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace clika {
namespace {

/// Where the one element of a tensor is, or that of position `axis` of a list, in `rank` loops.
AffineMap placeOf(TensorBuilder &t, Value tensor, unsigned rank, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1 && type.getDimSize(0) != 1)
    return t.mapTo(rank, {axis});
  SmallVector<AffineExpr> first(type.getRank(), t.b.getAffineConstantExpr(0));
  return AffineMap::get(rank, 0, first, t.b.getContext());
}

/// Bytes of the dialect's type `element` as int32.
Value widened(TensorBuilder &t, Value bytes, Type element) {
  Sizes sizes = t.sizesOf(bytes);
  return t.map(sizes, t.b.getI32Type(), bytes, t.identity(sizes.size()), [&](ImplicitLocOpBuilder &b, ValueRange in) {
    return element.isUnsignedInteger() ? arith::ExtUIOp::create(b, b.getI32Type(), in[0]).getResult()
                                       : arith::ExtSIOp::create(b, b.getI32Type(), in[0]).getResult();
  });
}

/// What the bytes stand for in steps: less the zero point.
Value inSteps(TensorBuilder &t, DequantizeOp op, Value bytes, Value zero) {
  Type element = cast<RankedTensorType>(op.getX().getType()).getElementType();
  Value wide = widened(t, bytes, element);
  if (!zero)
    return wide;
  Sizes sizes = t.sizesOf(bytes);
  int64_t rank = sizes.size(), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  return t.map(
      sizes, t.b.getI32Type(), {wide, widened(t, zero, element)}, {t.identity(rank), placeOf(t, zero, rank, axis)},
      [](ImplicitLocOpBuilder &b, ValueRange in) { return arith::SubIOp::create(b, in[0], in[1]).getResult(); });
}

} // namespace

ProductOperands::ProductOperands(TensorBuilder &t, ConversionPatternRewriter &rewriter, Value left, Value right)
    : left(left), right(right), element(getElementTypeOrSelf(t.op->getResult(0).getType())), t(t),
      bytes(byteProductOf(t.op)) {
  if (!bytes)
    return;
  auto lowered = [&](Value value) { return value ? rewriter.getRemappedValue(value) : Value(); };
  auto steps = [&](DequantizeOp op) { return inSteps(t, op, lowered(op.getX()), lowered(op.getZeroPoint())); };
  leftScale = lowered(bytes->left.getScale());
  rightScale = lowered(bytes->right.getScale());
  this->left = steps(bytes->left);
  this->right = steps(bytes->right);
  element = t.b.getI32Type();
}

Value ProductOperands::numbers(Value sums, unsigned along) {
  if (!bytes)
    return sums;
  Sizes sizes = t.sizesOf(sums);
  unsigned rank = sizes.size();
  // The factor of each result once.
  Sizes steps = t.sizesOf(rightScale);
  Value factor =
      t.map(steps, t.b.getF32Type(), {rightScale, leftScale},
            {t.identity(steps.size()), placeOf(t, leftScale, steps.size(), 0)},
            [](ImplicitLocOpBuilder &b, ValueRange in) { return arith::MulFOp::create(b, in[1], in[0]).getResult(); });
  return t.map(sizes, t.b.getF32Type(), {sums, factor}, {t.identity(rank), placeOf(t, factor, rank, along)},
               [](ImplicitLocOpBuilder &b, ValueRange in) {
                 Value number = arith::SIToFPOp::create(b, b.getF32Type(), in[0]);
                 return arith::MulFOp::create(b, number, in[1]).getResult();
               });
}

} // namespace clika
