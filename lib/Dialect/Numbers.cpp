#include "Dialect/Numbers.h"

#include "Dialect/Shape.h"

#include <charconv>
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

/// As a user writes it: 1.5, not 1.500000e+00.
std::string textOf(Attribute number) {
  if (auto truth = dyn_cast<BoolAttr>(number))
    return truth.getValue() ? "true" : "false";
  if (auto integer = dyn_cast<IntegerAttr>(number))
    return std::to_string(integer.getInt());
  double value = cast<FloatAttr>(number).getValueAsDouble();
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

/// A bool and an integer, exactly.
llvm::APSInt wide(IntegerAttr integer) {
  bool isBool = integer.getType().isInteger(1);
  return llvm::APSInt(isBool ? integer.getValue().zext(128) : integer.getValue().sext(128), /*isUnsigned=*/false);
}

bool isWhole(Attribute number) {
  auto real = dyn_cast<FloatAttr>(number);
  return !real || std::trunc(real.getValueAsDouble()) == real.getValueAsDouble();
}

/// Why `element` does not hold the number, with the next step; null: it does.
const char *problemOf(Attribute number, Type element) {
  if (auto type = dyn_cast<FloatType>(element)) {
    auto real = dyn_cast<FloatAttr>(number);
    bool finite = !real || real.getValue().isFinite();
    return finite && !floatNumber(type, number).isFinite()
               ? "whose range it leaves; give a value of the type's range, or infinity"
               : nullptr;
  }
  auto type = cast<IntegerType>(element);
  if (type.getWidth() == 1) {
    auto real = dyn_cast<FloatAttr>(number);
    double value = real ? real.getValueAsDouble() : static_cast<double>(wide(cast<IntegerAttr>(number)).getExtValue());
    return value == 0.0 || value == 1.0 ? nullptr : "which holds 0 and 1; give true or false";
  }
  if (!isWhole(number))
    return "which holds integers; give a whole number";
  return integerNumber(type, number) ? nullptr : "whose range it leaves; give a value of the type's range";
}

} // namespace

LogicalResult checkNumber(std::optional<Location> location, StringRef op, StringRef setting, Attribute number,
                          Type element) {
  const char *problem = number ? problemOf(number, element) : nullptr;
  if (!problem)
    return success();
  return emitOptionalError(location, op, ": ", setting, " is ", textOf(number), ", which does not fit a tensor of ",
                           dtypeName(element), ", ", problem);
}

std::optional<llvm::APInt> integerNumber(IntegerType type, Attribute number) {
  llvm::APSInt value;
  if (auto real = dyn_cast<FloatAttr>(number)) {
    bool exact = false;
    value = llvm::APSInt(128, /*isUnsigned=*/false);
    if (real.getValue().convertToInteger(value, llvm::APFloat::rmTowardZero, &exact) != llvm::APFloat::opOK)
      return std::nullopt;
  } else {
    value = wide(cast<IntegerAttr>(number));
  }
  unsigned width = type.getWidth();
  if (width == 1)
    return value.isZero() ? llvm::APInt(1, 0) : llvm::APInt(1, 1);
  bool fits =
      type.isUnsigned() ? value.isNonNegative() && value.getActiveBits() <= width : value.getSignificantBits() <= width;
  if (!fits)
    return std::nullopt;
  return value.trunc(width);
}

llvm::APFloat floatNumber(FloatType type, Attribute number) {
  bool lost = false;
  if (auto real = dyn_cast<FloatAttr>(number)) {
    llvm::APFloat value = real.getValue();
    value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return value;
  }
  llvm::APFloat value(type.getFloatSemantics());
  value.convertFromAPInt(wide(cast<IntegerAttr>(number)), /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  return value;
}

} // namespace clika
