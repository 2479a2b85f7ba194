#include <ClikaRT/error.h>
#include <ClikaRT/types.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace ClikaRT {
namespace {

struct TypeInfo {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeInfo, data_type_count> kTypes = {{{"bool", 1},
                                                           {"int8", 1},
                                                           {"int16", 2},
                                                           {"int32", 4},
                                                           {"int64", 8},
                                                           {"uint8", 1},
                                                           {"uint16", 2},
                                                           {"uint32", 4},
                                                           {"uint64", 8},
                                                           {"float16", 2},
                                                           {"bfloat16", 2},
                                                           {"float32", 4},
                                                           {"float64", 8}}};

const TypeInfo &typeInfo(DataType dtype, const char *call) {
  if (!is_valid(dtype))
    throw Error(Status::InvalidArgument, std::string(call) + ": " + std::to_string(static_cast<int>(dtype)) +
                                             " is no DataType; use one of its enumerators");
  return kTypes[static_cast<std::size_t>(dtype)];
}

std::uint64_t bitsOf(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Rounds a double to a 16-bit format of `mantissaBits` stored bits, to nearest even, in one rounding.
std::uint16_t roundTo16Bits(double value, int mantissaBits) {
  const int exponentBits = 15 - mantissaBits;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const std::uint64_t bits = bitsOf(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 63) << 15);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int biased = static_cast<int>((bits >> 52) & 0x7FF);
  const std::uint16_t infinity = static_cast<std::uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  if (biased == 0x7FF) {
    if (fraction == 0)
      return sign | infinity;
    // A quiet NaN that keeps the upper bits of its payload.
    const auto payload = static_cast<std::uint16_t>(fraction >> (52 - mantissaBits));
    return static_cast<std::uint16_t>(sign | infinity | (1 << (mantissaBits - 1)) | payload);
  }
  if (biased == 0) // zero, or far below the smallest 16-bit subnormal
    return sign;
  const int exponent = biased - 1023;
  const std::uint64_t significand = fraction | (std::uint64_t{1} << 52);
  // Bits to drop: as many as the format has less, and more below its normal range.
  int drop = 52 - mantissaBits;
  int field = exponent + bias;
  if (field <= 0) {
    drop += 1 - field;
    field = 0;
  }
  if (drop > 54)
    return sign;
  std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // A normal significand carries its hidden bit; a carry out of the mantissa steps the exponent, as it should.
  const std::uint64_t encoded = field == 0 ? kept : (static_cast<std::uint64_t>(field - 1) << mantissaBits) + kept;
  return encoded >= infinity ? sign | infinity : static_cast<std::uint16_t>(sign | encoded);
}

[[noreturn]] void wrongKind(const char *call, const Scalar &scalar, const char *next) {
  throw Error(Status::InvalidArgument,
              std::string("Scalar::") + call + ": the literal holds " + scalar.to_string() + "; " + next);
}

} // namespace

std::size_t item_size(DataType dtype) { return typeInfo(dtype, "item_size").size; }

std::string_view data_type_name(DataType dtype) { return typeInfo(dtype, "data_type_name").name; }

std::optional<DataType> data_type_from_name(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].name == name)
      return static_cast<DataType>(i);
  return std::nullopt;
}

Float16::Float16(double value) noexcept : bits(roundTo16Bits(value, 10)) {}

Float16::operator float() const noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t exponent = (bits >> 10) & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0x1F)
    return floatOf(sign | 0x7F800000U | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -magnitude : magnitude;
  }
  return floatOf(sign | ((exponent + 112) << 23) | (fraction << 13));
}

BFloat16::BFloat16(double value) noexcept : bits(roundTo16Bits(value, 7)) {}

BFloat16::operator float() const noexcept { return floatOf(static_cast<std::uint32_t>(bits) << 16); }

bool Scalar::bool_value() const {
  if (!is_bool())
    wrongKind("bool_value", *this, "ask is_bool() first");
  return std::get<bool>(value_);
}

std::int64_t Scalar::int_value() const {
  if (!is_int())
    wrongKind("int_value", *this, "ask is_int() first");
  return std::get<std::int64_t>(value_);
}

double Scalar::float_value() const {
  if (!is_float())
    wrongKind("float_value", *this, "ask is_float() first, or read to_double()");
  return std::get<double>(value_);
}

double Scalar::to_double() const noexcept {
  return std::visit([](auto value) { return static_cast<double>(value); }, value_);
}

std::string Scalar::to_string() const {
  if (const bool *value = std::get_if<bool>(&value_))
    return *value ? "true" : "false";
  if (const std::int64_t *value = std::get_if<std::int64_t>(&value_))
    return std::to_string(*value);
  const double value = std::get<double>(value_);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[32];
  std::string out(text, std::to_chars(text, text + sizeof text, value).ptr);
  if (out.find_first_of(".e") == std::string::npos)
    out += ".0";
  return out;
}

Scalar::Storage Scalar::from_unsigned(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw Error(Status::InvalidArgument, "Scalar: " + std::to_string(value) +
                                             " exceeds the largest int64_t; give it as a double or in a tensor");
  return Storage(static_cast<std::int64_t>(value));
}

bool Scalar::same(const Scalar &a, const Scalar &b) noexcept {
  if (a.value_.index() != b.value_.index())
    return false;
  const double *x = std::get_if<double>(&a.value_);
  if (!x)
    return a.value_ == b.value_;
  const double y = *std::get_if<double>(&b.value_);
  return bitsOf(*x) == bitsOf(y) || (std::isnan(*x) && std::isnan(y));
}

std::string shape_string(const Shape &shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0)
      out += ", ";
    out += shape[i] == -1 ? "?" : std::to_string(shape[i]);
  }
  return out + "]";
}

std::int64_t element_count(const Shape &shape, std::string_view call) {
  std::int64_t count = 1;
  bool empty = false, overflow = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0)
      throw Error(Status::InvalidArgument, std::string(call) + ": size " + std::to_string(shape[i]) + " at dimension " +
                                               std::to_string(i) + " is negative; give sizes of 0 or more");
    // The other sizes are held to the limit also beside a 0: strides are computed from them.
    empty |= shape[i] == 0;
    overflow |= shape[i] != 0 && __builtin_mul_overflow(count, shape[i], &count);
  }
  if (overflow)
    throw Error(Status::InvalidArgument, std::string(call) + ": the shape " + shape_string(shape) +
                                             " has more elements than int64_t can count; give smaller sizes");
  return empty ? 0 : count;
}

std::string Device::to_string() const { return index == 0 ? kind : kind + ":" + std::to_string(index); }

} // namespace ClikaRT
