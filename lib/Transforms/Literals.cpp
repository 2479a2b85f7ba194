#include "Transforms/Literals.h"

#include "Dialect/CoreOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;

namespace clika {
namespace {

std::optional<double> exactDouble(const llvm::APInt &value, bool isUnsigned) {
  if (value.getBitWidth() > 53 && (isUnsigned ? value.getActiveBits() : value.getSignificantBits()) > 53)
    return std::nullopt;
  return isUnsigned ? static_cast<double>(value.getZExtValue()) : static_cast<double>(value.getSExtValue());
}

double toDouble(llvm::APFloat value) {
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

// The element at `data` of a resource of the given element type.
std::optional<double> readElement(Type element, const char *data) {
  if (auto number = dyn_cast<FloatType>(element)) {
    uint64_t bits = 0;
    std::memcpy(&bits, data, number.getWidth() / 8);
    return toDouble(llvm::APFloat(number.getFloatSemantics(), llvm::APInt(number.getWidth(), bits)));
  }
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::nullopt;
  unsigned bytes = (integer.getWidth() + 7) / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  return exactDouble(llvm::APInt(bytes * 8, bits), isUnsigned);
}

std::optional<double> splatOfResource(DenseResourceElementsAttr resource) {
  llvm::ArrayRef<char> data = bytesOf(resource);
  auto type = cast<ShapedType>(resource.getType());
  int64_t count = type.getNumElements();
  if (count <= 0 || data.empty() || data.size() % count)
    return std::nullopt;
  size_t width = data.size() / count;
  // Equal to itself shifted by one element: every element is the first.
  if (std::memcmp(data.data(), data.data() + width, data.size() - width) != 0)
    return std::nullopt;
  return readElement(type.getElementType(), data.data());
}

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

llvm::ArrayRef<char> bytesOf(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.isSplat() && dense.getNumElements() > 1 ? llvm::ArrayRef<char>() : dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : llvm::ArrayRef<char>();
}

std::optional<double> splatOf(Value value) {
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant)
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    return splatOfResource(resource);
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat())
    return std::nullopt;
  Type element = dense.getElementType();
  if (isa<FloatType>(element))
    return toDouble(dense.getSplatValue<llvm::APFloat>());
  if (auto integer = dyn_cast<IntegerType>(element))
    return exactDouble(dense.getSplatValue<llvm::APInt>(), integer.isUnsigned() || integer.getWidth() == 1);
  return std::nullopt;
}

bool isConstant(Value value, double number) {
  std::optional<double> splat = splatOf(value);
  return splat && sameNumber(*splat, number);
}

bool isNearConstant(Value value, double number, double tolerance) {
  std::optional<double> splat = splatOf(value);
  return splat && std::abs(*splat - number) <= tolerance * std::abs(number);
}

} // namespace clika
