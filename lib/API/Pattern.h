// Patterns checked and made ready for the search.
#ifndef CLIKA_API_PATTERN_H
#define CLIKA_API_PATTERN_H

#include <ClikaRT/pattern.h>

#include <string>
#include <string_view>
#include <vector>

namespace clika {

/// Refuses a pattern that no search could mean: without nodes, in pieces, cyclic, or with a malformed optional node.
/// `what` begins the message, as in "rewrite: the pattern of 'rule'".
void checkPattern(const ClikaRT::graph::Pattern &pattern, const std::string &what);

/// Refuses codes of nodes that are no operators, and those that are none. `call` begins the message.
void checkCodes(const std::vector<ClikaRT::graph::OpCode> &codes, std::string_view call);

/// Pattern nodes, each after those that feed it; fewer than there are where the edges form a cycle.
std::vector<size_t> topologicalOrder(const ClikaRT::graph::Pattern &pattern);

/// Pattern nodes that feed no other, in the order they were added.
std::vector<size_t> rootsOf(const ClikaRT::graph::Pattern &pattern);

} // namespace clika

#endif
