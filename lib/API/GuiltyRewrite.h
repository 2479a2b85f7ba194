// Which rewrite of an entry of optimize() changed what the graph computes.
#ifndef CLIKA_API_GUILTYREWRITE_H
#define CLIKA_API_GUILTYREWRITE_H

#include "API/Optimize.h"
#include "Transforms/RuntimeTransforms.h"

namespace clika {

/// Applies the entry again and again to the graph as it was before, each time to the first so many rewrites.
class GuiltyRewrite {
public:
  /// `apply` applies the entry to the graph as it is; `differs` says whether the graph computes anything else.
  GuiltyRewrite(GraphCore &core, Snapshot &before, std::function<void(const RewriteGuard &)> apply,
                std::function<bool()> differs)
      : core(core), before(before), apply(std::move(apply)), differs(std::move(differs)) {}

  /// A clause that names the rewrite among the `made` ones and its nodes, those of regions with their path, or
  /// the nodes that an entry without counted rewrites changed. Empty where the entry, applied again, does something
  /// else. The graph is of no use after this.
  std::string clause(int64_t made);

private:
  void applyFirst(int64_t count);
  int64_t firstGuilty(int64_t made);
  std::string ofRewrite(int64_t number, int64_t made);

  GraphCore &core;
  Snapshot &before;
  std::function<void(const RewriteGuard &)> apply;
  std::function<bool()> differs;
};

} // namespace clika

#endif
