#include "Transforms/Literals.h"

#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/ShapeValues.h"
#include "Runtime/FilePages.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

bool sameNumber(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

} // namespace

std::optional<double> numberOf(Attribute scalar) {
  if (auto number = dyn_cast_or_null<FloatAttr>(scalar))
    return number.getValueAsDouble();
  if (auto truth = dyn_cast_or_null<BoolAttr>(scalar))
    return truth.getValue() ? 1.0 : 0.0;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(scalar))
    return exactDouble(integer.getValue(), false);
  return std::nullopt;
}

bool isPositiveZero(Attribute scalar) {
  std::optional<double> number = numberOf(scalar);
  return number && sameNumber(*number, 0.0);
}

bool movesByKnownSizes(Operation *op) {
  return llvm::all_of(op->getOperands().drop_front(), [](Value operand) {
    std::optional<Dims> values = shapeValues(operand);
    return values && llvm::all_of(*values, [](Dim value) { return value != nullptr; });
  });
}

std::optional<double> splatOf(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant)
    return std::nullopt;
  ConstantData data = splatData(constant.getValue());
  return data.valid ? numberAt(data.bytes, constant.getType().getElementType(), 0) : std::nullopt;
}

bool isConstant(Value value, double number) {
  std::optional<double> splat = splatOf(value);
  return splat && sameNumber(*splat, number);
}

std::optional<std::vector<double>> readNumbers(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  auto type = constant ? dyn_cast<RankedTensorType>(constant.getType()) : RankedTensorType();
  if (!type || !isa<FloatType>(type.getElementType()))
    return std::nullopt;
  ConstantData data = constantData(constant.getValue());
  if (!data.valid)
    return std::nullopt;
  std::vector<double> numbers = floatNumbers(data.bytes, cast<FloatType>(type.getElementType()));
  releaseFilePages(data.bytes.data(), data.bytes.size());
  return numbers;
}

Value makeConstant(RewriterBase &rewriter, Location location, RankedTensorType type, llvm::ArrayRef<double> numbers) {
  std::vector<char> bytes = floatBytes(numbers, cast<FloatType>(type.getElementType()));
  return ConstantOp::create(rewriter, location, copiedConstant(type, bytes));
}

} // namespace clika
