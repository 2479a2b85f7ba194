// Compiled rewrites of text that no run is using.
#ifndef CLIKA_API_PDLPOOL_H
#define CLIKA_API_PDLPOOL_H

#include "API/PdlRules.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace clika {

/// To compile a text takes as long as to rewrite some hundred nodes, and graphs of one context are often rewritten by
/// the same ones. Of one context; for any thread.
class PdlPool {
public:
  /// Compiled anew where all there are of this text are in use.
  std::unique_ptr<PdlRules> take(mlir::MLIRContext *context, const std::string &pdl);
  void giveBack(const std::string &pdl, std::unique_ptr<PdlRules> rules);

private:
  static constexpr size_t kMostKept = 16;
  std::mutex mutex;
  /// The one used last at the end.
  std::vector<std::pair<std::string, std::unique_ptr<PdlRules>>> idle;
};

} // namespace clika

#endif
