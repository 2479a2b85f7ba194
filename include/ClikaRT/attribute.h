// Settings of an operator, as data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <ClikaRT/types.h>

namespace ClikaRT::graph {

/// The code of a public op; <ClikaRT/op_code.h> lists them.
enum class OpCode : std::uint32_t;

/// The value of a setting: none, a bool, an integer, a number, a literal of either kind, an enumerator's name,
/// integers, or an element type.
using AttrValue =
    std::variant<std::monostate, bool, std::int64_t, double, Scalar, std::string, std::vector<std::int64_t>, DataType>;

struct Attr {          ///< A setting of an operator.
    std::string name;  ///< As the op's record has it.
    AttrValue value;   ///< Of one of the kinds above.
};

/// Equal names and equal values; NaN equals itself and -0.0 differs from +0.0.
bool operator==(const Attr& a, const Attr& b) noexcept;
inline bool operator!=(const Attr& a, const Attr& b) noexcept { return !(a == b); }

/// As in "alpha=1.0", "min=none", "shape=[2, 3]".
std::string to_string(const Attr& attr);

}  // namespace ClikaRT::graph
