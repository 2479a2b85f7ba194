#include "Conversion/ClikaToLinalg/TypeConverter.h"

#include "Dialect/Dialect.h"
#include "Dialect/PointwiseFormulas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {

LoweredTypes::LoweredTypes() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> Type {
    return RankedTensorType::get(type.getShape(), storedElement(type.getElementType()));
  });
}

Type storedElement(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return element;
  return IntegerType::get(element.getContext(), integer.getWidth() == 1 ? 8 : integer.getWidth());
}

Type computedElement(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return element.isInteger(1) ? element : storedElement(element);
}

Value toComputed(ImplicitLocOpBuilder &b, Value stored, Type element) {
  if (element.isF16() || element.isBF16())
    return arith::ExtFOp::create(b, b.getF32Type(), stored);
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, stored,
                                 arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
  return stored;
}

Value toStored(ImplicitLocOpBuilder &b, Value computed, Type element) {
  Type type = storedElement(element);
  if (computed.getType() == type)
    return computed;
  if (isa<FloatType>(type))
    return arith::TruncFOp::create(b, type, computed);
  return arith::ExtUIOp::create(b, type, computed);
}

Value activateAndStore(ImplicitLocOpBuilder &b, StringRef activation, Value computed, Type element) {
  Value stored = toStored(b, computed, element);
  if (activation.empty() || activation == "Identity")
    return stored;
  return toStored(b, buildActivation(b, activation, toComputed(b, stored, element), element), element);
}

std::string nodeText(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  auto node = dyn_cast<NodeOp>(op);
  if (node && node.getNodeIdentity().name)
    text += " '" + node.getNodeIdentity().name.str() + "'";
  return text;
}

void checkAtRunTime(OpBuilder &builder, Operation *op, Value condition, const Twine &message) {
  cf::AssertOp::create(builder, op->getLoc(), condition, nodeText(op) + ": " + message.str());
}

Value castToLowered(OpBuilder &builder, Location location, Value value, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto lowered = RankedTensorType::get(tensor.getShape(), storedElement(tensor.getElementType()));
  if (value.getType() == lowered)
    return value;
  return tensor::CastOp::create(builder, location, lowered, value);
}

} // namespace clika
