// Numbers of things in messages.
#ifndef CLIKA_RUNTIME_COUNTED_H
#define CLIKA_RUNTIME_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace clika {

/// "1 input", "2 inputs"; `many` where that is not `one` with an s.
inline std::string counted(std::int64_t count, std::string_view one, std::string_view many = "") {
  std::string text = std::to_string(count) + " ";
  if (count == 1 || many.empty())
    text += one;
  else
    text += many;
  return count == 1 || !many.empty() ? text : text + "s";
}

} // namespace clika

#endif
