#include "API/Reasons.h"

#include <algorithm>
#include <numeric>

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
  std::vector<size_t> order(reports.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return reports[a].count != reports[b].count ? reports[a].count > reports[b].count : a < b;
  });
  std::vector<ClikaRT::graph::RefusalReport> sorted;
  for (const size_t at : order)
    sorted.push_back(reports[at]);
  return sorted;
}

} // namespace clika
