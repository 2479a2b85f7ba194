// Runs a user's rule once over a graph.
#ifndef CLIKA_API_RULES_H
#define CLIKA_API_RULES_H

#include "API/RuleSearch.h"
#include "API/TransformBody.h"

namespace clika {

struct RuleCounts {
  int64_t occurrences = 0, skipped = 0, declined = 0, rewrites = 0;
  /// Why some were skipped: a node of theirs had gone, they are not convex, or nothing outside reads what they make.
  int64_t gone = 0, notConvex = 0, unread = 0;
  /// What the condition said of those that it declined, and of searches that were cut short, in the order they came
  /// first: the root's name when it was said first.
  struct Reason {
    std::string reason;
    int64_t count = 0;
    std::string node;
  };
  std::vector<Reason> reasons;
};

/// Searches the graph once and replaces each occurrence the condition accepts. The graph's lock must be free. `search`
/// is the rule's, and remembers what was found before.
RuleCounts applyRule(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule,
                     RuleSearch &search, RootIndex &index, const std::function<bool()> &interrupted);

} // namespace clika

#endif
