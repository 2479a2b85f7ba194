// The search for a pattern's occurrences.
#ifndef CLIKA_API_MATCH_H
#define CLIKA_API_MATCH_H

#include "API/Core.h"

#include <ClikaRT/pattern.h>

#include <vector>

namespace clika {

/// The operation of each pattern node; null where an optional one is lacking.
using Assignment = std::vector<mlir::Operation *>;

class Matcher {
public:
  /// `query` holds the graph's lock and gives it up while a `where` runs. Operators with an id of `newIds` or later are
  /// not looked at. `who` names the pattern in errors, as in "the pattern of 'rule'".
  Matcher(Query &query, const ClikaRT::graph::Pattern &pattern, uint64_t newIds, std::string who);

  /// Calls `take` with each assignment whose first root is `root`, until it returns true; returns whether it did.
  /// Assignments that commutativity and fan-out multiply are made one by one.
  bool enumerate(mlir::Operation *root, llvm::function_ref<bool(const Assignment &)> take);

  /// Whether `assignment` is still an occurrence on the graph as it is.
  bool stands(const Assignment &assignment);

  /// How many operators were compared with a pattern node.
  uint64_t attempts = 0;

private:
  using Next = llvm::function_ref<bool()>;
  enum class State : uint8_t { Open, Taken, Lacking };

  bool fits(mlir::Operation *op, size_t node);
  bool take(mlir::Operation *op, size_t node, Next next);
  bool proceed(Next done);
  bool matchOperand(size_t edge, Next next);
  bool matchReader(size_t edge, Next next);
  bool matchValue(mlir::Value value, size_t node, size_t port, Next next);
  bool matchUsers(mlir::Value value, size_t edge, Next next);
  size_t edgeInto(size_t node) const;
  size_t edgeOutOf(size_t node) const;

  Query &query;
  const ClikaRT::graph::Pattern &pattern;
  const uint64_t newIds;
  const std::string who;
  size_t root;
  Assignment taken;
  std::vector<State> states;
  std::vector<bool> edgeDone;
  /// Ports that an edge is bound to, per pattern node; for commutative ones.
  std::vector<llvm::SmallVector<size_t, 2>> boundPorts;
};

/// The match of an assignment on the graph as it is; its outputs are empty where nothing outside reads it.
ClikaRT::graph::RewriteMatch matchOf(GraphCore &core, const Assignment &assignment);

} // namespace clika

#endif
