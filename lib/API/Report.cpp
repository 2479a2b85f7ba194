// The report of optimize() as a table.
#include "API/Table.h"
#include "Runtime/Counted.h"

#include <ClikaRT/transform.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <utility>

namespace ClikaRT::graph {
namespace {

using Row = std::vector<std::string>;

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e3);
  return text;
}

std::string phasesText(const PhaseSeconds &phases) {
  return "ms by phase: match " + milliseconds(phases.match) + ", rewrite " + milliseconds(phases.rewrite) +
         ", cleanup " + milliseconds(phases.cleanup) + ", fold " + milliseconds(phases.fold) + ", in regions " +
         milliseconds(phases.regions) + "\n";
}

/// As in "2 times: something reads it (relu_1, relu_2; rules.py:12)".
std::string reasonText(const RefusalReport &reason) {
  constexpr std::size_t kMostNodes = 3;
  std::string said;
  for (std::size_t i = 0; i < std::min(reason.nodes.size(), kMostNodes); ++i)
    said += (i ? ", " : "") + reason.nodes[i];
  if (reason.nodes.size() > kMostNodes)
    said += ", ...";
  if (!reason.file.empty())
    said += (said.empty() ? "" : "; ") + reason.file + ":" + std::to_string(reason.line);
  return clika::counted(reason.count, "time") + ": " + reason.reason + (said.empty() ? "" : " (" + said + ")");
}

std::string skipsText(const SkipCounts &skips) {
  std::string text;
  for (auto [count, cause] :
       {std::pair(skips.removed, "changed by an earlier replacement"), std::pair(skips.not_convex, "not convex"),
        std::pair(skips.unread, "read by nothing"), std::pair(skips.kept, "to be kept")})
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + cause;
  return text;
}

/// Why entries left nodes alone, a line each: what was skipped, and the most frequent reasons.
std::string reasonsText(const std::vector<TransformReport> &transforms) {
  constexpr std::size_t kMostReasons = 8;
  std::string text;
  for (const TransformReport &row : transforms) {
    std::string lines;
    if (std::string skips = skipsText(row.skipped_by); !skips.empty())
      lines += "  skipped: " + skips + "\n";
    for (std::size_t i = 0; i < std::min(row.reasons.size(), kMostReasons); ++i)
      lines += "  " + reasonText(row.reasons[i]) + "\n";
    if (row.reasons.size() > kMostReasons)
      lines += "  and " + std::to_string(row.reasons.size() - kMostReasons) + " more in to_json()\n";
    if (!lines.empty())
      text += "what " + row.transform.name() + " left alone:\n" + lines;
  }
  return text;
}

} // namespace

std::string OptimizeReport::to_string() const {
  std::vector<Row> rows = {
      {"transform", "applications", "rewrites", "attempts", "occurrences", "skipped", "declined", "ms"}};
  for (const TransformReport &row : transforms)
    rows.push_back({row.transform.name(), std::to_string(row.applications), std::to_string(row.rewrites),
                    std::to_string(row.attempts), std::to_string(row.occurrences), std::to_string(row.skipped),
                    std::to_string(row.declined), milliseconds(row.seconds)});
  std::vector<Row> parts = {{"region", "rewrites", "nodes", "ms"}};
  for (const RegionReport &row : regions)
    if (row.rewrites || row.nodes_before != row.nodes_after)
      parts.push_back({row.path, std::to_string(row.rewrites),
                       std::to_string(row.nodes_before) + " -> " + std::to_string(row.nodes_after),
                       milliseconds(row.seconds)});
  return clika::tableText(rows) + (parts.size() > 1 ? clika::tableText(parts) : "") +
         clika::counted(iterations, "iteration") + ", " + (converged ? "converged" : "not converged") + ", " +
         std::to_string(nodes_before) + " -> " + std::to_string(nodes_after) + " nodes, " + milliseconds(seconds) +
         " ms\n" + phasesText(phases) + reasonsText(transforms);
}

void OptimizeReport::print() const { std::fputs(to_string().c_str(), stdout); }

std::ostream &operator<<(std::ostream &os, const OptimizeReport &report) { return os << report.to_string(); }

} // namespace ClikaRT::graph
