// How deep MLIR text nests: its parser and printer call themselves for each level, and have one stack.
#ifndef CLIKA_DIALECT_TEXTDEPTH_H
#define CLIKA_DIALECT_TEXTDEPTH_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace clika {

struct TextProblem {
  size_t line;
  std::string message;
};

/// What in `text` no graph has and no stack may hold: brackets or aliases nested too deep, expressions of too many
/// operators, aliases that written out fill the memory.
std::optional<TextProblem> depthProblem(std::string_view text);

} // namespace clika

#endif
