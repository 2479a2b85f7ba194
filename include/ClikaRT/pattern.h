// Patterns of operators, and their occurrences in a graph.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ClikaRT/graph.h>

namespace ClikaRT::graph {

/// Stands for every op code.
struct AnyOp {};
inline constexpr AnyOp any_op{};

/// What a pattern node asks beyond its code.
struct PatternNodeOptions {
    /// The occurrence may lack it: its consumer then reads its producer. It has at most one edge in and one out.
    bool optional = false;
    /// Its operands may come in any order.
    bool commutative = false;
    /// Asked of a node before it is taken; it may not edit the graph.
    std::function<bool(const Node&)> where;
};

/// Operators, one pattern node each, and the edges between them. An occurrence gives each pattern node a graph node of
/// its own. A root is a pattern node that feeds no other; with several, the first added gives the order of the search.
class Pattern {
public:
    using NodeId = std::size_t;

    Pattern() = default;

    NodeId add_node(OpCode code, PatternNodeOptions options = {});
    /// Any of `codes`.
    NodeId add_node(const std::vector<OpCode>& codes, PatternNodeOptions options = {});
    NodeId add_node(AnyOp, PatternNodeOptions options = {});
    /// Output `from_port` of `from` feeds input `to_port` of `to`.
    void add_edge(NodeId from, NodeId to, std::size_t from_port = 0, std::size_t to_port = 0);

    /// A straight line: output 0 of each feeds input 0 of the next.
    static Pattern chain(const std::vector<OpCode>& codes);
    template <std::size_t N>
    static Pattern chain(const OpCode (&codes)[N]) {
        return chain(std::vector<OpCode>(codes, codes + N));
    }

    struct PatternNode {
        /// Empty: any.
        std::vector<OpCode> codes;
        PatternNodeOptions options;
    };
    struct Edge {
        NodeId from, to;
        std::size_t from_port, to_port;
    };
    const std::vector<PatternNode>& nodes() const noexcept { return nodes_; }
    const std::vector<Edge>& edges() const noexcept { return edges_; }

private:
    std::vector<PatternNode> nodes_;
    std::vector<Edge> edges_;
};

/// One occurrence of a pattern.
struct RewriteMatch {
    /// The node of each pattern node, in the order they were added; none where an optional one is lacking.
    std::vector<std::optional<Node>> nodes;
    /// The values it reads from outside, each once: nodes in the pattern's order, their ports ascending.
    std::vector<Value> inputs;
    /// The values it makes that something outside reads or the graph returns, in the same order.
    std::vector<Value> outputs;
};

}  // namespace ClikaRT::graph
