// Tensor: data, or a value that a trace is recording.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ClikaRT/types.h>

namespace ClikaRT {

namespace detail {
class TensorImpl;
}

/// A cheap, copyable handle. A concrete tensor shares dense row-major data, which does not change; a traced one
/// stands for a value of the graph being recorded, and reading its data is an Error.
class Tensor {
public:
    /// A handle of nothing: every question but is_defined() is an Error.
    Tensor() noexcept = default;

    /// Copies `data`, row-major and dense. Bytes of a Bool tensor other than 0 count as true.
    static Tensor from_data(const void* data, const Shape& shape, DataType dtype);
    /// Uses `data` in place and calls `deleter` with it once no tensor reads it any more, also when this call fails.
    /// The address must suit the element type; the bytes of a Bool tensor must be 0 or 1.
    static Tensor from_external(const void* data, const Shape& shape, DataType dtype,
                                std::function<void(void*)> deleter);
    /// A tensor with every element equal to `value`, which must fit the type: an integer type takes no fraction and
    /// nothing out of its range, a floating-point type takes any number and rounds it.
    static Tensor full(const Shape& shape, Scalar value, DataType dtype);
    /// `full` of rank 0.
    static Tensor scalar(Scalar value, DataType dtype);
    /// Data without defined content, for `run_into` to fill.
    static Tensor empty(const Shape& shape, DataType dtype);

    bool is_defined() const noexcept { return impl_ != nullptr; }  ///< Whether it is more than a handle of nothing.
    bool is_traced() const noexcept;  ///< Whether it stands for a value being recorded, which has no data.

    DataType dtype() const;  ///< The type of the elements.
    /// The sizes; of a traced tensor -1 where the size is not known yet.
    Shape shape() const;
    std::int64_t rank() const { return static_cast<std::int64_t>(shape().size()); }  ///< How many dimensions.
    /// The number of elements; an Error on a traced tensor with unknown sizes.
    std::int64_t size() const;
    Device device() const;  ///< Where the data lives.

    /// The elements, where T is the C++ type of dtype() (bool for Bool).
    template <class T>
    const T* data() const {
        return static_cast<const T*>(typed_data(detail::data_type_of<T>(), "data"));
    }
    /// The elements as bytes.
    const void* raw_data() const;

    /// The same data under another shape of equal size; one size may be -1. Of a traced tensor: ops::reshape.
    Tensor reshape(const Shape& shape) const;

    /// The one element. T must hold every value of dtype() exactly (float of Float16, int64_t of Int32, ...).
    template <class T>
    T item() const {
        T value{};
        read_items(detail::data_type_of<T>(), &value, true, "item");
        return value;
    }
    /// The elements in row-major order, converted as item() does.
    template <class T>
    std::vector<T> item_as_vec() const {
        if constexpr (std::is_same_v<T, bool>) {
            std::vector<std::uint8_t> bytes(vec_size());
            read_items(DataType::Bool, bytes.data(), false, "item_as_vec");
            return std::vector<bool>(bytes.begin(), bytes.end());
        } else {
            std::vector<T> values(vec_size());
            read_items(detail::data_type_of<T>(), values.data(), false, "item_as_vec");
            return values;
        }
    }

    /// What the handle is, without its data: "Tensor(float32[2, 3])".
    std::string to_string() const;

    /// For the runtime's own use.
    explicit Tensor(std::shared_ptr<detail::TensorImpl> impl) noexcept : impl_(std::move(impl)) {}
    const std::shared_ptr<detail::TensorImpl>& impl() const noexcept { return impl_; }  ///< Likewise.

private:
    const void* typed_data(DataType wanted, const char* call) const;
    void read_items(DataType wanted, void* out, bool one, const char* call) const;
    std::size_t vec_size() const;

    std::shared_ptr<detail::TensorImpl> impl_;
};

}  // namespace ClikaRT
