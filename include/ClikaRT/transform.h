// Transforms and what optimize() says about them.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ClikaRT/error.h>
#include <ClikaRT/graph.h>
#include <ClikaRT/rewrite_log.h>

namespace clika {
struct GraphPicture;
struct TransformBody;
}  // namespace clika

namespace ClikaRT::graph {

/// How far a transform may change what a graph computes.
struct Exactness {
    /// Every bit; what differs is rounding, within the bounds for numbers of about the size of 1 (a sum of large ones
    /// that cancel can exceed them); or the formula is another one, within accepted bounds.
    enum class Kind { Exact, Bounded, Approximate };
    Kind kind = Kind::Exact;  ///< Which of the three.
    /// |a - b| <= atol + rtol * |b|, with NaN and infinities in the same places; 0 for Exact, which keeps every bit
    /// (all NaNs being one value). In half precision, where one rounding can exceed them, both count as at least 4
    /// rounding units: 2^-9 in Float16, 2^-6 in BFloat16.
    double rtol = 0.0;
    double atol = 0.0;  ///< The absolute bound, in the same.

    static Exactness exact() { return {}; }                                                     ///< Every bit.
    static Exactness bounded(double rtol, double atol) { return {Kind::Bounded, rtol, atol}; }  ///< Within these.
    static Exactness approximate(double rtol, double atol) { return {Kind::Approximate, rtol, atol}; }  ///< Likewise.
    friend bool operator==(const Exactness& a, const Exactness& b) noexcept {
        return a.kind == b.kind && a.rtol == b.rtol && a.atol == b.atol;
    }
    friend bool operator!=(const Exactness& a, const Exactness& b) noexcept { return !(a == b); }
};

class PatternTransform;
struct Traits;

/// A step of optimize(). A cheap handle: it equals itself and its copies, and two handles of one runtime transform.
class Transform {
public:
    /// A transform from a function over the graph's edits. `name` may be neither empty nor a runtime transform's.
    static Transform from_function(std::string name, std::function<Result<void>(ModelGraph&)> fn,
                                   std::vector<Transform> runs_after = {});
    /// A transform from a pattern class. Two of one object are equal.
    static Transform from_pattern(std::shared_ptr<const PatternTransform> pattern);
    /// The same, so that a list may hold pattern classes beside transforms.
    template <class P, class = std::enable_if_t<std::is_base_of_v<PatternTransform, P>>>
    Transform(std::shared_ptr<P> pattern) : Transform(from_pattern(std::move(pattern))) {}

    /// The same transform with these traits in the place of its own; those left unset stay. It is another handle, not
    /// equal to this one unless nothing differs, and a list that holds both is refused. Of a runtime transform the
    /// exactness cannot be declared.
    Transform with(const Traits& traits) const;
    /// All of them, set.
    Traits traits() const;
    int priority() const;          ///< 1 unless declared.
    const Device& device() const;  ///< Device::any unless declared.

    /// A transform from an MLIR pass pipeline, as in "canonicalize,cse", which is its name.
    static Transform from_pass_pipeline(const std::string& pipeline, std::vector<Transform> runs_after = {});
    /// A transform from rewrites as text: a module of pdl.pattern operations or, where the tool mlir-pdll is found,
    /// PDLL.
    static Transform from_pdl(std::string name, const std::string& text, std::vector<Transform> runs_after = {});

    const std::string& name() const;  ///< As lists and reports have it.
    /// What it does, in a line; empty for a user's.
    const std::string& summary() const;
    /// Whether it is one of the runtime's.
    bool is_runtime() const;
    const std::vector<Transform>& runs_after() const;  ///< What it must follow in a list that holds both.
    Exactness exactness() const;                       ///< How far it may change results.

    bool operator==(const Transform& other) const;
    bool operator!=(const Transform& other) const { return !(*this == other); }

    /// For the runtime's own use.
    explicit Transform(std::shared_ptr<const clika::TransformBody> body) noexcept : body_(std::move(body)) {}
    const std::shared_ptr<const clika::TransformBody>& body() const noexcept { return body_; }  ///< Likewise.

private:
    std::shared_ptr<const clika::TransformBody> body_;
};

/// What a transform declares of itself.
struct Traits {
    /// Its level where OptimizeOptions::order is Priority, 0 or more; 1 unless declared.
    std::optional<int> priority;
    /// The device it is written for; Device::any unless declared.
    std::optional<Device> device;
    /// Exact unless declared. OptimizeOptions::check holds it to this.
    std::optional<Exactness> exactness;
    /// The transforms that it must follow in any list that holds both.
    std::optional<std::vector<Transform>> runs_after;
};

/// Occurrences passed over, by cause.
struct SkipCounts {
    /// An earlier replacement of the iteration removed or changed what the occurrence consists of.
    std::int64_t removed = 0;
    std::int64_t not_convex = 0;  ///< A path leaves the occurrence and comes back.
    /// Nothing outside reads a value it makes.
    std::int64_t unread = 0;
    /// It holds a node of OptimizeOptions::keep.
    std::int64_t kept = 0;
};

/// Why an entry left nodes as they are.
struct RefusalReport {
    std::string reason;  ///< As match() or the condition gave it.
    /// Of the code that said so; empty and 0 where that is not known. A rule of PDL has "<pdl>" and the line of its
    /// text.
    std::string file;
    int line = 0;  ///< Counted from 1.
    /// How often it was said.
    std::int64_t count = 0;
    /// The names of the first nodes it was said of, 8 at most.
    std::vector<std::string> nodes;
};

/// A row of the report: one entry of the list.
struct TransformReport {
    Transform transform;  ///< The entry.
    /// Iterations in which the entry changed the graph.
    std::int64_t applications = 0;
    /// Rewrites it made, where it counts them (rules, and the runtime's).
    std::int64_t rewrites = 0;
    double seconds = 0.0;  ///< The time spent in it.
    /// For rules: occurrences found, skipped without asking, and declined by the condition.
    std::int64_t occurrences = 0;
    std::int64_t skipped = 0;   ///< For rules: occurrences passed over without asking.
    std::int64_t declined = 0;  ///< For rules: occurrences that the condition declined.
    SkipCounts skipped_by;      ///< The occurrences passed over, by cause.
    /// Nodes looked at: compared with a node of the pattern, given to match(), or of an operator that a rule of the
    /// runtime's or of PDL may begin at.
    std::int64_t attempts = 0;
    /// Why nodes were left as they are, where the entry says so; the most frequent first.
    std::vector<RefusalReport> reasons;
};

/// Seconds by what they were spent on. Checking and verifying are none of these.
struct PhaseSeconds {
    /// The searches of rules and pattern classes, and their conditions.
    double match = 0.0;
    /// Replacements, functions, and the runtime's transforms but for the following.
    double rewrite = 0.0;
    /// remove_unused, remove_identity, remove_duplicates, share_constants.
    double cleanup = 0.0;
    /// fold_constants.
    double fold = 0.0;
    /// All of these inside regions. What functions and pass pipelines do there is part of `rewrite`.
    double regions = 0.0;
};

/// A row of the report: one region of an operator.
struct RegionReport {
    /// Where it lies, by the names of the nodes, as in "if_3.then" or "loop_1.body/if_2.else"; "@f" of the private
    /// function f, which counts as a region.
    std::string path;
    std::int64_t attempts = 0;  ///< Nodes of it that entries looked at; part of the entries' rows, too.
    std::int64_t rewrites = 0;  ///< Rewrites that entries made there; part of the entries' rows, too.
    double seconds = 0.0;       ///< The time spent there.
    /// Its operators, without those of the regions inside; 0 where it was not there.
    std::int64_t nodes_before = 0;
    std::int64_t nodes_after = 0;  ///< Counted alike.
};

struct OptimizeReport {           ///< What optimize() did.
    std::int64_t iterations = 0;  ///< Passes over the list, the last included.
    /// Whether the last iteration changed nothing.
    bool converged = false;
    std::vector<TransformReport> transforms;  ///< A row per entry.
    /// Those of a region before the one that it lies in, and of a private function before those that call it.
    std::vector<RegionReport> regions;
    /// What nodes() lists: inputs, and operators without those inside of regions.
    std::int64_t nodes_before = 0;
    std::int64_t nodes_after = 0;  ///< Counted alike.
    double seconds = 0.0;          ///< Of the whole run.
    /// With OptimizeOptions::record: what was done.
    std::optional<RewriteLog> log;
    /// The sum of the rows'.
    std::int64_t rewrites = 0;
    PhaseSeconds phases;  ///< The time by what it was spent on.

    /// A table of the entries, one of the regions that were rewritten, the time by phase, and what entries left alone
    /// and why: the most frequent reasons of each.
    std::string to_string() const;
    /// Writes it to standard output.
    void print() const;
    /// Everything in it, as one JSON object; of the log, which is null where there is none, its text and its steps.
    std::string to_json() const;
    /// Writes one page that needs nothing else: the tables, the reasons, the log, and the graph before and after as a
    /// picture of the first few hundred nodes, those of regions inside of the operators that they belong to.
    void to_html(const std::string& path) const;

    /// For the runtime's own use.
    std::shared_ptr<const clika::GraphPicture> before, after;
};

std::ostream& operator<<(std::ostream& os, const OptimizeReport& report);

/// Numbers from `low` to `high`, both included.
struct InputRange {
    double low = 0.0;   ///< The least.
    double high = 0.0;  ///< The greatest.
};

/// Asks optimize() to compare, after each entry that changed the graph, what the graph computes with what it computed
/// before the entry, within the entry's exactness. Where it differs, the entry is applied again to find the rewrite
/// that is to blame, and the run is undone; the error names the entry, the iteration, the output, the element that is
/// furthest off, the rewrite and its nodes.
struct Check {
    /// One tensor per graph input; empty: generated from `seed`.
    std::vector<Tensor> inputs;
    std::uint64_t seed = 0;  ///< Of the generated inputs.
    /// By the name of an input, what its generated elements lie in. Without one they are in [-2, 2], or 0 and 1 where
    /// they are integers or bool, which suits indices.
    std::map<std::string, InputRange> ranges;
};

enum class Order {  ///< In which order an iteration runs its list.
    /// Each iteration runs the list from front to back.
    List,
    /// Levels of priority, ascending: an iteration runs the entries up to a level, from front to back, and the next
    /// level
    /// is entered when one changes nothing.
    Priority
};

struct OptimizeOptions {  ///< What optimize() may be told.
    /// The list to run; unset: default_transforms().
    std::optional<std::vector<Transform>> transforms;
    /// A budget of iterations; unset: until nothing changes, with a safety limit.
    std::optional<std::int64_t> max_iterations;
    std::optional<Check> check;  ///< Compares results after each entry that changed the graph.
    /// fold_constants makes no constant of more bytes, unless it takes no more room than the constants that go with it.
    std::int64_t fold_limit = 16 << 20;
    /// Operators that fold_constants leaves, whatever they read.
    std::vector<OpCode> fold_excluded;
    /// Notes what each entry does to the graph: OptimizeReport::log.
    bool record = false;
    /// Rules search the whole graph in every iteration and not only what edits have touched; the result is the same.
    bool full_search = false;
    Order order = Order::List;  ///< Whether priorities count.
    /// Nodes that nothing but functions and pass pipelines may consume: rules skip an occurrence that holds one.
    std::vector<Node> keep;
    /// Verifies the graph after every entry; unset: in debug builds of the library.
    std::optional<bool> verify;
    /// Collects, too, why the runtime's transforms and rules of PDL left nodes as they are, which takes time.
    bool explain = false;
    /// Becomes the graph's target device, if the run succeeds; refused where the graph has another.
    std::optional<Device> target_device;
    /// Asked between entries and between a rule's rewrites; true ends the run, undoes it and throws `interrupted`.
    std::function<bool()> interrupted;
};

}  // namespace ClikaRT::graph

namespace ClikaRT::detail {

/// Thrown by a callback, it passes through optimize(), insert() and the like, which undo and rethrow `original` bare.
struct PassThrough {
    std::exception_ptr original;
    /// Tells whoever reads `original` where it was thrown; null where its type takes no such text.
    void (*note)(const std::exception_ptr& original, const std::string& text) = nullptr;
};

}  // namespace ClikaRT::detail
