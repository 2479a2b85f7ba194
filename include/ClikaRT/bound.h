// Parameters of ops that are a literal or a tensor.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <ClikaRT/attribute.h>
#include <ClikaRT/tensor.h>

namespace ClikaRT::ops {

/// A number, a tensor, or nothing: the floor of a clamp.
class Bound {
public:
    Bound() = default;
    Bound(std::nullopt_t) {}
    Bound(Scalar value) : literal_(value) {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    Bound(T value) : literal_(Scalar(value)) {}
    Bound(Tensor value) : tensor_(std::move(value)) {}

    const std::optional<Tensor>& tensor() const noexcept { return tensor_; }  ///< None where it is no tensor.
    /// The number; none where the bound is a tensor or nothing.
    const graph::AttrValue& literal() const noexcept { return literal_; }

private:
    graph::AttrValue literal_;
    std::optional<Tensor> tensor_;
};

/// Integers, a tensor of them, or nothing (the op's default): the sizes of a reshape.
class IntsBound {
public:
    IntsBound() = default;
    IntsBound(std::nullopt_t) {}
    IntsBound(std::vector<std::int64_t> values) : literal_(std::move(values)) {}
    IntsBound(std::initializer_list<std::int64_t> values) : literal_(std::vector<std::int64_t>(values)) {}
    IntsBound(Tensor values) : tensor_(std::move(values)) {}

    const std::optional<Tensor>& tensor() const noexcept { return tensor_; }  ///< None where it is no tensor.
    /// The integers; none where the bound is a tensor or nothing.
    const graph::AttrValue& literal() const noexcept { return literal_; }

private:
    graph::AttrValue literal_;
    std::optional<Tensor> tensor_;
};

}  // namespace ClikaRT::ops
