// The report of optimize() as JSON.
#include <ClikaRT/transform.h>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ClikaRT::graph {
namespace {

namespace json = llvm::json;

/// Names may come from a file, in which any bytes stand.
std::string asUtf8(const std::string &text) { return json::isUTF8(text) ? text : json::fixUTF8(text); }

json::Value reasonValue(const RefusalReport &reason) {
  json::Array nodes;
  for (const std::string &node : reason.nodes)
    nodes.push_back(asUtf8(node));
  return json::Object{{"reason", asUtf8(reason.reason)},
                      {"file", asUtf8(reason.file)},
                      {"line", reason.line},
                      {"count", reason.count},
                      {"nodes", std::move(nodes)}};
}

json::Value rowValue(const TransformReport &row) {
  json::Array reasons;
  for (const RefusalReport &reason : row.reasons)
    reasons.push_back(reasonValue(reason));
  return json::Object{{"transform", asUtf8(row.transform.name())},
                      {"applications", row.applications},
                      {"rewrites", row.rewrites},
                      {"seconds", row.seconds},
                      {"attempts", row.attempts},
                      {"occurrences", row.occurrences},
                      {"skipped", row.skipped},
                      {"skipped_by", json::Object{{"removed", row.skipped_by.removed},
                                                  {"not_convex", row.skipped_by.not_convex},
                                                  {"unread", row.skipped_by.unread},
                                                  {"kept", row.skipped_by.kept}}},
                      {"declined", row.declined},
                      {"reasons", std::move(reasons)}};
}

} // namespace

std::string OptimizeReport::to_json() const {
  json::Array rows;
  for (const TransformReport &row : transforms)
    rows.push_back(rowValue(row));
  json::Array parts;
  for (const RegionReport &row : regions)
    parts.push_back(json::Object{{"path", asUtf8(row.path)},
                                 {"attempts", row.attempts},
                                 {"rewrites", row.rewrites},
                                 {"seconds", row.seconds},
                                 {"nodes_before", row.nodes_before},
                                 {"nodes_after", row.nodes_after}});
  json::Value whole = json::Object{{"iterations", iterations},
                                   {"converged", converged},
                                   {"rewrites", rewrites},
                                   {"nodes_before", nodes_before},
                                   {"nodes_after", nodes_after},
                                   {"seconds", seconds},
                                   {"phases", json::Object{{"match", phases.match},
                                                           {"rewrite", phases.rewrite},
                                                           {"cleanup", phases.cleanup},
                                                           {"fold", phases.fold},
                                                           {"regions", phases.regions}}},
                                   {"transforms", std::move(rows)},
                                   {"regions", std::move(parts)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", whole);
  return text + "\n";
}

} // namespace ClikaRT::graph
