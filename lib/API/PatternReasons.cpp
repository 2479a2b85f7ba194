#include "API/PatternReasons.h"

#include "API/Fail.h"
#include "API/Settings.h"
#include "API/Text.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Shape.h"

#include <cmath>

using namespace mlir;
using ClikaRT::Scalar;
using ClikaRT::graph::AttrValue;
using GraphPattern = ClikaRT::graph::Pattern;

namespace clika {
namespace {

/// Zeros of two signs compute two things, however small their distance.
bool within(double a, double b, double tolerance) {
  if (a == 0.0 && b == 0.0)
    return std::signbit(a) == std::signbit(b);
  return areWithin(a, b, tolerance * std::abs(b));
}

bool isInteger(const AttrValue &value) {
  const auto *scalar = std::get_if<Scalar>(&value);
  return scalar && scalar->is_int();
}

std::optional<double> numberOf(const AttrValue &value) {
  if (const auto *number = std::get_if<double>(&value))
    return *number;
  if (const auto *scalar = std::get_if<Scalar>(&value); scalar && !scalar->is_bool())
    return scalar->to_double();
  return std::nullopt;
}

/// `wanted` as the element type of a constant holds it.
double roundedTo(Type element, double wanted) {
  auto type = dyn_cast<FloatType>(element);
  return type ? numberAt(floatBytes(wanted, type), type, 0).value_or(wanted) : wanted;
}

std::string numberText(double number) { return ClikaRT::Scalar(number).to_string(); }

/// A number may be held as a constant of any shape, as long as that gives the consumer's result no other shape.
bool keepsShape(Value value, Operation *consumer) {
  auto result = dyn_cast<RankedTensorType>(consumer->getResult(0).getType());
  return result && llvm::any_of(consumer->getOperands(), [&](Value operand) {
           return operand != value && isa<RankedTensorType>(operand.getType()) &&
                  dimsOf(operand.getType()) == dimsOf(result);
         });
}

} // namespace

std::string nodeText(GraphCore &core, Operation *op) { return kindText(op) + " " + quote(core.nameOf(op)); }

std::string valueText(GraphCore &core, Value value) {
  if (!value)
    return "left out";
  if (isa<BlockArgument>(value))
    return "the graph input " + quote(core.nameOf(value));
  auto result = cast<OpResult>(value);
  if (isConstant(result.getOwner()))
    return "the constant " + quote(core.nameOf(value));
  std::string port = result.getOwner()->getNumResults() == 1
                         ? std::string()
                         : "output " + std::to_string(result.getResultNumber()) + " of ";
  return port + nodeText(core, result.getOwner());
}

std::string settingDiffers(Operation *op, const ClikaRT::graph::Attr &wanted, double tolerance) {
  const OpInfo *info = infoOf(op);
  const SettingInfo *setting = info ? findSetting(*info, wanted.name) : nullptr;
  if (!setting)
    return "no setting of it";
  ClikaRT::graph::Attr found{wanted.name, settingValue(op, *setting)};
  std::optional<double> a = numberOf(found.value), b = numberOf(wanted.value);
  if (isInteger(found.value) && isInteger(wanted.value))
    tolerance = 0.0;
  if (a && b ? within(*a, *b, tolerance) : found == wanted)
    return "";
  auto text = [](const ClikaRT::graph::Attr &attr) { return to_string(attr).substr(attr.name.size() + 1); };
  return text(found) + " and not " + text(wanted);
}

std::string literalDiffers(Value value, const GraphPattern::Leaf &wanted, Operation *consumer) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return "is no constant";
  auto type = cast<RankedTensorType>(constant.getType());
  bool sameShape = type.getShape() == llvm::ArrayRef<int64_t>(wanted.literal_shape);
  bool single = wanted.literal.size() == 1;
  if (!sameShape && (!single || !keepsShape(value, consumer)))
    return "is a constant of another shape";
  ConstantData data = single ? splatData(constant.getValue()) : constantData(constant.getValue());
  if (!data.valid)
    return "is a constant of more than one value";
  // Integers do not round.
  double tolerance = isa<FloatType>(type.getElementType()) ? wanted.tolerance : 0.0;
  for (auto [i, number] : llvm::enumerate(wanted.literal)) {
    std::optional<double> found = numberAt(data.bytes, type.getElementType(), i);
    if (!found ||
        !(within(*found, number, tolerance) || within(*found, roundedTo(type.getElementType(), number), tolerance)))
      return "is " + (found ? numberText(*found) : "a large integer") + " and not " + numberText(number);
  }
  return "";
}

} // namespace clika
