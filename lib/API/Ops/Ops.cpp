// The public ops: generated functions over detail::callOp.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include <ClikaRT/op_code.h>
#include <ClikaRT/ops.h>

namespace ClikaRT::ops {
namespace {

template <std::size_t N>
std::string_view enumeratorName(const std::string_view (&names)[N], std::size_t index) noexcept {
  return index < N ? names[index] : std::string_view("Unknown");
}

template <std::size_t N>
std::optional<std::size_t> enumeratorIndex(const std::string_view (&names)[N], std::string_view name) noexcept {
  const auto *found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(names));
}

template <class T>
graph::AttrValue orNone(const std::optional<T> &value) {
  return value ? graph::AttrValue(*value) : graph::AttrValue();
}

void addSetting(std::vector<graph::Attr> &settings, const char *name, graph::AttrValue value) {
  settings.push_back({name, std::move(value)});
}

} // namespace

#include "Ops.cpp.inc"

} // namespace ClikaRT::ops
