// How the public ops, C++ and Python, reach the one function behind them all. For the runtime's own use.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <ClikaRT/attribute.h>
#include <ClikaRT/tensor.h>

namespace ClikaRT::detail {

/// What stands at an operand's port: a tensor, a number (it takes the dtype of the tensors beside it), or nothing.
class Operand {
public:
    Operand() = default;
    Operand(std::nullopt_t) {}
    Operand(Tensor tensor) : value_(std::move(tensor)) {}
    Operand(Scalar number) : value_(number) {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    Operand(T number) : value_(Scalar(number)) {}
    template <class T>
    Operand(const std::optional<T>& maybe) {
        if (maybe.has_value()) value_ = *maybe;
    }

    const Tensor* tensor() const noexcept { return std::get_if<Tensor>(&value_); }
    const Scalar* number() const noexcept { return std::get_if<Scalar>(&value_); }

private:
    std::variant<std::monostate, Tensor, Scalar> value_;
};

/// Calls the op `code`: records it in the trace its operands belong to (or, without operands, the current trace), else
/// computes it at once. `operands` holds one entry per port in the record's order, a variadic operand's tensors each at
/// a port of their own; trailing ones may be left out. `settings` holds settings by name; one left out or none takes
/// its default. Returns the op's results.
std::vector<Tensor> callOp(graph::OpCode code, const std::vector<Operand>& operands,
                           const std::vector<graph::Attr>& settings = {});

/// callOp for an op of one result.
Tensor callOp1(graph::OpCode code, const std::vector<Operand>& operands, const std::vector<graph::Attr>& settings = {});

}  // namespace ClikaRT::detail
