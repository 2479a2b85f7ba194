#include <ClikaRT/error.h>
#include <ClikaRT/spec.h>

namespace ClikaRT::spec {
namespace {

std::string checkedName(std::string name) {
  if (name.empty())
    throw Error(Status::InvalidArgument, "Dim: the name is empty; give a name, a size, or -1 for a fresh name");
  return name;
}

} // namespace

Dim::Dim(std::int64_t size) : size_(size) {
  if (size < -1)
    throw Error(Status::InvalidArgument, "Dim: the size " + std::to_string(size) +
                                             " is negative; give a size of 0 or more, a name, or -1 for a fresh name");
}

Dim::Dim(const char *name) : name_(checkedName(name ? name : "")) {}

Dim::Dim(std::string name) : name_(checkedName(std::move(name))) {}

std::string Dim::to_string() const {
  if (is_static())
    return std::to_string(size_);
  return is_named() ? name_ : "?";
}

std::string TensorSpec::to_string() const {
  std::string out = name + ": " + std::string(data_type_name(dtype)) + "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    out += (i == 0 ? "" : ", ") + shape[i].to_string();
  return out + "]";
}

} // namespace ClikaRT::spec
