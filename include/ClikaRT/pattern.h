// Patterns of operators, and their occurrences in a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ClikaRT/graph.h>

namespace ClikaRT::graph {

/// Stands for every op code.
struct AnyOp {};
inline constexpr AnyOp any_op{};  ///< The one value of its type.
/// As the port of an edge: any input port of the consumer that no other edge takes.
inline constexpr std::size_t any_operand = ~std::size_t{0};

/// What a pattern node asks beyond its code.
struct PatternNodeOptions {
    /// The occurrence may lack it: its consumer then reads its producer. It has at most one edge in and one out.
    bool optional = false;
    /// Its operands may come in any order.
    bool commutative = false;
    /// Asked of a node before it is taken; it may not edit the graph.
    std::function<bool(const Node&)> where;
};

/// How a traced pattern is made.
struct PatternTraceOptions {
    /// How far a number may be from the one that was recorded, relative to that.
    double tolerance = 1e-5;
    /// The operands of the ops for which it makes no difference may come in any order.
    bool commutative = true;
    /// What the function is traced over, for the ops that ask for it; empty: Float32 matrices of one size. Occurrences
    /// may be of any shape and dtype.
    std::vector<spec::TensorSpec> inputs = {};
};

/// Operators, one pattern node each, and the edges between them. An occurrence gives each pattern node a graph node of
/// its own. A root is a pattern node that feeds no other; with several, the first added gives the order of the search.
class Pattern {
public:
    using NodeId = std::size_t;  ///< The number of a pattern node, counted from 0.

    Pattern() = default;

    NodeId add_node(OpCode code, PatternNodeOptions options = {});  ///< Returns its number.
    /// Any of `codes`.
    NodeId add_node(const std::vector<OpCode>& codes, PatternNodeOptions options = {});
    NodeId add_node(AnyOp, PatternNodeOptions options = {});  ///< Any operator.
    /// Output `from_port` of `from` feeds input `to_port` of `to`, or with any_operand any one of its inputs.
    void add_edge(NodeId from, NodeId to, std::size_t from_port = 0, std::size_t to_port = 0);

    /// A straight line: output 0 of each feeds input 0 of the next.
    static Pattern chain(const std::vector<OpCode>& codes);
    template <std::size_t N>
    static Pattern chain(const OpCode (&codes)[N]) {  ///< The same.
        return chain(std::vector<OpCode>(codes, codes + N));
    }

    /// The ops that `fn` records over `n_inputs` tensors, a node each in the order of the calls. Its inputs stand for
    /// any value, the same wherever the function reads it; settings and constants are as recorded. A match lists the
    /// values of the inputs first, one per input.
    static Pattern trace(const TraceFunction& fn, std::size_t n_inputs, const PatternTraceOptions& options = {});

    struct PatternNode {  ///< A pattern node as add_node() or trace() made it.
        /// Empty: any.
        std::vector<OpCode> codes;
        PatternNodeOptions options;  ///< What it asks beyond its code.
        /// Settings it has, numbers within `tolerance`; of a traced pattern.
        std::vector<Attr> settings = {};
        double tolerance = 0.0;  ///< Relative to the number recorded.
        /// How many input ports it has, left out ones included; of a traced pattern.
        std::optional<std::size_t> ports = std::nullopt;
    };
    struct Edge {                        ///< As add_edge() made it.
        NodeId from, to;                 ///< The producer and the consumer.
        std::size_t from_port, to_port;  ///< The output and the input; any_operand: any input.
    };
    /// What a node of a traced pattern reads that no pattern node makes: an input of the traced function, which is one
    /// value wherever it is read, a constant, or nothing (an operand left out).
    struct Leaf {
        NodeId to;            ///< The consumer.
        std::size_t to_port;  ///< Which of its inputs.
        /// The input's number.
        std::optional<std::size_t> input = std::nullopt;
        /// The constant's elements; one stands for any number of equal ones.
        std::vector<double> literal = {};
        std::vector<std::int64_t> literal_shape = {};  ///< The constant's shape.
        bool left_out = false;                         ///< The operand is left out.
        double tolerance = 0.0;                        ///< Of the literal, relative to it.
    };
    const std::vector<PatternNode>& nodes() const noexcept { return nodes_; }  ///< In the order they were added.
    const std::vector<Edge>& edges() const noexcept { return edges_; }         ///< In the order they were added.
    const std::vector<Leaf>& leaves() const noexcept { return leaves_; }       ///< Empty but of a traced pattern.
    /// How many inputs the traced function has.
    std::size_t input_count() const noexcept { return input_count_; }

private:
    std::vector<PatternNode> nodes_;
    std::vector<Edge> edges_;
    std::vector<Leaf> leaves_;
    std::size_t input_count_ = 0;
};

/// Why a condition declines an occurrence; it may return one in the place of false.
struct Declined {
    std::string reason;  ///< What reports and why_not() show.
    explicit operator bool() const noexcept { return false; }
};

/// What a condition answers: a bool, or Declined.
class Decision {
public:
    template <class T, std::enable_if_t<std::is_convertible_v<T, bool> && !std::is_same_v<T, Decision>, int> = 0>
    Decision(T accepts) : accepts_(accepts) {}  // NOLINT(google-explicit-constructor): a condition returns a bool
    Decision(Declined declined)                 // NOLINT(google-explicit-constructor)
        : accepts_(false), reason_(std::move(declined.reason)) {}
    explicit operator bool() const noexcept { return accepts_; }
    /// Empty where none was given.
    const std::string& reason() const noexcept { return reason_; }

private:
    bool accepts_;
    std::string reason_;
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
