// Integers that stand for numbers.
#include "IO/Onnx/Windows.h"

using namespace mlir;

namespace clika::onnx {
namespace {

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
      .in(call.optional(2))
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
                     .in(call.optional(2))
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

/// Numbers of a quantized operand; one scale per row or column runs along `axis`.
Value dequantized(Call &call, size_t first, int64_t axis) {
  return call.op("dequantize")
      .in(call.in(first))
      .in(scaleOf(call, first + 1))
      .in(call.in(first + 2))
      .set("axis", axis)
      .result();
}

void buildQLinearMatMul(Call &call) {
  Value a = call.in(0), b = call.in(3);
  Value product = call.binary("matmul", dequantized(call, 0, std::max<int64_t>(0, call.rank(a) - 2)),
                              dequantized(call, 3, call.rank(b) - 1));
  call.out(call.op("quantize").in(product).in(scaleOf(call, 6)).in(call.in(7)).result());
}

void buildQLinearConv(Call &call) {
  Value x = dequantized(call, 0, 1), weight = dequantized(call, 3, 0), bias;
  checkKernel(call, weight);
  if (call.has(8)) {
    // A bias is in steps of both scales' product.
    Value steps = call.binary("mul", scaleOf(call, 1), scaleOf(call, 4));
    bias = call.binary("mul", call.castTo(call.in(8), call.element(steps)), steps);
  }
  OpMaker op = call.op("conv");
  op.in(x).in(weight).in(bias).set("groups", call.intAttr("group", 1));
  setWindow(call, op, spatialRankOf(call, x));
  call.out(call.op("quantize").in(op.result()).in(scaleOf(call, 6)).in(call.in(7)).result());
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
