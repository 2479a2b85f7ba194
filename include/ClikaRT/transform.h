// Transforms and what optimize() says about them.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ClikaRT/error.h>
#include <ClikaRT/graph.h>
#include <ClikaRT/rewrite_log.h>

namespace clika {
struct TransformBody;
}

namespace ClikaRT::graph {

/// How far a transform may change what a graph computes.
struct Exactness {
    enum class Kind { Exact, Bounded, Approximate };
    Kind kind = Kind::Exact;
    /// |a - b| <= atol + rtol * |b|, with NaN and infinities in the same places; 0 for Exact, which keeps every bit
    /// (all NaNs being one value). In half precision, where one rounding can exceed them, both count as at least 4
    /// rounding units: 2^-9 in Float16, 2^-6 in BFloat16.
    double rtol = 0.0;
    double atol = 0.0;
};

/// A step of optimize(). A cheap handle: it equals itself and its copies, and two handles of one runtime transform.
class Transform {
public:
    /// A transform from a function over the graph's edits. `name` may be neither empty nor a runtime transform's.
    static Transform from_function(std::string name, std::function<Result<void>(ModelGraph&)> fn,
                                   std::vector<Transform> runs_after = {});

    /// A transform from an MLIR pass pipeline, as in "canonicalize,cse", which is its name.
    static Transform from_pass_pipeline(const std::string& pipeline, std::vector<Transform> runs_after = {});
    /// A transform from rewrites as text: a module of pdl.pattern operations or, where the tool mlir-pdll is found,
    /// PDLL.
    static Transform from_pdl(std::string name, const std::string& text, std::vector<Transform> runs_after = {});

    const std::string& name() const;
    /// What it does, in a line; empty for a user's.
    const std::string& summary() const;
    /// Whether it is one of the runtime's.
    bool is_runtime() const;
    const std::vector<Transform>& runs_after() const;
    Exactness exactness() const;

    bool operator==(const Transform& other) const;
    bool operator!=(const Transform& other) const { return !(*this == other); }

    /// For the runtime's own use.
    explicit Transform(std::shared_ptr<const clika::TransformBody> body) noexcept : body_(std::move(body)) {}
    const std::shared_ptr<const clika::TransformBody>& body() const noexcept { return body_; }

private:
    std::shared_ptr<const clika::TransformBody> body_;
};

/// A row of the report: one entry of the list.
struct TransformReport {
    Transform transform;
    /// Iterations in which the entry changed the graph.
    std::int64_t applications = 0;
    /// Rewrites it made, where it counts them (rules, and the runtime's).
    std::int64_t rewrites = 0;
    double seconds = 0.0;
    /// For rules: occurrences found, skipped without asking, and declined by the condition.
    std::int64_t occurrences = 0;
    std::int64_t skipped = 0;
    std::int64_t declined = 0;
};

struct OptimizeReport {
    std::int64_t iterations = 0;
    /// Whether the last iteration changed nothing.
    bool converged = false;
    std::vector<TransformReport> transforms;
    std::int64_t nodes_before = 0;
    std::int64_t nodes_after = 0;
    double seconds = 0.0;
    /// With OptimizeOptions::record: what was done.
    std::optional<RewriteLog> log;

    /// A table.
    std::string to_string() const;
};

std::ostream& operator<<(std::ostream& os, const OptimizeReport& report);

/// Asks optimize() to compare, after each entry that changed the graph, what the graph computes with what it computed.
struct Check {
    /// One tensor per graph input; empty: generated from `seed`.
    std::vector<Tensor> inputs;
    std::uint64_t seed = 0;
};

struct OptimizeOptions {
    /// The list to run; unset: default_transforms().
    std::optional<std::vector<Transform>> transforms;
    /// A budget of iterations; unset: until nothing changes, with a safety limit.
    std::optional<std::int64_t> max_iterations;
    std::optional<Check> check;
    /// fold_constants makes no constant of more bytes, unless it takes no more room than the constants that go with it.
    std::int64_t fold_limit = 16 << 20;
    /// Notes what each entry does to the graph: OptimizeReport::log.
    bool record = false;
    /// Rules search the whole graph in every iteration and not only what edits have touched; the result is the same.
    bool full_search = false;
    /// Asked between entries and between a rule's rewrites; true ends the run, undoes it and throws `interrupted`.
    std::function<bool()> interrupted;
};

}  // namespace ClikaRT::graph

namespace ClikaRT::detail {

/// Thrown by a callback, it passes through optimize(), insert() and the like, which undo and rethrow `original` bare.
struct PassThrough {
    std::exception_ptr original;
};

}  // namespace ClikaRT::detail
