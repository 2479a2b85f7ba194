// Constants and generated tensors, and the operators that hand on their input.
#include "IO/Onnx/Call.h"

using namespace mlir;

namespace clika::onnx {
namespace {

Value floats(Call &call, ArrayRef<float> values, bool isScalar) {
  SmallVector<int64_t, 1> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  auto type = RankedTensorType::get(shape, call.importer.builder.getF32Type());
  return call.importer.constant(DenseElementsAttr::get(type, values));
}

void buildConstant(Call &call) {
  if (const Tensor *tensor = call.tensorAttr("value"))
    return call.out(call.importer.constant(*tensor, call.node.outputs.empty() ? "" : call.node.outputs[0]));
  if (call.hasAttr("value_float"))
    return call.out(floats(call, {static_cast<float>(call.floatAttr("value_float", 0))}, true));
  if (auto list = call.floatsAttr("value_floats"))
    return call.out(floats(call, *list, false));
  if (call.hasAttr("value_int"))
    return call.out(call.importer.scalar(call.importer.builder.getI64Type(), call.intAttr("value_int", 0)));
  if (auto list = call.intsAttr("value_ints"))
    return call.out(call.importer.ints(*list));
  call.unsupported("a constant of texts or of a sparse tensor is not covered");
}

/// One element of any type, repeated over a shape.
DenseElementsAttr splat(Call &call, const Tensor *value, ArrayRef<int64_t> shape) {
  Builder &builder = call.importer.builder;
  if (!value)
    return DenseElementsAttr::get(RankedTensorType::get(shape, builder.getF32Type()), 0.0f);
  Weights data = call.importer.weightsOf(*value);
  if (data.bytes.size() != elementSize(value->type))
    call.fail("its value must have one element");
  auto type = RankedTensorType::get(shape, call.importer.elementType(value->type));
  if (value->type == ElementType::Bool)
    return DenseElementsAttr::get(type, data.bytes[0] != 0);
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(data.bytes.data(), data.bytes.size()));
}

void buildConstantOfShape(Call &call) {
  const Tensor *value = call.tensorAttr("value");
  std::optional<Call::Ints> shape = call.constantInts(0);
  if (shape) {
    countElements(*shape, 8, "its shape");
    return call.out(call.importer.constant(splat(call, value, *shape)));
  }
  Value element = call.importer.constant(splat(call, value, {}));
  call.out(call.op("full").in(call.in(0)).in(element).result());
}

void buildRange(Call &call) { call.out(call.op("range").in(call.in(0)).in(call.in(1)).in(call.in(2)).result()); }

void buildDropout(Call &call) {
  call.ignoreAttr("ratio");
  call.ignoreAttr("seed");
  Value x = call.in(0);
  if (call.has(2)) {
    std::optional<std::vector<double>> training = call.constantNumbers(2);
    if (!training || training->size() != 1 || (*training)[0] != 0)
      call.unsupported("its training_mode must be constant and false");
  }
  call.out(call.unary("identity", x));
  if (!call.wants(1))
    return;
  // Everything is kept: the mask is true all over.
  mlir::Type type = call.opset < 10 ? call.element(x) : call.importer.builder.getI1Type();
  Value one = type.isInteger(1) ? call.importer.constant(DenseElementsAttr::get(RankedTensorType::get({}, type), true))
                                : call.importer.scalar(type, 1);
  call.out(1, call.op("expand").in(one).in(call.unary("shape", x)).result());
}

} // namespace

void addConstants(Operators &operators) {
  operators.add("Constant", buildConstant);
  operators.add("ConstantOfShape", buildConstantOfShape);
  operators.add("Dropout", buildDropout);
  operators.add("Range", buildRange);
}

} // namespace clika::onnx
