// The report of optimize() as one HTML page that needs nothing else.
#include "API/Fail.h"
#include "API/Picture.h"
#include "Runtime/Counted.h"

#include <ClikaRT/transform.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace clika;

namespace ClikaRT::graph {
namespace {

constexpr const char *kStyle = R"(
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px; color: #1c2430; background: #fff; }
h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 16px; margin: 28px 0 8px; }
table { border-collapse: collapse; } th, td { padding: 3px 10px; border-bottom: 1px solid #dde2ea; text-align: right; }
th { background: #f3f5f9; font-weight: 600; } th:first-child, td:first-child, td.text, th.text { text-align: left; }
tr.idle td { color: #8b95a5; } td.place { color: #5b6675; font-family: ui-monospace, monospace; font-size: 12px; }
.graphs { display: flex; gap: 16px; flex-wrap: wrap; } .graph { flex: 1 1 420px; min-width: 0; }
.frame { overflow: auto; max-height: 80vh; border: 1px solid #dde2ea; border-radius: 6px; background: #fbfcfe; }
.note { color: #5b6675; } svg path { fill: none; stroke: #9aa5b5; } svg text { text-anchor: middle; font-size: 11px; }
svg text.code { font-weight: 600; font-size: 12px; } svg text.name { fill: #5b6675; }
svg rect { fill: #fff; stroke: #7a8799; } svg .input rect, svg .output rect { fill: #e8f0fe; stroke: #5e86c9; }
svg .constant rect { fill: #f4f4f4; stroke-dasharray: 3 2; } svg .capture rect { stroke-dasharray: 3 2; }
svg .region rect { fill: #f3f5f9; stroke: #c9d1dd; }
.before svg .changed rect { fill: #fdecea; stroke: #c9574b; } .after svg .changed rect { fill: #e6f4ea; stroke: #3f9256; }
)";

std::string cell(const std::string &text, const char *kind = "") {
  return std::string("<td") + (*kind ? std::string(" class=\"") + kind + "\"" : "") + ">" + escapedHtml(text) + "</td>";
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e3);
  return text;
}

std::string head(std::initializer_list<const char *> titles) {
  std::string text = "<table><thead><tr>";
  for (const char *title : titles)
    text += std::string("<th>") + title + "</th>";
  return text + "</tr></thead><tbody>\n";
}

std::string rowsTable(const OptimizeReport &report) {
  std::string text = head({"transform", "applications", "rewrites", "attempts", "occurrences", "skipped: removed",
                           "not convex", "unread", "kept", "declined", "ms"});
  for (const TransformReport &row : report.transforms) {
    text += row.applications ? "<tr>" : "<tr class=\"idle\">";
    text += cell(row.transform.name());
    for (std::int64_t number : {row.applications, row.rewrites, row.attempts, row.occurrences, row.skipped_by.removed,
                                row.skipped_by.not_convex, row.skipped_by.unread, row.skipped_by.kept, row.declined})
      text += cell(std::to_string(number));
    text += cell(milliseconds(row.seconds)) + "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string regionsTable(const OptimizeReport &report) {
  if (report.regions.empty())
    return "";
  std::string text = "<h2>Regions and private functions</h2>\n" +
                     head({"region", "rewrites", "attempts", "nodes before", "after", "ms"});
  for (const RegionReport &row : report.regions) {
    text += row.rewrites ? "<tr>" : "<tr class=\"idle\">";
    text += cell(row.path);
    for (std::int64_t number : {row.rewrites, row.attempts, row.nodes_before, row.nodes_after})
      text += cell(std::to_string(number));
    text += cell(milliseconds(row.seconds)) + "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string reasonsTable(const OptimizeReport &report) {
  std::string rows;
  for (const TransformReport &row : report.transforms)
    for (const RefusalReport &reason : row.reasons) {
      std::string nodes;
      for (const std::string &node : reason.nodes)
        nodes += (nodes.empty() ? "" : ", ") + node;
      rows += "<tr>" + cell(row.transform.name()) + cell(std::to_string(reason.count)) + cell(reason.reason, "text") +
              cell(nodes, "text") +
              cell(reason.file.empty() ? "" : reason.file + ":" + std::to_string(reason.line), "place") + "</tr>\n";
    }
  if (rows.empty())
    return "";
  return "<h2>Why nodes were left as they are</h2>\n<table><thead><tr><th>transform</th><th>times</th>"
         "<th class=\"text\">reason</th><th class=\"text\">said of</th><th "
         "class=\"text\">by</th></tr></thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

std::string phasesTable(const PhaseSeconds &phases) {
  std::string text = head({"match", "rewrite", "cleanup", "fold", "regions"}) + "<tr>";
  for (double seconds : {phases.match, phases.rewrite, phases.cleanup, phases.fold, phases.regions})
    text += "<td>" + milliseconds(seconds) + "</td>";
  return text + "</tr></tbody></table>\n";
}

std::string logSection(const OptimizeReport &report) {
  return report.log ? "<h2>What was recorded</h2>\n<pre>" + escapedHtml(report.log->to_string()) + "</pre>\n" : "";
}

std::string graphSection(const char *title, const char *kind, const GraphPicture &picture, const GraphPicture &other,
                         const char *legend) {
  std::string text =
      std::string("<div class=\"graph ") + kind + "\"><h2>" + title + "</h2>\n<p class=\"note\">" + legend;
  if (picture.omitted)
    text += " The first " + std::to_string(picture.drawn) + " boxes are drawn, and " + std::to_string(picture.omitted) +
            " more are not.";
  return text + "</p>\n<div class=\"frame\">\n" + svgOf(picture, other) + "</div></div>\n";
}

std::string page(const OptimizeReport &report) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>optimize()</title><style>" +
      std::string(kStyle) + "</style></head><body>\n<h1>optimize()</h1>\n<p class=\"note\">" +
      counted(report.iterations, "iteration") + ", " + (report.converged ? "converged" : "not converged") + ", " +
      counted(report.rewrites, "rewrite") + ", " + std::to_string(report.nodes_before) + " &rarr; " +
      std::to_string(report.nodes_after) + " nodes, " + milliseconds(report.seconds) + " ms</p>\n" + rowsTable(report) +
      regionsTable(report) + reasonsTable(report) + "<h2>Milliseconds by phase</h2>\n" + phasesTable(report.phases) +
      logSection(report);
  if (report.before && report.after)
    text +=
        "<div class=\"graphs\">\n" +
        graphSection("Before", "before", *report.before, *report.after, "Red: gone afterwards, or another operator.") +
        graphSection("After", "after", *report.after, *report.before, "Green: not there before, or another operator.") +
        "</div>\n";
  return text + "</body></html>\n";
}

} // namespace

void OptimizeReport::to_html(const std::string &path) const {
  std::string text = page(*this);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (file)
    file.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!file)
    fail(Status::Io, "to_html", "the file " + quote(path) + " cannot be written: " + std::strerror(errno));
}

} // namespace ClikaRT::graph
