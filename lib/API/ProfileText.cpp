// A profile as a table, as JSON, and as a trace.
#include "API/Fail.h"
#include "API/Table.h"
#include "API/Text.h"
#include "Runtime/Counted.h"
#include <ClikaRT/profile.h>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <ostream>

namespace ClikaRT::graph {
namespace {

namespace json = llvm::json;

std::string fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

/// Names may come from a file, in which any bytes stand.
std::string asUtf8(const std::string &text) { return json::isUTF8(text) ? text : json::fixUTF8(text); }

json::Array namesValue(const std::vector<std::string> &names) {
  json::Array values;
  for (const std::string &name : names)
    values.push_back(asUtf8(name));
  return values;
}

double perNanosecond(std::int64_t count, double microseconds) {
  return microseconds > 0 ? static_cast<double>(count) / microseconds * 1e-3 : 0;
}

/// The names of the nodes, cut where they are many.
std::string namesText(const ProfileRow &row) {
  constexpr std::size_t most = 4;
  if (row.nodes.size() <= most)
    return row.nodes.empty() ? "" : row.label();
  ProfileRow first;
  first.nodes.assign(row.nodes.begin(), row.nodes.begin() + most);
  return first.label() + " + " + std::to_string(row.nodes.size() - most) + " more";
}

json::Object eventValue(const std::string &name, double start, double took, json::Object arguments) {
  return json::Object{{"name", asUtf8(name)},        {"ph", "X"}, {"ts", start}, {"dur", took}, {"pid", 1}, {"tid", 1},
                      {"args", std::move(arguments)}};
}

} // namespace

double ProfileRow::gflops() const { return perNanosecond(flops, time_us); }
double ProfileRow::gigabytes() const { return perNanosecond(bytes, time_us); }

std::string ProfileRow::label() const {
  std::string text;
  for (const std::string &node : nodes)
    text += (text.empty() ? "" : " + ") + node;
  return text.empty() ? kernel : text;
}

std::string Profile::to_string() const {
  std::vector<std::vector<std::string>> table = {
      {"kernel", "calls", "us", "%", "MFLOP", "GFLOP/s", "MB", "GB/s", "% of roofline"}};
  for (const ProfileRow &row : rows) {
    auto counted = [&](bool there, double number, int digits) { return there ? fixed(number, digits) : "-"; };
    table.push_back({row.kernel, std::to_string(row.calls), fixed(row.time_us, 1),
                     fixed(total_us > 0 ? row.time_us / total_us * 100 : 0, 1),
                     counted(row.flops, static_cast<double>(row.flops) * 1e-6, 3), counted(row.flops, row.gflops(), 1),
                     counted(row.bytes, static_cast<double>(row.bytes) * 1e-6, 3),
                     counted(row.bytes, row.gigabytes(), 1), counted(row.flops || row.bytes, row.roofline * 100, 1)});
  }
  std::vector<std::string> names = {"nodes"};
  for (const ProfileRow &row : rows)
    names.push_back(namesText(row));
  std::string text = clika::tableText(table, names);
  text += fixed(total_us, 1) + " us a run, medians of " + clika::counted(runs, "run") + " on " +
          clika::counted(threads, "thread") + "; at best " + fixed(peak_gflops, 1) + " GFLOP/s";
  for (const MemoryBandwidth &each : bandwidths)
    text +=
        ", " + fixed(each.gigabytes, 1) + " GB/s in " +
        (each.bytes >= 1 << 20 ? std::to_string(each.bytes >> 20) + " MiB" : std::to_string(each.bytes >> 10) + " KiB");
  return text + "\n";
}

void Profile::print() const { std::fputs(to_string().c_str(), stdout); }

std::string Profile::to_json() const {
  json::Array rowValues, sizes, calls;
  for (const ProfileRow &row : rows)
    rowValues.push_back(json::Object{{"kernel", asUtf8(row.kernel)},
                                     {"nodes", namesValue(row.nodes)},
                                     {"time_us", row.time_us},
                                     {"calls", row.calls},
                                     {"flops", row.flops},
                                     {"bytes", row.bytes},
                                     {"gflops", row.gflops()},
                                     {"gigabytes", row.gigabytes()},
                                     {"roofline", row.roofline}});
  for (const MemoryBandwidth &each : bandwidths)
    sizes.push_back(json::Object{{"bytes", each.bytes}, {"gigabytes", each.gigabytes}});
  for (const ProfileEvent &event : events)
    calls.push_back(json::Object{
        {"row", static_cast<std::int64_t>(event.row)}, {"start_us", event.start_us}, {"time_us", event.time_us}});
  json::Value whole = json::Object{{"rows", std::move(rowValues)},
                                   {"total_us", total_us},
                                   {"runs", runs},
                                   {"threads", threads},
                                   {"peak_gflops", peak_gflops},
                                   {"bandwidths", std::move(sizes)},
                                   {"events", std::move(calls)},
                                   {"run_us", run_us}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", whole);
  return text + "\n";
}

void Profile::to_chrome_trace(const std::string &path) const {
  json::Array values;
  values.push_back(eventValue("run", 0, run_us, {}));
  for (const ProfileEvent &event : events) {
    const ProfileRow &row = rows.at(event.row);
    values.push_back(eventValue(row.label(), event.start_us, event.time_us,
                                json::Object{{"kernel", asUtf8(row.kernel)}, {"nodes", namesValue(row.nodes)}}));
  }
  json::Value whole = json::Object{{"traceEvents", std::move(values)}, {"displayTimeUnit", "ns"}};
  std::string text;
  llvm::raw_string_ostream(text) << whole;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (file)
    file.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!file)
    clika::fail(Status::Io, "to_chrome_trace",
                "the file " + clika::quote(path) + " cannot be written: " + std::strerror(errno));
}

std::ostream &operator<<(std::ostream &os, const Profile &profile) { return os << profile.to_string(); }

} // namespace ClikaRT::graph
