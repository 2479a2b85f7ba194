// What a search asks of a pattern, worked out once.
#ifndef CLIKA_API_PATTERNPLAN_H
#define CLIKA_API_PATTERNPLAN_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <ClikaRT/pattern.h>

#include <string>
#include <vector>

namespace clika {

struct PatternPlan {
  using Edge = ClikaRT::graph::Pattern::Edge;
  using PatternNode = ClikaRT::graph::Pattern::PatternNode;
  using Indices = llvm::SmallVector<size_t, 2>;

  /// `pattern` has been checked and outlives the plan.
  explicit PatternPlan(const ClikaRT::graph::Pattern &pattern);

  const std::vector<PatternNode> &nodes() const { return pattern.nodes(); }
  const std::vector<Edge> &edges() const { return pattern.edges(); }
  const std::vector<ClikaRT::graph::Pattern::Leaf> &leaves() const { return pattern.leaves(); }
  /// As in "pattern node 1 (Neg)".
  std::string nameOf(size_t node) const;

  const ClikaRT::graph::Pattern &pattern;
  /// The first root; searches start from it.
  size_t root = 0;
  /// By node: the edges into it and out of it.
  std::vector<Indices> in, out;
  /// By node: ports that an edge or a leaf names.
  std::vector<Indices> namedPorts;
  /// feeds[a][b]: b is computed from a.
  std::vector<llvm::BitVector> feeds;
  /// Every node is reached from the root through what it reads.
  bool backwardOnly = true;
  /// No path from the root to a node has more edges.
  size_t reach = 0;
  bool hasWhere = false;
  /// The edges in the order in which a search from the root follows them, each from a node that has been found. Empty
  /// where that is not known beforehand: some edges are followed to a reader, or lead to nodes that may be lacking.
  std::vector<size_t> order;
  /// Each node is there, and found through what reads it.
  bool isPlain = false;

private:
  void findOrder();
};

} // namespace clika

#endif
