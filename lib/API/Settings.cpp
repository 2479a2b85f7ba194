#include "API/Settings.h"

#include "API/Fail.h"
#include "API/GraphContext.h"
#include "mlir/IR/Builders.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Scalar;
using ClikaRT::graph::AttrValue;

namespace clika {
namespace {

std::string valueText(const AttrValue &value) { return ClikaRT::graph::to_string({"", value}).substr(1); }

std::string wanted(const SettingInfo &setting) {
  switch (setting.kind) {
  case SettingKind::Bool:
    return "a bool";
  case SettingKind::Int:
    return "an integer";
  case SettingKind::Float:
    return "a number";
  case SettingKind::Scalar:
    return "a bool, an integer or a number";
  case SettingKind::Ints:
    return "a list of integers";
  case SettingKind::DType:
    return "a dtype";
  case SettingKind::String:
    return "a string";
  case SettingKind::Enum:
    break;
  }
  std::string text = "one of ";
  for (size_t i = 0; i < setting.enumerators.size(); ++i)
    text += (i ? ", " : "") + std::string(setting.enumerators[i]);
  return text;
}

/// The literal in `value`, if it is one.
std::optional<Scalar> literalOf(const AttrValue &value) {
  if (const auto *flag = std::get_if<bool>(&value))
    return Scalar(*flag);
  if (const auto *integer = std::get_if<int64_t>(&value))
    return Scalar(*integer);
  if (const auto *number = std::get_if<double>(&value))
    return Scalar(*number);
  if (const auto *scalar = std::get_if<Scalar>(&value))
    return *scalar;
  return std::nullopt;
}

/// Whether it is an integer between two doubles.
bool losesDigits(const AttrValue &value) {
  std::optional<Scalar> literal = literalOf(value);
  if (!literal || !literal->is_int())
    return false;
  double nearest = literal->to_double();
  return nearest >= 0x1p63 || static_cast<int64_t>(nearest) != literal->int_value();
}

Attribute scalarAttribute(const Scalar &value, Builder &builder) {
  if (value.is_bool())
    return builder.getBoolAttr(value.bool_value());
  if (value.is_int())
    return builder.getI64IntegerAttr(value.int_value());
  return builder.getF64FloatAttr(value.float_value());
}

/// The attribute, or null where the value is of another kind.
Attribute convert(const SettingInfo &setting, const AttrValue &value, Builder &builder) {
  std::optional<Scalar> literal = literalOf(value);
  switch (setting.kind) {
  case SettingKind::Bool:
    return literal && literal->is_bool() ? builder.getBoolAttr(literal->bool_value()) : Attribute();
  case SettingKind::Int:
    return literal && literal->is_int() ? builder.getI64IntegerAttr(literal->int_value()) : Attribute();
  case SettingKind::Float:
    return literal && !literal->is_bool() && !losesDigits(value) ? builder.getF64FloatAttr(literal->to_double())
                                                                 : Attribute();
  case SettingKind::Scalar:
    return literal ? scalarAttribute(*literal, builder) : Attribute();
  case SettingKind::Ints: {
    const auto *list = std::get_if<std::vector<int64_t>>(&value);
    return list ? builder.getDenseI64ArrayAttr(*list) : Attribute();
  }
  case SettingKind::DType: {
    const auto *dtype = std::get_if<DataType>(&value);
    if (!dtype || !ClikaRT::is_valid(*dtype))
      return {};
    return TypeAttr::get(typeOf(*dtype, builder.getContext()));
  }
  case SettingKind::String:
  case SettingKind::Enum: {
    const auto *text = std::get_if<std::string>(&value);
    if (!text)
      return {};
    bool known = setting.kind == SettingKind::String ||
                 std::ranges::find(setting.enumerators, *text) != setting.enumerators.end();
    return known ? builder.getStringAttr(*text) : Attribute();
  }
  }
  return {};
}

AttrValue scalarValue(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return Scalar(flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return Scalar(integer.getInt());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return Scalar(number.getValueAsDouble());
  return std::monostate();
}

AttrValue read(const SettingInfo &setting, Attribute attribute) {
  switch (setting.kind) {
  case SettingKind::Bool:
    return cast<BoolAttr>(attribute).getValue();
  case SettingKind::Int:
    return cast<IntegerAttr>(attribute).getInt();
  case SettingKind::Float:
    return cast<FloatAttr>(attribute).getValueAsDouble();
  case SettingKind::Scalar:
    return scalarValue(attribute);
  case SettingKind::Ints: {
    llvm::ArrayRef<int64_t> list = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
    return std::vector<int64_t>(list.begin(), list.end());
  }
  case SettingKind::DType:
    return dtypeOf(cast<TypeAttr>(attribute).getValue(), "attribute");
  case SettingKind::String:
  case SettingKind::Enum:
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
      return symbol.getValue().str();
    return cast<StringAttr>(attribute).getValue().str();
  }
  return std::monostate();
}

/// The default as the record writes it: "1.0", "true", "{0, 0}", "Identity".
AttrValue defaultValue(const SettingInfo &setting) {
  std::string text(setting.defaultText);
  switch (setting.kind) {
  case SettingKind::Bool:
    return text == "true";
  case SettingKind::Int:
    return static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 0));
  case SettingKind::Float:
    return std::strtod(text.c_str(), nullptr);
  case SettingKind::Ints: {
    std::vector<int64_t> list;
    for (const char *at = text.c_str(); *at;) {
      char *end = nullptr;
      int64_t value = std::strtoll(at, &end, 0);
      if (end != at)
        list.push_back(value);
      at = end != at ? end : at + 1;
    }
    return list;
  }
  case SettingKind::String:
  case SettingKind::Enum:
    return text;
  default:
    return std::monostate();
  }
}

} // namespace

Attribute settingAttribute(const SettingInfo &setting, const AttrValue &value, MLIRContext *context,
                           std::string_view call) {
  if (std::holds_alternative<std::monostate>(value) && setting.optional)
    return {};
  Builder builder(context);
  if (Attribute attribute = convert(setting, value, builder))
    return attribute;
  if (setting.kind == SettingKind::Float && losesDigits(value))
    invalid(call, "the setting " + quote(setting.name) + " is " + valueText(value) +
                      ", which float64 does not hold exactly; give a number that it does");
  invalid(call, "the setting " + quote(setting.name) + " is " + valueText(value) + "; it takes " + wanted(setting) +
                    (setting.optional ? ", or none" : ""));
}

AttrValue settingValue(Operation *op, const SettingInfo &setting) {
  Attribute attribute = op->getAttr(StringRef(setting.name.data(), setting.name.size()));
  if (attribute)
    return read(setting, attribute);
  return setting.optional ? AttrValue() : defaultValue(setting);
}

const SettingInfo *findSetting(const OpInfo &info, std::string_view name) {
  for (const SettingInfo &setting : info.settings)
    if (setting.name == name)
      return &setting;
  return nullptr;
}

std::string settingNames(const OpInfo &info) {
  std::string text;
  for (const SettingInfo &setting : info.settings)
    text += (text.empty() ? "" : ", ") + std::string(setting.name);
  return text.empty() ? "none" : text;
}

} // namespace clika

namespace ClikaRT::graph {
namespace {

bool sameDouble(double a, double b) noexcept {
  uint64_t x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  return x == y || (std::isnan(a) && std::isnan(b));
}

std::string text(const AttrValue &value) {
  if (const auto *flag = std::get_if<bool>(&value))
    return Scalar(*flag).to_string();
  if (const auto *integer = std::get_if<std::int64_t>(&value))
    return Scalar(*integer).to_string();
  if (const auto *number = std::get_if<double>(&value))
    return Scalar(*number).to_string();
  if (const auto *scalar = std::get_if<Scalar>(&value))
    return scalar->to_string();
  if (const auto *string = std::get_if<std::string>(&value))
    return clika::quote(*string);
  if (const auto *list = std::get_if<std::vector<std::int64_t>>(&value)) {
    std::string items;
    for (std::int64_t item : *list)
      items += (items.empty() ? "" : ", ") + std::to_string(item);
    return "[" + items + "]";
  }
  if (const auto *dtype = std::get_if<DataType>(&value))
    return is_valid(*dtype) ? std::string(data_type_name(*dtype)) : "an invalid dtype";
  return "none";
}

} // namespace

bool operator==(const Attr &a, const Attr &b) noexcept {
  if (a.name != b.name || a.value.index() != b.value.index())
    return false;
  if (const auto *number = std::get_if<double>(&a.value))
    return sameDouble(*number, std::get<double>(b.value));
  return a.value == b.value;
}

std::string to_string(const Attr &attr) { return attr.name + "=" + text(attr.value); }

} // namespace ClikaRT::graph
