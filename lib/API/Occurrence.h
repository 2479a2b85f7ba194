// What rules and pattern classes have in common: which occurrences are passed over, and how one is replaced.
#ifndef CLIKA_API_OCCURRENCE_H
#define CLIKA_API_OCCURRENCE_H

#include "API/Convexity.h"
#include "API/Insert.h"
#include "API/Rules.h"
#include "Transforms/Kept.h"

#include <chrono>

namespace clika {

class LastCalls;

/// Runs a callback that may not edit the graph, `additions` aside (see ForbidEdits), with the lock free.
template <class Callback>
auto withoutLock(Query &query, std::string_view who, Callback callback, bool additions = false,
                 mlir::Operation *home = nullptr) {
  ForbidEdits forbid(*query, who, additions, home);
  Unlocked unlocked(query);
  return callback();
}

/// Adds the time until it goes to `seconds`.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds) : seconds(seconds) {}
  ~Stopwatch() { seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

private:
  double &seconds;
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// Whether an operation is a node of `keep`, which must outlive what is returned; null where there is none.
Keeps keepsOf(const llvm::DenseSet<uint64_t> &keep);

/// Why an occurrence is passed over without asking.
enum class Skip : uint8_t { No, Kept, Unread, NotConvex };
/// `convexity`: null where they are known to be convex.
Skip skipOf(llvm::ArrayRef<mlir::Operation *> ops, const ClikaRT::graph::RewriteMatch &match, Convexity *convexity,
            const llvm::DenseSet<uint64_t> &keep);
void addSkip(ClikaRT::graph::SkipCounts &counts, Skip skip, int64_t times);

struct ReplaceOptions {
  /// Whose function it is, for errors.
  std::string who;
  /// What errors begin with; empty: the query's call.
  std::string_view call = "";
  InsertPlace place = {};
  /// Whether the function may add constants and read other values of the graph.
  bool mayCapture = false;
  /// See record().
  LastCalls *last = nullptr;
};

/// Records `fn` over the match's inputs with the lock free, and lets it stand for the match's outputs.
void replaceMatch(Query &query, const ClikaRT::graph::RewriteMatch &match, const ClikaRT::graph::TraceFunction &fn,
                  const ReplaceOptions &options);

} // namespace clika

#endif
