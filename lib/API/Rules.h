// Runs a user's rule or pattern class once over a graph.
#ifndef CLIKA_API_RULES_H
#define CLIKA_API_RULES_H

#include "API/Reasons.h"
#include "API/RuleSearch.h"
#include "API/TransformBody.h"
#include "Transforms/RuntimeTransforms.h"

namespace clika {

struct RuleCounts {
  int64_t occurrences = 0, declined = 0, rewrites = 0, attempts = 0;
  ClikaRT::graph::SkipCounts skipped;
  /// Spent on the search and on conditions, outside of regions.
  double matchSeconds = 0.0;
};

/// What optimize() tells an entry.
struct RuleEnvironment {
  const std::function<bool()> &interrupted;
  /// Ids of nodes that may not be consumed.
  const llvm::DenseSet<uint64_t> &keep;
  ReasonTally &reasons;
  RegionTally &regions;
  /// Null, or asked before each occurrence, with the lock held.
  const RewriteGuard &goesOn;
};

/// Searches the graph once and replaces each occurrence the condition accepts. The graph's lock must be free. `search`
/// is the rule's, and remembers what was found before.
RuleCounts applyRule(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule,
                     RuleSearch &search, RootIndex &index, const RuleEnvironment &environment);
/// The same for a pattern class; `graph` is what its methods are given.
RuleCounts applyPattern(ClikaRT::graph::ModelGraph &graph, const std::shared_ptr<GraphCore> &core,
                        const ClikaRT::graph::PatternTransform &pattern, const RuleEnvironment &environment);

} // namespace clika

#endif
