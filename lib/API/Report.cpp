// The report of optimize() as a table.
#include <ClikaRT/transform.h>

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace ClikaRT::graph {
namespace {

using Row = std::vector<std::string>;

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e3);
  return text;
}

std::string tableText(const std::vector<Row> &rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row &row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (std::size_t i = 1; i < row.size(); ++i)
      line += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
    text += line + "\n";
  }
  return text;
}

} // namespace

std::string OptimizeReport::to_string() const {
  std::vector<Row> rows = {{"transform", "applications", "rewrites", "occurrences", "skipped", "declined", "ms"}};
  for (const TransformReport &row : transforms)
    rows.push_back({row.transform.name(), std::to_string(row.applications), std::to_string(row.rewrites),
                    std::to_string(row.occurrences), std::to_string(row.skipped), std::to_string(row.declined),
                    milliseconds(row.seconds)});
  std::vector<Row> parts = {{"region", "rewrites", "nodes", "ms"}};
  for (const RegionReport &row : regions)
    if (row.rewrites || row.nodes_before != row.nodes_after)
      parts.push_back({row.path, std::to_string(row.rewrites),
                       std::to_string(row.nodes_before) + " -> " + std::to_string(row.nodes_after),
                       milliseconds(row.seconds)});
  return tableText(rows) + (parts.size() > 1 ? tableText(parts) : "") + std::to_string(iterations) +
         (iterations == 1 ? " iteration, " : " iterations, ") + (converged ? "converged" : "not converged") + ", " +
         std::to_string(nodes_before) + " -> " + std::to_string(nodes_after) + " nodes, " + milliseconds(seconds) +
         " ms\n";
}

void OptimizeReport::print() const { std::fputs(to_string().c_str(), stdout); }

std::ostream &operator<<(std::ostream &os, const OptimizeReport &report) { return os << report.to_string(); }

} // namespace ClikaRT::graph
