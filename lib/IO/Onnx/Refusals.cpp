#include "IO/Onnx/Refusals.h"

#include "IO/Onnx/Wire.h"

#include <algorithm>

namespace clika::onnx {
namespace {

using ClikaRT::Status;

constexpr size_t maxTold = 20, maxLength = 600;

/// Appends the first of `items`, as many as are `left` to tell.
void join(std::string &text, const std::vector<std::string> &items, const char *separator, size_t &left) {
  for (size_t i = 0; i < items.size() && left > 0; ++i, --left) {
    if (i > 0)
      text += separator;
    size_t length = items[i].size();
    if (length > maxLength) {
      // Not within a character of UTF-8.
      length = maxLength;
      while ((static_cast<unsigned char>(items[i][length]) & 0xC0) == 0x80)
        --length;
    }
    text += items[i].substr(0, length) + (length < items[i].size() ? "…" : "");
  }
}

} // namespace

void Refusals::add(const std::string &text, Status status) {
  (status == Status::Unsupported ? hasUnsupported : hasInvalid) = true;
  if (told.insert(text).second)
    reasons.push_back(text);
}

void Refusals::raise() const {
  size_t count = uncovered.size() + reasons.size(), left = maxTold;
  std::string text = uncovered.empty() ? "" : "not covered: ";
  join(text, uncovered, ", ", left);
  if (!uncovered.empty() && !reasons.empty() && left > 0)
    text += "; ";
  join(text, reasons, "; ", left);
  if (count > maxTold)
    text += "; and " + std::to_string(count - maxTold) + " more";
  if (!hasInvalid && (count > 1 || !uncovered.empty()))
    text += "; read the file with allow_unknown to look at it";
  fail(hasUnsupported || !uncovered.empty() ? Status::Unsupported : Status::InvalidArgument, text);
}

bool isRefusal(const ClikaRT::Error &error) {
  return error.status() == Status::Unsupported || error.status() == Status::InvalidArgument;
}

std::string textOf(const ClikaRT::Error &error) {
  std::string text = error.what(), call = "from_onnx: ";
  return text.compare(0, call.size(), call) == 0 ? text.substr(call.size()) : text;
}

} // namespace clika::onnx
