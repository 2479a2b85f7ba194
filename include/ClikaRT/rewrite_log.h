// What a run of optimize() did, to be kept and done again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ClikaRT::graph {

/// What one entry of the list did to the graph in one iteration. Nodes and constants by their names.
struct RewriteStep {
    std::int64_t iteration = 0;  ///< Counted from 1.
    /// The entry's name.
    std::string transform;
    std::vector<std::string> added;  ///< Nodes and constants.
    /// Changed, renamed (the new names) or moved.
    std::vector<std::string> changed;
    std::vector<std::string> removed;  ///< Nodes and constants.
    /// Private functions that it changed inside, or added; their nodes are not among the others.
    std::vector<std::string> functions;
};

/// A text: bound by a digest to the graph that it was recorded on (names, order and the content of constants
/// included), and to what that became. ModelGraph::replay does the same to an equal graph, without any matching.
class RewriteLog {
public:
    /// Reads a log's text. An Error (InvalidArgument) where it is none, lacks steps, holds one twice or in another
    /// order, or is of a version that this release does not read.
    static RewriteLog from_text(std::string text);
    /// The same from a file.
    static RewriteLog load(const std::string& path);
    /// Writes the text to a file, which appears whole or not at all.
    void save(const std::string& path) const;

    const std::string& text() const noexcept { return text_; }                 ///< As from_text() reads it.
    const std::vector<RewriteStep>& steps() const noexcept { return steps_; }  ///< In the order they were done.
    std::size_t size() const noexcept { return steps_.size(); }                ///< How many steps.
    /// A line per step.
    std::string to_string() const;

private:
    RewriteLog() = default;
    std::string text_;
    std::vector<RewriteStep> steps_;
};

std::ostream& operator<<(std::ostream& os, const RewriteLog& log);

}  // namespace ClikaRT::graph
