#include "API/Pattern.h"

#include "API/Fail.h"
#include "Dialect/OpTable.h"

#include <algorithm>
#include <numeric>

using namespace clika;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::Pattern;

namespace clika {
namespace {

std::string nodeText(size_t node) { return "pattern node " + std::to_string(node); }

void checkConnected(const Pattern &pattern, const std::string &what) {
  std::vector<size_t> group(pattern.nodes().size());
  std::iota(group.begin(), group.end(), size_t{0});
  auto find = [&](size_t node) {
    while (group[node] != node)
      node = group[node] = group[group[node]];
    return node;
  };
  for (const Pattern::Edge &edge : pattern.edges())
    group[find(edge.from)] = find(edge.to);
  for (size_t node = 1; node < group.size(); ++node)
    if (find(node) != find(0))
      invalid(what,
              nodeText(node) + " is not connected to pattern node 0; join them with add_edge, or write two rules");
}

void checkAcyclic(const Pattern &pattern, const std::string &what) {
  if (topologicalOrder(pattern).size() != pattern.nodes().size())
    invalid(what, "its edges form a cycle, and no graph has one; remove an edge");
}

void checkOptional(const Pattern &pattern, const std::string &what) {
  for (size_t node = 0; node < pattern.nodes().size(); ++node) {
    if (!pattern.nodes()[node].options.optional)
      continue;
    size_t in = 0, out = 0;
    for (const Pattern::Edge &edge : pattern.edges()) {
      in += edge.to == node;
      out += edge.from == node;
    }
    if (in > 1 || out != 1)
      invalid(what, nodeText(node) + " is optional and has " + std::to_string(in) + " edges in and " +
                        std::to_string(out) + " out; it may have at most one in, and has one out");
  }
}

/// A search goes down as deep as the pattern is large.
constexpr size_t kMostNodes = 1000;

} // namespace

std::vector<size_t> topologicalOrder(const Pattern &pattern) {
  std::vector<std::vector<size_t>> readers(pattern.nodes().size());
  std::vector<size_t> feeds(pattern.nodes().size()), ready;
  for (const Pattern::Edge &edge : pattern.edges()) {
    readers[edge.from].push_back(edge.to);
    ++feeds[edge.to];
  }
  for (size_t node = 0; node < feeds.size(); ++node)
    if (feeds[node] == 0)
      ready.push_back(node);
  for (size_t next = 0; next < ready.size(); ++next)
    for (size_t reader : readers[ready[next]])
      if (--feeds[reader] == 0)
        ready.push_back(reader);
  return ready;
}

void checkPattern(const Pattern &pattern, const std::string &what) {
  if (pattern.nodes().empty())
    invalid(what, "it has no nodes; add some with add_node");
  if (pattern.nodes().size() > kMostNodes)
    invalid(what, "it has " + std::to_string(pattern.nodes().size()) + " nodes, and " + std::to_string(kMostNodes) +
                      " are the most; match a part, and find the rest in the condition");
  checkConnected(pattern, what);
  checkAcyclic(pattern, what);
  checkOptional(pattern, what);
}

std::vector<size_t> rootsOf(const Pattern &pattern) {
  std::vector<size_t> roots;
  for (size_t node = 0; node < pattern.nodes().size(); ++node)
    if (std::ranges::none_of(pattern.edges(), [&](const Pattern::Edge &edge) { return edge.from == node; }))
      roots.push_back(node);
  return roots;
}

void checkCodes(const std::vector<OpCode> &codes, std::string_view call) {
  if (codes.empty())
    invalid(call, "the list of codes is empty; name one, or give any_op");
  for (OpCode code : codes) {
    if (code == OpCode::Input)
      invalid(call, "Input is the code of the graph's inputs, no operator's; leave the port without an edge, and the "
                    "match lists what it reads");
    if (code == OpCode::Constant)
      invalid(call, "Constant is the code of constants, which are values and no nodes; leave the port without an edge, "
                    "and ask is_constant() of the match's inputs in the condition");
    if (!findOp(static_cast<std::uint32_t>(code)))
      invalid(call, std::to_string(static_cast<std::uint32_t>(code)) + " is no OpCode; use one of its enumerators");
  }
}

} // namespace clika

namespace ClikaRT::graph {
namespace {

/// Refuses a port that no operator has which the pattern node may be.
template <class Ports>
void checkPort(const Pattern &pattern, size_t node, size_t port, const char *kind, Ports portsOf) {
  const std::vector<OpCode> &codes = pattern.nodes()[node].codes;
  size_t most = 0;
  std::string names;
  for (OpCode code : codes) {
    const OpInfo &info = *findOp(static_cast<std::uint32_t>(code));
    auto ports = portsOf(info);
    if (std::ranges::any_of(ports, [](const auto &entry) { return entry.variadic; }))
      return;
    most = std::max(most, ports.size());
    names += (names.empty() ? "" : " or ") + std::string(info.codeName);
  }
  if (!codes.empty() && port >= most)
    invalid("add_edge", "pattern node " + std::to_string(node) + " (" + names + ") has " + std::to_string(most) + " " +
                            kind + (most == 1 ? "" : "s") + ", counted from 0; port " + std::to_string(port) +
                            " was given");
}

} // namespace

Pattern::NodeId Pattern::add_node(OpCode code, PatternNodeOptions options) {
  return add_node(std::vector<OpCode>{code}, std::move(options));
}

Pattern::NodeId Pattern::add_node(const std::vector<OpCode> &codes, PatternNodeOptions options) {
  checkCodes(codes, "add_node");
  nodes_.push_back({codes, std::move(options)});
  return nodes_.size() - 1;
}

Pattern::NodeId Pattern::add_node(AnyOp, PatternNodeOptions options) {
  nodes_.push_back({{}, std::move(options)});
  return nodes_.size() - 1;
}

void Pattern::add_edge(NodeId from, NodeId to, std::size_t from_port, std::size_t to_port) {
  for (NodeId node : {from, to})
    if (node >= nodes_.size())
      invalid("add_edge", "there is no pattern node " + std::to_string(node) + "; the pattern has " +
                              std::to_string(nodes_.size()) + ", counted from 0");
  if (from == to)
    invalid("add_edge", "pattern node " + std::to_string(from) + " would feed itself; no graph has a cycle");
  checkPort(*this, from, from_port, "output", [](const OpInfo &info) { return info.results; });
  if (to_port != any_operand)
    checkPort(*this, to, to_port, "input", [](const OpInfo &info) { return info.operands; });
  for (const Edge &edge : edges_)
    if (to_port != any_operand && edge.to == to && edge.to_port == to_port)
      invalid("add_edge", "port " + std::to_string(to_port) + " of pattern node " + std::to_string(to) +
                              " has an edge already; give another port");
  edges_.push_back({from, to, from_port, to_port});
}

Pattern Pattern::chain(const std::vector<OpCode> &codes) {
  Pattern pattern;
  if (codes.empty())
    invalid("chain", "the list of codes is empty; name at least one");
  checkCodes(codes, "chain");
  for (OpCode code : codes)
    pattern.add_node(code);
  for (std::size_t i = 1; i < codes.size(); ++i)
    pattern.add_edge(i - 1, i);
  return pattern;
}

} // namespace ClikaRT::graph
