#include "Conversion/ClikaToLinalg/Reduction.h"

#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/PointwiseFormulas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace clika {
namespace {

bool isUnsigned(Type element) { return element.isUnsignedInteger(); }

} // namespace

Value reduce(TensorBuilder &t, ValueRange inputs, ValueRange rows, ArrayRef<int64_t> axes, const Reduction &reduction) {
  // Along the last dimension the reduced dimensions are one row, in the innermost loop: lib/Pipelines' mark of a row.
  int64_t rank = cast<RankedTensorType>(inputs[0].getType()).getRank();
  SmallVector<Value> operands(inputs);
  SmallVector<int64_t> kept = dimsWithout(rank, axes), reduced(axes);
  if (axes.empty() || axes.back() == rank - 1) {
    SmallVector<int64_t> order = kept;
    order.append(axes.begin(), axes.end());
    int64_t outer = kept.size();
    for (Value &operand : operands)
      operand = t.join(t.transpose(operand, order), outer, rank);
    kept = dimRange(0, outer);
    reduced = {outer};
    rank = outer + 1;
  }
  Sizes sizes;
  for (int64_t dim : kept)
    sizes.push_back(t.sizeOf(operands[0], dim));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  for (int64_t dim : reduced)
    loops[dim] = utils::IteratorType::reduction;
  SmallVector<AffineMap> maps(operands.size(), t.identity(rank));
  maps.append(rows.size() + 1, t.mapTo(rank, kept));
  operands.append(rows.begin(), rows.end());

  Sizes lengths;
  if (reduction.indexed)
    for (int64_t dim : reduced)
      lengths.push_back(t.indexOf(t.sizeOf(operands[0], dim)));
  auto position = [&](ImplicitLocOpBuilder &b) {
    Value result = linalg::IndexOp::create(b, reduced[0]);
    for (auto [dim, length] : llvm::drop_begin(llvm::zip(reduced, lengths)))
      result = arith::AddIOp::create(b, arith::MulIOp::create(b, result, cast<Value>(length)),
                                     linalg::IndexOp::create(b, dim));
    return result;
  };
  return t.generic(operands, t.filled(sizes, reduction.neutral), maps, loops,
                   [&](ImplicitLocOpBuilder &b, ValueRange scalars, SmallVectorImpl<Value> &results) {
                     SmallVector<Value> own(scalars.drop_back());
                     if (reduction.indexed)
                       own.push_back(position(b));
                     results.push_back(reduction.combine(b, scalars.back(), reduction.element(b, own)));
                   })[0];
}

Value addScalars(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::AddFOp::create(b, x, y);
  return arith::AddIOp::create(b, x, y);
}

Value multiplyScalars(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return arith::MulFOp::create(b, x, y);
  return arith::MulIOp::create(b, x, y);
}

static TypedAttr extremeOf(OpBuilder &b, Type element, bool highest) {
  Type type = computedElement(element);
  if (auto number = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(number.getFloatSemantics(), !highest));
  unsigned width = type.getIntOrFloatBitWidth();
  bool plain = isUnsigned(element) || width == 1;
  APInt value = highest ? (plain ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width))
                        : (plain ? APInt::getMinValue(width) : APInt::getSignedMinValue(width));
  return b.getIntegerAttr(type, value);
}

TypedAttr lowestOf(OpBuilder &b, Type element) { return extremeOf(b, element, false); }
TypedAttr highestOf(OpBuilder &b, Type element) { return extremeOf(b, element, true); }

static std::function<Value(ImplicitLocOpBuilder &, ValueRange)> asComputed(Type element) {
  return [element](ImplicitLocOpBuilder &b, ValueRange scalars) { return toComputed(b, scalars[0], element); };
}

Reduction sumOf(TensorBuilder &t, Type element) {
  return {t.b.getZeroAttr(computedElement(element)), asComputed(element), addScalars};
}

Reduction maximumOf(TensorBuilder &t, Type element) {
  bool plain = isUnsigned(element) || element.isInteger(1);
  return {lowestOf(t.b, element), asComputed(element),
          [plain](ImplicitLocOpBuilder &b, Value x, Value y) { return maximum(b, x, y, plain); }};
}

Reduction minimumOf(TensorBuilder &t, Type element) {
  bool plain = isUnsigned(element) || element.isInteger(1);
  return {highestOf(t.b, element), asComputed(element),
          [plain](ImplicitLocOpBuilder &b, Value x, Value y) { return minimum(b, x, y, plain); }};
}

Value countOf(TensorBuilder &t, Value input, ArrayRef<int64_t> axes, Type type) {
  Size count = t.size(1);
  for (int64_t axis : axes)
    count = t.mul(count, t.sizeOf(input, axis));
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known) {
    TypedAttr value = isa<FloatType>(type) ? TypedAttr(t.b.getFloatAttr(type, static_cast<double>(*known)))
                                           : TypedAttr(t.b.getIntegerAttr(type, *known));
    return arith::ConstantOp::create(t.b, value);
  }
  Value integer = arith::IndexCastOp::create(t.b, t.b.getI64Type(), t.indexOf(count));
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(t.b, type, integer);
  return type.isInteger(64) ? integer : arith::TruncIOp::create(t.b, type, integer).getResult();
}

} // namespace clika
