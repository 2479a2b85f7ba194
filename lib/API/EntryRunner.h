// Applies the entries of a list to a graph, one at a time.
#ifndef CLIKA_API_ENTRYRUNNER_H
#define CLIKA_API_ENTRYRUNNER_H

#include "API/Core.h"
#include "API/GraphInventory.h"
#include "API/Reasons.h"
#include "API/Rules.h"
#include "API/TextTransforms.h"
#include "Transforms/RuntimeTransforms.h"

#include <chrono>

namespace clika {

using Clock = std::chrono::steady_clock;
inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What applying an entry has done; each application adds to it.
struct EntryResult {
  ClikaRT::graph::TransformReport &row;
  ClikaRT::graph::PhaseSeconds &phases;
  ReasonTally &reasons;
  RegionTally &regions;
};

class EntryRunner {
public:
  /// `keep`: ids of nodes that may not be consumed. `graph` is asked for by functions and pattern classes alone, which
  /// may have destroyed it.
  EntryRunner(ClikaRT::graph::ModelGraph &graph, const std::shared_ptr<GraphCore> &core,
              const std::vector<ClikaRT::graph::Transform> &list, const ClikaRT::graph::OptimizeOptions &options,
              const llvm::DenseSet<uint64_t> &keep)
      : graph(graph), kept(core), core(*core), list(list), options(options), keep(keep), searches(options.full_search) {
  }

  /// Once. The graph's lock must be free. `goesOn`, unless null, is told the number of rewrites made and says whether
  /// to go on, often and with the lock held; functions and pass pipelines do not ask it. Throws what the
  /// entry throws.
  void apply(size_t entry, EntryResult result, const RewriteGuard &goesOn = nullptr);
  /// The run begins, with these operators: see RootIndex::start.
  void start(std::vector<ModuleRecord::Operator> operators) { searches.index.start(core, std::move(operators)); }
  /// Lets go of what all searches of rules have taken note of.
  void trim() { searches.trim(core); }

private:
  RuleCounts applySearching(size_t entry, EntryResult result, const RewriteGuard &goesOn);
  void applyText(llvm::function_ref<void()> run);
  void applyRuntime(const RuntimeTransform &transform, EntryResult result, const RewriteGuard &goesOn);
  TransformContext contextOf(EntryResult result, const RewriteGuard &goesOn);

  ClikaRT::graph::ModelGraph &graph;
  const std::shared_ptr<GraphCore> kept;
  GraphCore &core;
  const std::vector<ClikaRT::graph::Transform> &list;
  const ClikaRT::graph::OptimizeOptions &options;
  const llvm::DenseSet<uint64_t> &keep;
  PatternCache patterns;
  PdlCache pdlRules{core};
  RuleSearches searches;
  GraphInventory inventory{core, searches.index};
  /// Constants of this age or a greater one were made by the run.
  const uint64_t firstAge = ConstantStore::of(core.mlir()).nextAge();
};

} // namespace clika

#endif
