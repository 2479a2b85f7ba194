// Rows of text as a table.
#ifndef CLIKA_API_TABLE_H
#define CLIKA_API_TABLE_H

#include <algorithm>
#include <string>
#include <vector>

namespace clika {

/// A line per row, all of as many cells: the first cells begin at the left, the others end under each other, and the
/// row's entry of `ends`, if there are any, begins behind them.
inline std::string tableText(const std::vector<std::vector<std::string>> &rows,
                             const std::vector<std::string> &ends = {}) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto &row = rows[at];
    std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (std::size_t i = 1; i < row.size(); ++i)
      line += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
    if (at < ends.size() && !ends[at].empty())
      line += "  " + ends[at];
    text += line + "\n";
  }
  return text;
}

} // namespace clika

#endif
