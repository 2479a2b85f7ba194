// profile: runs of code that tells when each of its kernels begins and ends, and what they are summed up to.
#include "API/CompiledGraph.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "Pipelines/MachinePeak.h"
#include "Runtime/Aside.h"
#include "Runtime/ProfileRecorder.h"
#include <ClikaRT/profile.h>

#include <algorithm>
#include <new>
#include <numeric>

using namespace clika;

namespace ClikaRT::graph {
namespace {

constexpr std::int64_t kMostRuns = 100'000;

void checkCount(const char *what, std::int64_t count, std::int64_t least) {
  if (count < least || count > kMostRuns)
    invalid("profile", std::string(what) + " is " + std::to_string(count) + "; it takes " + std::to_string(least) +
                           " to " + std::to_string(kMostRuns));
}

double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct MeasuredRun {
  double microseconds = 0;
  std::vector<ProfileMark> marks;
};

MeasuredRun measureRun(const CompiledGraph &graph, const std::vector<Tensor> &inputs) {
  ProfileRecorder recorder;
  std::int64_t start = recorder.now();
  std::vector<Tensor> results = graph.run(inputs, "profile");
  std::int64_t end = recorder.now();
  if (!recorder.isComplete())
    throw std::bad_alloc();
  MeasuredRun run{static_cast<double>(end - start) * 1e-3, std::move(recorder.marks)};
  for (ProfileMark &mark : run.marks) {
    mark.begin -= start;
    mark.end -= start;
  }
  return run;
}

/// Sums up the runs, kernel by kernel.
class Summary {
public:
  Summary(const std::vector<ProfiledKernel> &kernels, const MachinePeak &peak) : peak(peak), rows(kernels.size()) {
    for (std::size_t i = 0; i != kernels.size(); ++i) {
      rows[i].row.kernel = kernels[i].name;
      rows[i].row.nodes = kernels[i].nodes;
    }
  }

  void add(const MeasuredRun &run) {
    for (Entry &entry : rows)
      entry.times.push_back(0);
    double rest = run.microseconds;
    bool isFirst = others.empty();
    for (const ProfileMark &mark : run.marks) {
      Entry &entry = rows[static_cast<std::size_t>(mark.kernel)];
      double took = static_cast<double>(mark.end - mark.begin) * 1e-3;
      entry.times.back() += took;
      rest -= took;
      if (!isFirst)
        continue;
      ++entry.row.calls;
      entry.row.flops += mark.flops;
      entry.row.bytes += mark.bytes;
      entry.least += std::max(static_cast<double>(mark.flops) / peak.flops,
                              static_cast<double>(mark.bytes) / peak.bandwidthOf(mark.bytes));
    }
    others.push_back(rest);
  }

  void into(Profile &profile, const MeasuredRun &median) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i != rows.size(); ++i)
      if (rows[i].row.calls) {
        rows[i].row.time_us = medianOf(rows[i].times);
        order.push_back(i);
      }
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return rows[i].row.time_us; });
    std::vector<std::size_t> placeOf(rows.size());
    for (std::size_t i : order) {
      placeOf[i] = profile.rows.size();
      ProfileRow &row = profile.rows.emplace_back(rows[i].row);
      row.roofline = row.time_us > 0 ? rows[i].least * 1e6 / row.time_us : 0;
    }
    ProfileRow &other = profile.rows.emplace_back();
    other.kernel = "other";
    other.calls = 1;
    other.time_us = medianOf(others);
    for (const ProfileRow &row : profile.rows)
      profile.total_us += row.time_us;
    profile.run_us = median.microseconds;
    for (const ProfileMark &mark : median.marks)
      profile.events.push_back({placeOf[static_cast<std::size_t>(mark.kernel)], static_cast<double>(mark.begin) * 1e-3,
                                static_cast<double>(mark.end - mark.begin) * 1e-3});
  }

private:
  struct Entry {
    ProfileRow row;
    double least = 0; // seconds
    std::vector<double> times;
  };

  const MachinePeak &peak;
  std::vector<Entry> rows;
  std::vector<double> others;
};

Profile measure(const CompiledGraph &graph, const std::vector<Tensor> &inputs, const ProfileOptions &options) {
  const ProgramCode &code = graph.compiledProgram().parts();
  const MachinePeak &peak = machinePeak(code.threads);
  Summary summary(code.kernels, peak);
  std::vector<MeasuredRun> runs;
  for (std::int64_t i = -options.warmup; i < options.runs; ++i) {
    if (stopRequested())
      interrupted("profile", "the call was interrupted");
    MeasuredRun run = measureRun(graph, inputs);
    if (i < 0)
      continue;
    summary.add(run);
    runs.push_back(std::move(run));
  }
  auto median = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::ranges::nth_element(runs, median, {}, &MeasuredRun::microseconds);
  Profile profile;
  profile.runs = options.runs;
  profile.threads = static_cast<int>(code.threads);
  profile.peak_gflops = peak.flops * 1e-9;
  for (const MachinePeak::Bandwidth &each : peak.bandwidths)
    profile.bandwidths.push_back({each.bytes, each.perSecond * 1e-9});
  summary.into(profile, *median);
  return profile;
}

} // namespace

Profile ModelGraph::profile(const std::vector<Tensor> &inputs) { return profile(inputs, ProfileOptions()); }

Profile ModelGraph::profile(const std::vector<Tensor> &inputs, const ProfileOptions &options) {
  checkCount("runs", options.runs, 1);
  checkCount("warmup", options.warmup, 0);
  try {
    std::shared_ptr<const CompiledGraph> marked;
    {
      Query query(core_, "profile");
      std::shared_ptr<CompiledGraph> compiled = CompiledGraph::of(query);
      checkInputs(compiled->inputs(), inputs, query.call);
      marked = compiled->profiled(query);
    }
    return measure(*marked, inputs, options);
  } catch (const std::bad_alloc &) {
    fail(Status::OutOfMemory, "profile",
         "there is not enough memory to measure the graph; free some, or take fewer runs");
  }
}

} // namespace ClikaRT::graph
