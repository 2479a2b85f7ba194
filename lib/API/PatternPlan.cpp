#include "API/PatternPlan.h"

#include "API/Pattern.h"

#include <algorithm>

using ClikaRT::graph::OpCode;
using ClikaRT::graph::Pattern;

namespace clika {

PatternPlan::PatternPlan(const Pattern &pattern) : pattern(pattern) {
  size_t count = nodes().size();
  std::vector<size_t> roots = rootsOf(pattern);
  root = roots.front();
  backwardOnly = roots.size() == 1;
  in.resize(count);
  out.resize(count);
  namedPorts.resize(count);
  for (auto [i, edge] : llvm::enumerate(edges())) {
    in[edge.to].push_back(i);
    out[edge.from].push_back(i);
    if (edge.to_port != ClikaRT::graph::any_operand)
      namedPorts[edge.to].push_back(edge.to_port);
  }
  for (const Pattern::Leaf &leaf : leaves())
    namedPorts[leaf.to].push_back(leaf.to_port);
  for (const PatternNode &node : nodes())
    hasWhere |= static_cast<bool>(node.options.where);
  std::vector<size_t> order = topologicalOrder(pattern), height(count);
  feeds.assign(count, llvm::BitVector(static_cast<unsigned>(count)));
  for (size_t node : order)
    for (size_t i : in[node]) {
      size_t from = edges()[i].from;
      for (llvm::BitVector &before : feeds)
        if (before.test(static_cast<unsigned>(from)))
          before.set(static_cast<unsigned>(node));
      feeds[from].set(static_cast<unsigned>(node));
    }
  for (size_t node : llvm::reverse(order))
    for (size_t i : out[node])
      height[node] = std::max(height[node], height[edges()[i].to] + 1);
  reach = backwardOnly ? *std::ranges::max_element(height) : count - 1;
  isPlain =
      backwardOnly && std::ranges::none_of(nodes(), [](const PatternNode &node) { return node.options.optional; });
  if (isPlain)
    findOrder();
}

/// The first edge whose consumer has been found goes next, as in Matcher::follow.
void PatternPlan::findOrder() {
  llvm::BitVector found(static_cast<unsigned>(nodes().size())), done(static_cast<unsigned>(edges().size()));
  found.set(static_cast<unsigned>(root));
  while (order.size() < edges().size())
    for (auto [i, edge] : llvm::enumerate(edges()))
      if (!done.test(static_cast<unsigned>(i)) && found.test(static_cast<unsigned>(edge.to))) {
        done.set(static_cast<unsigned>(i));
        found.set(static_cast<unsigned>(edge.from));
        order.push_back(i);
        break;
      }
}

std::string PatternPlan::nameOf(size_t node) const {
  std::string codes;
  for (OpCode code : nodes()[node].codes)
    codes += (codes.empty() ? "" : " or ") + std::string(op_code_name(code));
  return "pattern node " + std::to_string(node) + " (" + (codes.empty() ? "any operator" : codes) + ")";
}

} // namespace clika
