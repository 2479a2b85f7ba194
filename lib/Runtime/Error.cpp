#include <ClikaRT/error.h>

namespace ClikaRT {

std::string_view default_code_name(Status status) noexcept {
  switch (status) {
  case Status::InvalidArgument:
    return "INVALID_ARGUMENT";
  case Status::NotFound:
    return "NOT_FOUND";
  case Status::Unsupported:
    return "UNSUPPORTED";
  case Status::OutOfMemory:
    return "OUT_OF_MEMORY";
  case Status::Io:
    return "IO";
  case Status::Internal:
    break;
  }
  return "INTERNAL";
}

Error::Error(Status status, const std::string &message, std::string code_name)
    : std::runtime_error(message), status_(status), code_name_(std::move(code_name)) {
  if (code_name_.empty())
    code_name_ = default_code_name(status);
}

Error::~Error() = default;

} // namespace ClikaRT
