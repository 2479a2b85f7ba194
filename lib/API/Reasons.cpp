#include "API/Reasons.h"

#include <algorithm>

namespace clika {

void ReasonTally::add(const std::string &reason, const std::string &node, const std::string &file, int line) {
  constexpr size_t kMostNodes = 8;
  auto [at, added] = places.try_emplace({reason, file, line}, reports.size());
  if (added) {
    ClikaRT::graph::RefusalReport report;
    report.reason = reason;
    report.file = file;
    report.line = line;
    reports.push_back(std::move(report));
  }
  ClikaRT::graph::RefusalReport &report = reports[at->second];
  ++report.count;
  if (report.nodes.size() < kMostNodes && std::ranges::find(report.nodes, node) == report.nodes.end())
    report.nodes.push_back(node);
}

std::vector<ClikaRT::graph::RefusalReport> ReasonTally::list() const {
  std::vector<ClikaRT::graph::RefusalReport> sorted = reports;
  std::ranges::stable_sort(sorted, [](const auto &a, const auto &b) { return a.count > b.count; });
  return sorted;
}

} // namespace clika
