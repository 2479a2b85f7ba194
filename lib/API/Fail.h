// How the API says no.
#ifndef CLIKA_API_FAIL_H
#define CLIKA_API_FAIL_H

#include <ClikaRT/error.h>

#include <string>
#include <string_view>

namespace clika {

using ClikaRT::Error;
using ClikaRT::Status;

/// Throws an Error whose message begins with the call's name.
[[noreturn]] inline void fail(Status status, std::string_view call, const std::string &what, const char *code = "") {
  throw Error(status, std::string(call) + ": " + what, code);
}
[[noreturn]] inline void invalid(std::string_view call, const std::string &what) {
  fail(Status::InvalidArgument, call, what);
}
[[noreturn]] inline void precondition(std::string_view call, const std::string &what) {
  fail(Status::InvalidArgument, call, what, "FAILED_PRECONDITION");
}
[[noreturn]] inline void notFound(std::string_view call, const std::string &what) {
  fail(Status::NotFound, call, what);
}

inline std::string quote(std::string_view name) { return "'" + std::string(name) + "'"; }

} // namespace clika

#endif
