// The attributes of operators that were read for inspection, as settings.
#include "API/Fail.h"
#include "API/Settings.h"
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Shape.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using ClikaRT::Scalar;
using ClikaRT::graph::AttrValue;

namespace clika {
namespace {

/// In double quotes, as JSON and Python read it; bytes that are no text stay as they are.
std::string quotedText(StringRef bytes) {
  std::string text = "\"";
  for (char c : bytes) {
    if (static_cast<unsigned char>(c) < ' ') {
      constexpr char digits[] = "0123456789abcdef";
      text += {'\\', 'u', '0', '0', digits[(c >> 4) & 15], digits[c & 15]};
      continue;
    }
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  return text + '"';
}

std::string elementText(ArrayRef<char> bytes, Type element, size_t index) {
  if (element.isInteger(1))
    return bytes[index] ? "true" : "false";
  if (!element.isInteger())
    return Scalar(*numberAt(bytes, element, index)).to_string();
  size_t item = element.getIntOrFloatBitWidth() / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * item, item);
  return llvm::toString(APInt(static_cast<unsigned>(item) * 8, bits), 10, !element.isUnsignedInteger());
}

/// "float32[2, 2]", and behind it the elements in row-major order where there are few.
std::string tensorText(ElementsAttr tensor) {
  constexpr size_t kMostElements = 64;
  std::string text = describe(tensor.getShapedType());
  auto type = cast<ShapedType>(tensor.getType());
  if (type.getNumElements() > static_cast<int64_t>(kMostElements))
    return text;
  ConstantData data = constantData(tensor);
  if (!data.valid)
    return text;
  text += " [";
  for (size_t i = 0; i < static_cast<size_t>(type.getNumElements()); ++i)
    text += (i ? ", " : "") + elementText(data.bytes, type.getElementType(), i);
  return text + "]";
}

std::string textOf(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return Scalar(number.getValueAsDouble()).to_string();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return quotedText(text.getValue());
  if (auto tensor = dyn_cast<ElementsAttr>(attribute))
    return tensorText(tensor);
  std::string text;
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute item : list)
      text += (text.empty() ? "" : ", ") + textOf(item);
    return "[" + text + "]";
  }
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/true);
  return text;
}

AttrValue keptValue(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue().str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::vector<int64_t>(list.asArrayRef().begin(), list.asArrayRef().end());
  return textOf(attribute);
}

} // namespace

std::vector<ClikaRT::graph::Attr> keptSettings(Operation *op) {
  std::vector<ClikaRT::graph::Attr> kept;
  auto opaque = dyn_cast_or_null<OpaqueOp>(op);
  if (!opaque)
    return kept;
  if (std::optional<StringRef> reason = opaque.getReason())
    kept.push_back({"reason", reason->str()});
  for (NamedAttribute setting : opaque.getSettings()) {
    std::string name = setting.getName().str();
    // The operator's own are of these names.
    if (name == "type" || name == "domain" || name == "reason")
      do
        name = "onnx." + name;
      while (opaque.getSettings().contains(name));
    kept.push_back({name, keptValue(setting.getValue())});
  }
  return kept;
}

} // namespace clika
