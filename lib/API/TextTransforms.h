// Transforms that are given as text: pass pipelines and PDL.
#ifndef CLIKA_API_TEXTTRANSFORMS_H
#define CLIKA_API_TEXTTRANSFORMS_H

#include "API/Core.h"
#include "API/PdlReasons.h"
#include "API/PdlRules.h"
#include "API/TransformBody.h"
#include "Transforms/RuntimeTransforms.h"

#include <map>
#include <memory>

namespace clika {

/// Runs the passes over the graph's module and takes over what they leave. The graph's lock must be held. Throws an
/// Error where a pass fails or what it leaves is no graph; the graph is then of no use.
void runPipeline(GraphCore &core, const PipelineBody &body, uint64_t firstAge);

/// Compiled PDL rules of the context's pool, kept from one iteration of a run to the next.
class PdlCache {
public:
  explicit PdlCache(GraphCore &core) : core(core) {}
  PdlCache(const PdlCache &) = delete;
  PdlCache &operator=(const PdlCache &) = delete;
  ~PdlCache();
  /// Applies the rules once to each operator. The graph's lock must be held.
  void apply(const PdlBody &body, TransformContext &context);
  /// What tells why they left an operator alone.
  const PdlReasons &reasonsOf(const PdlBody &body);

private:
  GraphCore &core;
  std::map<const PdlBody *, std::unique_ptr<PdlRules>> rules;
  std::map<const PdlBody *, std::unique_ptr<PdlReasons>> reasons;
};

} // namespace clika

#endif
