#include "API/PdlPool.h"

#include <algorithm>

namespace clika {

std::unique_ptr<PdlRules> PdlPool::take(mlir::MLIRContext *context, const std::string &pdl) {
  {
    std::lock_guard lock(mutex);
    auto known = std::ranges::find(idle, pdl, [](const auto &entry) -> const std::string & { return entry.first; });
    if (known != idle.end()) {
      std::unique_ptr<PdlRules> rules = std::move(known->second);
      idle.erase(known);
      return rules;
    }
  }
  return std::make_unique<PdlRules>(context, pdl);
}

void PdlPool::giveBack(const std::string &pdl, std::unique_ptr<PdlRules> rules) {
  rules->reset();
  std::lock_guard lock(mutex);
  if (idle.size() == kMostKept)
    idle.erase(idle.begin());
  idle.emplace_back(pdl, std::move(rules));
}

} // namespace clika
