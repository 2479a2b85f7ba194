// Conversions of elements that keep every value, and literals into elements.
#include "Runtime/TensorImpl.h"

#include <ClikaRT/error.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace ClikaRT::detail {
namespace {

/// Calls `fn` with a value of the C++ type that holds elements of `dtype`.
template <class Fn>
auto withElementType(DataType dtype, Fn fn) {
  switch (dtype) {
  case DataType::Bool:
    return fn(bool{});
  case DataType::Int8:
    return fn(std::int8_t{});
  case DataType::Int16:
    return fn(std::int16_t{});
  case DataType::Int32:
    return fn(std::int32_t{});
  case DataType::Int64:
    return fn(std::int64_t{});
  case DataType::UInt8:
    return fn(std::uint8_t{});
  case DataType::UInt16:
    return fn(std::uint16_t{});
  case DataType::UInt32:
    return fn(std::uint32_t{});
  case DataType::UInt64:
    return fn(std::uint64_t{});
  case DataType::Float16:
    return fn(Float16{});
  case DataType::BFloat16:
    return fn(BFloat16{});
  case DataType::Float32:
    return fn(float{});
  case DataType::Float64:
    break;
  }
  return fn(double{});
}

/// Bits of significand, and the exponent range, of a floating-point type.
template <class T>
struct FloatFormat {
  static constexpr int digits = std::numeric_limits<T>::digits;
  static constexpr int maxExponent = std::numeric_limits<T>::max_exponent;
};
template <>
struct FloatFormat<Float16> {
  static constexpr int digits = 11;
  static constexpr int maxExponent = 16;
};
template <>
struct FloatFormat<BFloat16> {
  static constexpr int digits = 8;
  static constexpr int maxExponent = 128;
};

template <class T>
constexpr bool isFloat = std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// Whether To holds every value of From exactly.
template <class From, class To>
constexpr bool holdsAll() {
  if constexpr (std::is_same_v<From, To>)
    return true;
  else if constexpr (std::is_same_v<To, bool>)
    return false;
  else if constexpr (isFloat<From> && isFloat<To>)
    return FloatFormat<From>::digits <= FloatFormat<To>::digits &&
           FloatFormat<From>::maxExponent <= FloatFormat<To>::maxExponent;
  else if constexpr (isFloat<From>)
    return false;
  else if constexpr (isFloat<To>)
    return std::numeric_limits<From>::digits <= FloatFormat<To>::digits &&
           std::numeric_limits<From>::digits < FloatFormat<To>::maxExponent;
  else
    return std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits &&
           (std::is_signed_v<To> || !std::is_signed_v<From>);
}

template <class From, class To>
To convertExactly(From value) {
  if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>)
    return static_cast<To>(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

template <class From, class To>
bool widen(const From *in, To *out, std::size_t count) {
  if constexpr (!holdsAll<From, To>()) {
    return false;
  } else if constexpr (std::is_same_v<From, To>) {
    if (count > 0)
      std::memcpy(out, in, count * sizeof(From));
    return true;
  } else {
    for (std::size_t i = 0; i < count; ++i)
      out[i] = convertExactly<From, To>(in[i]);
    return true;
  }
}

[[noreturn]] void doesNotFit(std::string_view call, Scalar value, DataType dtype, const char *why) {
  throw Error(Status::InvalidArgument, std::string(call) + ": " + value.to_string() + " does not fit a tensor of " +
                                           std::string(data_type_name(dtype)) + ", " + why);
}

/// The nearest; of an integer without a rounding to double between.
template <class T>
T floatOf(Scalar value) {
  if constexpr (std::is_same_v<T, float>)
    if (value.is_int())
      return static_cast<float>(value.int_value());
  return T(value.to_double());
}

template <class T>
T integerOf(Scalar value, DataType dtype, std::string_view call) {
  constexpr auto lowest = std::numeric_limits<T>::min();
  constexpr const char *range = "whose range it leaves; give a value of the type's range";
  if (value.is_bool())
    return static_cast<T>(value.bool_value());
  if (value.is_int()) {
    const std::int64_t number = value.int_value();
    if (!std::in_range<T>(number))
      doesNotFit(call, value, dtype, range);
    return static_cast<T>(number);
  }
  const double number = value.float_value();
  if (!(std::trunc(number) == number))
    doesNotFit(call, value, dtype, "which holds integers; give a whole number");
  // 2^digits is exact, and one more than the highest value.
  if (number < static_cast<double>(lowest) || number >= std::ldexp(1.0, std::numeric_limits<T>::digits))
    doesNotFit(call, value, dtype, range);
  return static_cast<T>(number);
}

} // namespace

bool widenElements(const void *in, DataType from, void *out, DataType to, std::size_t count) {
  return withElementType(from, [&](auto source) {
    return withElementType(to, [&](auto target) {
      return widen(static_cast<const decltype(source) *>(in), static_cast<decltype(target) *>(out), count);
    });
  });
}

void storeScalar(Scalar value, DataType dtype, void *out, std::string_view call) {
  withElementType(dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, bool>) {
      const double number = value.to_double();
      if (number != 0.0 && number != 1.0)
        doesNotFit(call, value, dtype, "which holds 0 and 1; give true or false");
      element = number == 1.0;
    } else if constexpr (std::is_same_v<T, double>) {
      element = value.to_double();
    } else if constexpr (isFloat<T>) {
      element = floatOf<T>(value);
      if (std::isfinite(value.to_double()) && !std::isfinite(static_cast<float>(element)))
        doesNotFit(call, value, dtype, "whose range it leaves; give a value of the type's range, or infinity");
    } else {
      element = integerOf<T>(value, dtype, call);
    }
    std::memcpy(out, &element, sizeof element);
  });
}

} // namespace ClikaRT::detail
