#include "Dialect/OperandDtypes.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

bool inGroup(std::string_view group, ElementKind element) {
  unsigned width = element.width;
  if (element.isFloat || group == "float")
    return element.isFloat && group == "float";
  if (group == "bool")
    return width == 1;
  if (group == "int")
    return width > 1 && !element.isUnsigned;
  if (group == "uint")
    return element.isUnsigned;
  if (group == "index")
    return (width == 32 || width == 64) && !element.isUnsigned;
  if (group == "int64")
    return width == 64 && !element.isUnsigned;
  if (group == "quantized")
    return width == 8 || width == 16 || (width == 32 && !element.isUnsigned);
  return false;
}

} // namespace

bool takesElement(const OperandInfo &operand, ElementKind element) {
  return std::ranges::any_of(operand.dtypeGroups, [&](std::string_view group) { return inGroup(group, element); });
}

bool takesType(const OperandInfo &operand, mlir::Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  mlir::Type element = tensor ? tensor.getElementType() : mlir::Type();
  auto integer = dyn_cast_if_present<IntegerType>(element);
  bool isFloat = isa_and_present<FloatType>(element);
  unsigned width = integer ? integer.getWidth() : 0;
  return (isFloat || integer) && takesElement(operand, {isFloat, integer && integer.isUnsigned(), width});
}

std::string dtypesText(const OperandInfo &operand) {
  static const std::pair<std::string_view, const char *> names[] = {
      {"float", "floating-point numbers"},
      {"int", "signed integers"},
      {"uint", "unsigned integers"},
      {"bool", "bools"},
      {"index", "int32 or int64"},
      {"int64", "int64"},
      {"quantized", "int8, uint8, int16, uint16 or int32"}};
  std::string text;
  for (size_t i = 0; i < operand.dtypeGroups.size(); ++i)
    for (auto [group, name] : names)
      if (group == operand.dtypeGroups[i])
        text += (i == 0 ? "" : i + 1 == operand.dtypeGroups.size() ? " or " : ", ") + std::string(name);
  return text;
}

} // namespace clika
