// Element types, literals, shapes and devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace ClikaRT {

/// The type of a tensor's elements. Bool is a byte that holds 0 or 1.
enum class DataType : std::uint8_t {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    BFloat16,
    Float32,
    Float64,
};

/// How many element types there are; DataType counts from 0 without gaps.
inline constexpr std::size_t data_type_count = 13;

/// Whether `dtype` is one of the enumerators (a cast integer may not be).
constexpr bool is_valid(DataType dtype) noexcept { return static_cast<std::size_t>(dtype) < data_type_count; }
constexpr bool is_floating_point(DataType dtype) noexcept {  ///< Float16, BFloat16, Float32 and Float64.
    return dtype >= DataType::Float16 && dtype <= DataType::Float64;
}
/// Signed or unsigned integers; Bool is not one.
constexpr bool is_integer(DataType dtype) noexcept { return dtype >= DataType::Int8 && dtype <= DataType::UInt64; }
constexpr bool is_unsigned_integer(DataType dtype) noexcept {  ///< UInt8 to UInt64.
    return dtype >= DataType::UInt8 && dtype <= DataType::UInt64;
}

/// Bytes of one element. An invalid DataType is an Error, here and below.
std::size_t item_size(DataType dtype);
/// The name in lower case, as in "float32" and "bool".
std::string_view data_type_name(DataType dtype);
std::optional<DataType> data_type_from_name(std::string_view name) noexcept;  ///< None where no type has it.

/// IEEE 754 binary16, stored as its bits.
struct Float16 {
    std::uint16_t bits = 0;  ///< The encoding.
    Float16() = default;
    /// Rounds to nearest, ties to even; overflow gives an infinity and a NaN stays one.
    explicit Float16(double value) noexcept;
    explicit operator float() const noexcept;
    explicit operator double() const noexcept { return static_cast<float>(*this); }
};

/// The upper half of a binary32, stored as its bits.
struct BFloat16 {
    std::uint16_t bits = 0;  ///< The encoding.
    BFloat16() = default;
    /// Rounds to nearest, ties to even; overflow gives an infinity and a NaN stays one.
    explicit BFloat16(double value) noexcept;
    explicit operator float() const noexcept;
    explicit operator double() const noexcept { return static_cast<float>(*this); }
};

/// A literal: a bool, an integer or a floating-point number.
class Scalar {
public:
    Scalar() noexcept : value_(std::int64_t{0}) {}
    /// An unsigned value above the largest int64_t is an Error.
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    Scalar(T value) : value_(make(value)) {}

    bool is_bool() const noexcept { return std::holds_alternative<bool>(value_); }         ///< Whether it holds a bool.
    bool is_int() const noexcept { return std::holds_alternative<std::int64_t>(value_); }  ///< Whether an integer.
    bool is_float() const noexcept { return std::holds_alternative<double>(value_); }      ///< Whether a float.

    /// The value held; asking for another kind than the one held is an Error.
    bool bool_value() const;
    std::int64_t int_value() const;  ///< An Error unless is_int().
    double float_value() const;      ///< An Error unless is_float().

    /// The value as a double, whatever kind it is.
    double to_double() const noexcept;
    /// As a literal that reads back as the same value: "true", "3", "0.1", "-0.0", "nan".
    std::string to_string() const;

    /// Same kind and same bits: NaN equals itself, -0.0 differs from +0.0, 1 differs from 1.0.
    friend bool operator==(const Scalar& a, const Scalar& b) noexcept { return same(a, b); }
    friend bool operator!=(const Scalar& a, const Scalar& b) noexcept { return !same(a, b); }

private:
    using Storage = std::variant<bool, std::int64_t, double>;
    template <class T>
    static Storage make(T value) {
        if constexpr (std::is_same_v<T, bool>) return Storage(value);
        else if constexpr (std::is_floating_point_v<T>) return Storage(static_cast<double>(value));
        else if constexpr (std::is_unsigned_v<T>) return from_unsigned(value);
        else return Storage(static_cast<std::int64_t>(value));
    }
    static Storage from_unsigned(std::uint64_t value);
    static bool same(const Scalar& a, const Scalar& b) noexcept;

    Storage value_;
};

/// Sizes, outermost first. In the shape of a traced tensor -1 stands for a size not known yet.
using Shape = std::vector<std::int64_t>;

/// As in "[2, 3]", with "?" for -1.
std::string shape_string(const Shape& shape);
/// The number of elements. A negative size, or a product that exceeds int64_t, is an Error that begins with `call`.
std::int64_t element_count(const Shape& shape, std::string_view call = "element_count");

/// Where a tensor lives or a graph runs.
struct Device {
    std::string kind = "cpu";  ///< The kind of device.
    int index = 0;             ///< Which of that kind, counted from 0.

    /// No device in particular: of a transform, that it suits every one; of a graph's target, that none is set.
    static const Device any;

    /// "cpu", or with an index other than 0 as in "cpu:1".
    std::string to_string() const;
    friend bool operator==(const Device& a, const Device& b) noexcept { return a.kind == b.kind && a.index == b.index; }
    friend bool operator!=(const Device& a, const Device& b) noexcept { return !(a == b); }
};

inline const Device Device::any{"any", 0};

namespace detail {
/// The DataType of a C++ element type. Types of equal size and signedness count as one (`long`, `long long`).
template <class T>
constexpr DataType data_type_of() noexcept {
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>,
                  "tensors hold bool, the integers of 8 to 64 bits, Float16, BFloat16, float and double");
    if constexpr (std::is_same_v<T, bool>) return DataType::Bool;
    else if constexpr (std::is_same_v<T, Float16>) return DataType::Float16;
    else if constexpr (std::is_same_v<T, BFloat16>) return DataType::BFloat16;
    else if constexpr (std::is_same_v<T, float>) return DataType::Float32;
    else if constexpr (std::is_floating_point_v<T>) {
        static_assert(std::is_same_v<T, double>, "tensors hold float and double, not long double");
        return DataType::Float64;
    } else {
        constexpr DataType signed_types[] = {DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64};
        constexpr DataType unsigned_types[] = {DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64};
        constexpr int at = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return std::is_signed_v<T> ? signed_types[at] : unsigned_types[at];
    }
}
}  // namespace detail

}  // namespace ClikaRT
