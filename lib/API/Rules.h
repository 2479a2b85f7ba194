// Runs a user's rule once over a graph.
#ifndef CLIKA_API_RULES_H
#define CLIKA_API_RULES_H

#include "API/Match.h"
#include "API/TransformBody.h"

namespace clika {

struct RuleCounts {
  int64_t occurrences = 0, skipped = 0, declined = 0, rewrites = 0;
};

/// Searches the graph once and replaces each occurrence the condition accepts. The graph's lock must be free.
RuleCounts applyRule(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule,
                     const std::function<bool()> &interrupted);

} // namespace clika

#endif
