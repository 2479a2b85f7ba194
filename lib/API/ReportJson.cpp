// The report of optimize() as JSON.
#include <ClikaRT/transform.h>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ClikaRT::graph {
namespace {

namespace json = llvm::json;

/// Names may come from a file, in which any bytes stand.
std::string asUtf8(const std::string &text) { return json::isUTF8(text) ? text : json::fixUTF8(text); }

json::Array textsValue(const std::vector<std::string> &texts) {
  json::Array values;
  for (const std::string &text : texts)
    values.push_back(asUtf8(text));
  return values;
}

json::Value reasonValue(const RefusalReport &reason) {
  return json::Object{{"reason", asUtf8(reason.reason)},
                      {"file", asUtf8(reason.file)},
                      {"line", reason.line},
                      {"count", reason.count},
                      {"nodes", textsValue(reason.nodes)}};
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

json::Value logValue(const RewriteLog &log) {
  json::Array steps;
  for (const RewriteStep &step : log.steps())
    steps.push_back(json::Object{{"iteration", step.iteration},
                                 {"transform", asUtf8(step.transform)},
                                 {"added", textsValue(step.added)},
                                 {"changed", textsValue(step.changed)},
                                 {"removed", textsValue(step.removed)},
                                 {"functions", textsValue(step.functions)}});
  return json::Object{{"text", asUtf8(log.text())}, {"steps", std::move(steps)}};
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
                                   {"regions", std::move(parts)},
                                   {"log", log ? logValue(*log) : json::Value(nullptr)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", whole);
  return text + "\n";
}

} // namespace ClikaRT::graph
