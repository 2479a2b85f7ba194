// Rewrites as classes: match() says what to replace at a node, apply() computes the new values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ClikaRT/pattern.h>
#include <ClikaRT/transform.h>

namespace ClikaRT::graph {

/// What PatternTransform::match says of a node: the nodes to replace, or why there are none.
struct MatchResult {
    /// Empty: no match.
    std::vector<std::optional<Node>> nodes;
    std::optional<Node> insert_at;  ///< Ahead of it stand the new operators.
    std::string reason, file;       ///< Why there is no match, and the file that says so.
    int line = 0;                   ///< The line that says so, counted from 1.
};

/// A rewrite to derive from. An object stands in a list of optimize() as it is, in a std::shared_ptr. Once per
/// iteration match() is asked about the nodes there are, in topological order; what it finds is then replaced in turn,
/// under the terms of a rule: an occurrence is skipped where a replacement before it took one of its nodes, where it is
/// not convex, and where nothing outside reads a value it makes. Where the graph has changed since, match() is asked
/// again.
class PatternTransform {
public:
    /// `name` may be neither empty nor a runtime transform's.
    explicit PatternTransform(std::string name, Traits traits = {});
    virtual ~PatternTransform();
    PatternTransform(const PatternTransform&) = delete;
    PatternTransform& operator=(const PatternTransform&) = delete;

    const std::string& name() const noexcept { return name_; }  ///< As lists and reports have it.
    const Traits& traits() const noexcept { return traits_; }   ///< What it declares of itself.

    /// The codes of the nodes that match() is asked about; none: every operator.
    virtual std::vector<OpCode> root_op_codes() const { return {}; }
    /// result() or no_match(). It may not edit the graph.
    virtual MatchResult match(const ModelGraph& graph, const Node& node) const = 0;
    /// The new values of an occurrence, one per entry of match.outputs, over one traced tensor per entry of
    /// match.inputs; match.nodes are the nodes of result(). The edits it may make are add_constant, where the
    /// match lies, and add_function, whose function ops::call calls; value() reads what was added.
    virtual std::vector<Tensor> apply(ModelGraph& graph, const RewriteMatch& match,
                                      const std::vector<Tensor>& tensors) const = 0;

    /// For the runtime's own use: equal for what counts as one object.
    virtual const void* identity() const noexcept { return this; }

protected:
    /// A match of `nodes`, each in its role; an optional role that is lacking is none. The new operators stand ahead of
    /// `insert_at`, or after the last value they read, whichever is later; without it, ahead of the first node whose
    /// value they replace.
    static MatchResult result(std::vector<std::optional<Node>> nodes, std::optional<Node> insert_at = std::nullopt);
    /// No match at `node`, for a reason that the report counts with the place that says so.
    static MatchResult no_match(const Node& node, std::string reason, const char* file = __builtin_FILE(),
                                int line = __builtin_LINE());
    /// In apply(): a value of the graph as a traced tensor, beside those it was given.
    static Tensor value(const Value& value);

private:
    const std::string name_;
    const Traits traits_;
};

}  // namespace ClikaRT::graph
