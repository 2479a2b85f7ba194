// What of a file cannot be read, told in one error.
#pragma once
#include "ClikaRT/error.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace clika::onnx {

/// The code name of an error that only follows from another one, which is told already.
inline constexpr const char *followsCode = "FOLLOWS";

class Refusals {
public:
  /// Operators and types that are not covered.
  void addUncovered(std::vector<std::string> names) { uncovered = std::move(names); }
  /// Why a node or value cannot be read. The same text is told once.
  void add(const std::string &text, ClikaRT::Status status);
  bool empty() const { return uncovered.empty() && reasons.empty(); }
  /// One error with all of it, or the first of it and how much more there is.
  [[noreturn]] void raise() const;

private:
  std::vector<std::string> uncovered, reasons;
  std::unordered_set<std::string> told;
  bool hasInvalid = false, hasUnsupported = false;
};

/// Whether the error is about what the file says, and another part of it can still be looked at.
bool isRefusal(const ClikaRT::Error &error);
/// The error's text without the call's name before it.
std::string textOf(const ClikaRT::Error &error);

} // namespace clika::onnx
