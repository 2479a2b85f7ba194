// Integers that stand for numbers.
#include "IO/Onnx/Windows.h"

using namespace mlir;

namespace clika::onnx {
namespace {

bool hasOneElement(RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

/// The zero point at input `i`, of the shape of `scale`: exporters write one of them as a scalar, the other as a list
/// of one.
Value zeroPoint(Call &call, size_t i, Value scale) {
  Value zero = call.optional(i);
  bool differ = zero && call.type(zero).getShape() != call.type(scale).getShape();
  if (!differ || !hasOneElement(call.type(zero)) || !hasOneElement(call.type(scale)))
    return zero;
  return call.reshape(zero, call.type(scale).getShape());
}

void buildQuantize(Call &call) {
  call.ignoreAttr("saturate"); // of float8 results only
  Value x = call.in(0), scale = call.in(1);
  if (int64_t precision = call.intAttr("precision", 0); precision != 0)
    call.unsupported("a precision other than the scale's is not covered");
  if (call.element(x) != call.element(scale))
    x = call.castTo(x, call.element(scale));
  OpMaker op = call.op("quantize");
  op.in(x)
      .in(scale)
      .in(zeroPoint(call, 2, scale))
      .set("axis", call.intAttr("axis", 1))
      .set("block_size", call.intAttr("block_size", 0));
  if (int64_t type = call.intAttr("output_dtype", 0))
    op.set("dtype", call.importer.elementType(static_cast<ElementType>(type)));
  call.out(op.result());
}

void buildDequantize(Call &call) {
  Value scale = call.in(1);
  Value result = call.op("dequantize")
                     .in(call.in(0))
                     .in(scale)
                     .in(zeroPoint(call, 2, scale))
                     .set("axis", call.intAttr("axis", 1))
                     .set("block_size", call.intAttr("block_size", 0))
                     .result();
  if (int64_t type = call.intAttr("output_dtype", 0))
    result = call.castTo(result, call.importer.elementType(static_cast<ElementType>(type)));
  call.out(result);
}

/// The range of x, widened to hold 0, in 255 steps.
void buildDynamicQuantize(Call &call) {
  Value x = call.in(0);
  Importer &importer = call.importer;
  Value zero = importer.scalar(call.element(x), 0);
  Value low = call.binary("minimum", call.unary("reduce_min", x), zero);
  Value high = call.binary("maximum", call.unary("reduce_max", x), zero);
  Value scale = call.withNumber("div", call.binary("sub", high, low), 255);
  Value start = call.unary("round", call.unary("neg", call.binary("div", low, scale)));
  Value bounded = call.op("clamp").in(start).set("min", 0.0).set("max", 255.0).result();
  Value zeroPoint = call.castTo(bounded, importer.elementType(ElementType::UInt8));
  call.out(0, call.op("quantize").in(x).in(scale).in(zeroPoint).result());
  call.out(1, scale);
  call.out(2, zeroPoint);
}

/// A scale in float32: half types would round each element before they are summed up.
Value scaleOf(Call &call, size_t i) { return call.castTo(call.in(i), call.importer.builder.getF32Type()); }

/// int32 sums, whose steps are `scale`, in steps of y's scale at input `i` around the zero point at input `i + 1`.
Value requantized(Call &call, Value sums, Value scale, size_t i) {
  Value yScale = scaleOf(call, i), zero = call.in(i + 1);
  Value numbers = call.castTo(sums, call.element(yScale));
  mlir::RankedTensorType type = call.type(zero);
  if (!hasOneElement(type)) {
    numbers = call.binary("mul", numbers, scale);
    return call.op("quantize").in(numbers).in(yScale).in(zero).result();
  }
  numbers = call.binary("mul", numbers, call.binary("div", scale, yScale));
  Value one = call.reshape(call.importer.scalar(call.element(yScale), 1), type.getShape());
  return call.op("quantize").in(numbers).in(one).in(zero).result();
}

/// One number per row of a stack of matrices.
Value perRow(Call &call, Value numbers, Value matrices) {
  bool isList = call.rank(numbers) == 1 && call.type(numbers).getDimSize(0) != 1 && call.rank(matrices) > 1;
  return isList ? call.reshape(numbers, {-1, 1}) : numbers;
}

void buildQLinearMatMul(Call &call) {
  Value a = centered(call, 0, 2, call.rank(call.in(0)) > 1), b = centered(call, 3, 5, false);
  Value scale = call.binary("mul", perRow(call, scaleOf(call, 1), a), scaleOf(call, 4));
  call.out(requantized(call, call.binary("matmul", a, b), scale, 6));
}

void buildQLinearConv(Call &call) {
  Value x = centered(call, 0, 2, false), weight = centeredKernel(call, 3, 5), bias;
  checkKernel(call, call.in(3));
  if (call.has(8))
    bias = call.in(8); // in steps of both scales' product
  OpMaker op = call.op("conv");
  op.in(x).in(weight).in(bias).set("groups", call.intAttr("group", 1));
  int64_t spatialRank = spatialRankOf(call, x);
  setWindow(call, op, spatialRank);
  Value scale = call.binary("mul", scaleOf(call, 1), scaleOf(call, 4));
  if (call.rank(scale) == 1) {
    Call::Ints shape(static_cast<size_t>(spatialRank + 1), 1);
    shape[0] = -1;
    scale = call.reshape(scale, shape);
  }
  call.out(requantized(call, op.result(), scale, 6));
}

} // namespace

void addQuantize(Operators &operators) {
  operators.add("DequantizeLinear", buildDequantize, 10);
  operators.add("DynamicQuantizeLinear", buildDynamicQuantize, 11);
  operators.add("QLinearConv", buildQLinearConv, 10);
  operators.add("QLinearMatMul", buildQLinearMatMul, 10);
  operators.add("QuantizeLinear", buildQuantize, 10);
}

} // namespace clika::onnx
