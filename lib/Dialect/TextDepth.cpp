#include "Dialect/TextDepth.h"

#include <algorithm>
#include <map>
#include <vector>

namespace clika {
namespace {

constexpr size_t kDeepest = 256;
constexpr size_t kMostOperators = 1000;
constexpr size_t kLargest = size_t{1} << 24;

bool isWordPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';
}

/// Depth and size of an attribute, type or location with the aliases in it written out.
struct Extent {
  size_t depth = 0, size = 1;
};

/// Reads the text once, token by token.
class DepthScan {
public:
  explicit DepthScan(std::string_view text) : text(text) {}

  std::optional<TextProblem> run() {
    while (at < text.size() && problem.empty())
      step();
    if (problem.empty())
      return std::nullopt;
    return TextProblem{1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')),
                       problem};
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  void step() {
    const char c = peek();
    if (c == '/' && peek(1) == '/')
      return skipTo('\n');
    if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
      lineStarts |= c == '\n';
      ++at;
      return;
    }
    if (lineStarts && brackets.empty())
      endAlias(c);
    lineStarts = false;
    last = c;
    if (c == '"')
      return skipString();
    if ((c == '-' || c == '=') && peek(1) == '>') {
      last = ':'; // more follows, on the next line too
      at += 2;
      return;
    }
    if ((c == '<' || c == '>' || c == '=') && peek(1) == '=') {
      at += 2;
      return;
    }
    if ((c == '#' || c == '!') && isWordPart(peek(1)))
      return name();
    if (isWordPart(c))
      return word();
    symbol(c);
    ++at;
  }

  void skipString() {
    for (++at; at < text.size() && text[at] != '"'; ++at)
      at += text[at] == '\\';
    ++at;
  }

  void skipTo(char end) {
    while (at < text.size() && text[at] != end)
      ++at;
  }

  std::string_view wordAt(size_t start) const {
    size_t end = start;
    while (end < text.size() && isWordPart(text[end]))
      ++end;
    return text.substr(start, end - start);
  }

  void word() {
    const std::string_view word = wordAt(at);
    at += word.size();
    if (word == "mod" || word == "floordiv" || word == "ceildiv")
      countOperator();
  }

  void symbol(char c) {
    if (std::string_view("([{<").find(c) != std::string_view::npos) {
      brackets.push_back(operators);
      note({brackets.size(), 1});
    } else if (std::string_view(")]}>").find(c) != std::string_view::npos) {
      if (!brackets.empty()) {
        const size_t before = brackets.back();
        brackets.pop_back();
        operators = c == ')' ? before : operatorsOutside();
      }
    } else if (c == '+' || c == '-' || c == '*') {
      countOperator();
    } else if (c == ',' || c == ':' || c == '=') {
      operators = operatorsOutside();
    }
  }

  /// Those of an expression that the innermost open bracket is part of.
  size_t operatorsOutside() const { return brackets.empty() ? 0 : brackets.back(); }

  /// An expression in parentheses is one with what is around it.
  void countOperator() {
    if (++operators > kMostOperators)
      problem = "an expression has more than " + std::to_string(kMostOperators) + " operators";
  }

  /// `#name` or `!name`: an alias' definition or its use; one with a dot is a dialect's.
  void name() {
    const std::string_view word = text.substr(at, 1 + wordAt(at + 1).size());
    at += word.size();
    size_t next = at;
    while (next < text.size() && (text[next] == ' ' || text[next] == '\t'))
      ++next;
    const bool defined = brackets.empty() && next + 1 < text.size() && text[next] == '=' && text[next + 1] != '=';
    if (defined) {
      recordAlias();
      defining = word;
      current = {};
      last = '=';
      at = next + 1;
    } else if (auto used = aliases.find(word); used != aliases.end()) {
      note({brackets.size() + used->second.depth, used->second.size});
    }
  }

  void note(Extent extent) {
    if (extent.depth > kDeepest)
      problem = "brackets and aliases are nested more than " + std::to_string(kDeepest) + " deep";
    if (defining.empty())
      return;
    current.depth = std::max(current.depth, extent.depth);
    current.size += extent.size;
    if (current.size > kLargest)
      problem = "the alias " + std::string(defining) + " has more than " + std::to_string(kLargest) +
                " parts once the aliases in it are written out";
  }

  /// An alias ends with its line, unless more of it must follow.
  void endAlias(char next) {
    if (defining.empty() || last == ':' || last == '=' ||
        std::string_view("([{<:-").find(next) != std::string_view::npos)
      return;
    recordAlias();
  }

  void recordAlias() {
    if (defining.empty())
      return;
    ++current.depth;
    aliases[defining] = current;
    defining = {};
  }

  std::string_view text;
  size_t at = 0;
  std::string problem;
  std::vector<size_t> brackets; // open ones: the operators before each
  size_t operators = 0;         // of the expression that is being read
  std::map<std::string_view, Extent> aliases;
  std::string_view defining; // empty: no alias
  Extent current;
  char last = '\0';
  bool lineStarts = true;
};

} // namespace

std::optional<TextProblem> depthProblem(std::string_view text) { return DepthScan(text).run(); }

} // namespace clika
