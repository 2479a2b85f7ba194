// The search for a pattern's occurrences.
#ifndef CLIKA_API_MATCH_H
#define CLIKA_API_MATCH_H

#include "API/Core.h"

#include <ClikaRT/pattern.h>

#include <map>
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
  /// Assignments that commutativity and fan-out multiply are made one by one. `take` may change the graph where it
  /// returns true.
  bool enumerate(mlir::Operation *root, llvm::function_ref<bool(const Assignment &)> take);

  /// Whether `assignment` is still an occurrence on the graph as it is. Costs the pattern's size.
  bool stands(const Assignment &assignment);

  /// How many operators were compared with a pattern node.
  uint64_t attempts = 0;

private:
  using Next = llvm::function_ref<bool()>;
  enum class State : uint8_t { Open, Taken, Lacking };

  bool search(mlir::Operation *root, llvm::function_ref<bool(const Assignment &)> take);
  bool fits(mlir::Operation *op, size_t node);
  bool suits(mlir::Operation *op, size_t node);
  bool mayMatch(mlir::Value value, size_t node, size_t port);
  std::vector<mlir::Operation *> &usersOf(mlir::Value value, size_t edge);
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
  /// The one assignment that is looked for; null: any.
  const Assignment *wanted = nullptr;

  // What was found out about the graph as it is, and its count of changes then.
  uint64_t knownAt = 0;
  /// By pattern node: whether an operator, with what it is computed from, can be that node of any assignment at all. A
  /// search that fails is so done with each operator once, however many paths lead to it.
  std::vector<llvm::DenseMap<mlir::Operation *, bool>> suited;
  /// By value and edge: the operators that read it, in order; null where one has turned out not to suit.
  std::map<std::pair<void *, size_t>, std::vector<mlir::Operation *>> users;
};

/// The match of an assignment on the graph as it is; its outputs are empty where nothing outside reads it.
ClikaRT::graph::RewriteMatch matchOf(GraphCore &core, const Assignment &assignment);

} // namespace clika

#endif
