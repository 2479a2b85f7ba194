// What a graph input looks like before there is a tensor for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ClikaRT/types.h>

namespace ClikaRT::spec {

/// One dimension: a size, a name, or neither (the graph then makes up a name). Equal names are equal sizes.
class Dim {
public:
    /// -1 asks for a fresh name; any other negative size is an Error.
    Dim(int size) : Dim(static_cast<std::int64_t>(size)) {}
    Dim(std::int64_t size);
    Dim(std::nullopt_t) {}
    /// An empty name is an Error.
    Dim(const char* name);
    Dim(std::string name);

    bool is_static() const noexcept { return size_ >= 0; }     ///< Whether it has a size.
    bool is_named() const noexcept { return !name_.empty(); }  ///< Whether it has a name.
    /// The size, or -1 where it is not fixed.
    std::int64_t size() const noexcept { return size_; }
    /// The name; empty where the dimension has a size or waits for a fresh name.
    const std::string& name() const noexcept { return name_; }

    /// As in "3", "batch" and "?".
    std::string to_string() const;

    friend bool operator==(const Dim& a, const Dim& b) noexcept { return a.size_ == b.size_ && a.name_ == b.name_; }
    friend bool operator!=(const Dim& a, const Dim& b) noexcept { return !(a == b); }

private:
    std::int64_t size_ = -1;
    std::string name_;
};

struct TensorSpec {                      ///< A graph input.
    std::string name;                    ///< The input's name.
    DataType dtype = DataType::Float32;  ///< The type of its elements.
    std::vector<Dim> shape;              ///< Outermost first; empty: a scalar.

    /// As in "x: float32[batch, 3]".
    std::string to_string() const;
};

}  // namespace ClikaRT::spec
