#include "API/Optimize.h"

#include "API/Checker.h"
#include "API/EntryRunner.h"
#include "API/Fail.h"
#include "API/GuiltyRewrite.h"
#include "API/Picture.h"
#include "Runtime/Aside.h"
#include "Transforms/RewriteRecorder.h"

#include <limits>
#include <map>
#include <set>

using namespace clika;

namespace clika {

Snapshot::Snapshot(GraphCore &core)
    : core(core), record(std::in_place, core.module(), &core.index), inputIds(core.index.inputIds()),
      functionIds(core.index.functionIds()) {}

Snapshot::~Snapshot() {
  ConstantPin pin(core.mlir());
  record.reset();
}

void Snapshot::restore() {
  std::lock_guard lock(core.mutex);
  core.exchange(module(), inputIds, functionIds);
}

namespace {

using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::OptimizeOptions;
using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::RewriteLog;
using ClikaRT::graph::Transform;
using ClikaRT::graph::TransformReport;

#ifdef NDEBUG
constexpr bool kDebugBuild = false;
#else
constexpr bool kDebugBuild = true;
#endif

/// As nodes() lists them: those of the regions are counted by a RegionTally.
int64_t countNodes(GraphCore &core) {
  int64_t count = static_cast<int64_t>(core.index.inputIds().size());
  if (!core.index.hasNested())
    return count + core.index.operatorCount();
  for (mlir::Operation &op : core.block())
    count += isOperator(&op);
  return count;
}

/// Marks the graph as inside optimize() and, unless the run is committed, puts it back as it was.
class Run {
public:
  explicit Run(Edit &edit) : core(*edit), snapshot(core) {
    state.thread = std::this_thread::get_id();
    core.run = &state;
  }
  ~Run() {
    if (!committed)
      snapshot.restore();
    std::lock_guard lock(core.mutex);
    core.run = nullptr;
    core.index.touchLog.stop();
  }
  void enter(const std::string &name) {
    std::lock_guard lock(core.mutex);
    state.entry = name;
  }
  bool isOrphaned() const { return state.orphaned; }
  std::vector<ModuleRecord::Operator> takeOperators() { return snapshot.takeOperators(); }
  bool committed = false;

private:
  GraphCore &core;
  RunState state;
  Snapshot snapshot;
};

class Optimizer {
public:
  Optimizer(ModelGraph &graph, const std::vector<Transform> &list, const OptimizeOptions &options)
      : graph(graph), kept(graph.core()), core(*kept), options(options), list(list) {}

  OptimizeReport run() {
    Clock::time_point start = Clock::now();
    checkOptions();
    report.nodes_before = countNodes(core);
    setLimits();
    for (const Transform &transform : list)
      report.transforms.emplace_back(transform);
    reasons.resize(list.size());
    std::optional<Run> begun;
    {
      // Another thread may have begun since the list was checked.
      Edit edit(kept, "optimize");
      resolveKept(edit);
      if (options.target_device)
        checkTarget(core, *options.target_device, edit.call);
      if (options.check)
        checker.emplace(core, *options.check);
      report.before = pictureOf(core);
      if (core.index.hasNested())
        regions.countBefore(core.module());
      begun.emplace(edit);
      if (options.record)
        recorder.emplace(core.module(), core.index.inputIds());
      if (options.target_device)
        setTarget(core, *options.target_device);
      core.index.touchLog.start();
      runner.start(begun->takeOperators());
    }
    Run &run = *begun;
    iterate(run);
    if (recorder)
      report.log = RewriteLog::from_text(recorder->text(core.module()));
    run.committed = true;
    finishReport();
    report.seconds = secondsSince(start);
    return std::move(report);
  }

private:
  void resolveKept(Edit &edit) {
    for (size_t i = 0; i < options.keep.size(); ++i) {
      std::string call = "optimize: keep[" + std::to_string(i) + "]";
      if (core.resolve(options.keep[i], call))
        keep.insert(options.keep[i].id());
      else
        invalid(call,
                quote(options.keep[i].name()) + " is an input of the graph, which no rule consumes; list operators");
    }
  }

  void finishReport() {
    std::lock_guard lock(core.mutex);
    report.nodes_after = countNodes(core);
    report.after = pictureOf(core);
    if (core.index.hasNested())
      regions.countAfter(core.module());
    for (const RegionTally::Row &row : regions.rows())
      report.regions.push_back({row.path, row.attempts, row.rewrites, row.seconds, row.nodesBefore, row.nodesAfter});
    for (size_t i = 0; i < list.size(); ++i) {
      report.transforms[i].reasons = reasons[i].list();
      report.rewrites += report.transforms[i].rewrites;
    }
  }

  void checkOptions() const {
    if (options.fold_limit < 0)
      invalid("optimize", "fold_limit is " + std::to_string(options.fold_limit) + " bytes; give 0 or more");
    if (options.max_iterations && *options.max_iterations < 0)
      invalid("optimize", "max_iterations is " + std::to_string(*options.max_iterations) +
                              "; it is a number of passes over the list, 0 or more, or unset");
  }

  void setLimits() {
    startSize = countAll();
    iterationLimit = 1000 + 10 * startSize;
  }

  /// The inputs, and the operators of every region.
  int64_t countAll() const { return static_cast<int64_t>(core.index.inputIds().size()) + core.index.operatorCount(); }

  /// The levels of priority, ascending; one above all where the order is the list's.
  std::vector<int> levels() const {
    std::set<int> found;
    if (options.order == ClikaRT::graph::Order::Priority)
      for (const Transform &transform : list)
        found.insert(transform.priority());
    if (found.empty())
      found.insert(std::numeric_limits<int>::max());
    return {found.begin(), found.end()};
  }

  void iterate(Run &run) {
    std::vector<int> ascending = levels();
    size_t level = 0;
    while (!options.max_iterations || report.iterations < *options.max_iterations) {
      ++report.iterations;
      changedNow.clear();
      runner.trim();
      for (size_t i = 0; i < list.size(); ++i)
        if (list[i].priority() <= ascending[level])
          step(i, run);
      if (!changedNow.empty()) {
        checkLimits();
        continue;
      }
      if (++level == ascending.size()) {
        report.converged = true;
        return;
      }
      ends.clear();
    }
  }

  std::string entryText(size_t i) const { return "transforms[" + std::to_string(i) + "] (" + list[i].name() + ")"; }

  /// Runs one entry; whatever fails in it gets the entry's place before its message.
  void step(size_t i, Run &run) {
    checkInterrupted();
    run.enter(list[i].name());
    TransformReport &row = report.transforms[i];
    Clock::time_point start = Clock::now();
    const uint64_t before = core.changes;
    const int64_t rewritesBefore = row.rewrites;
    if (checker && !beforeEntry) {
      std::lock_guard lock(core.mutex);
      beforeEntry.emplace(core);
    }
    const bool verifies = options.verify.value_or(kDebugBuild);
    std::string prefix = "optimize: " + entryText(i) + " failed: ";
    try {
      runner.apply(i, {row, report.phases, reasons[i], regions});
      if (run.isOrphaned())
        precondition("optimize", "the transform has destroyed the graph that it was given; destroy a graph after "
                                 "optimize() returns");
      if (verifies && !stopRequested())
        graph.verify();
    } catch (const Error &error) {
      throw Error(error.status(), prefix + error.what(), error.code_name());
    } catch (const std::bad_alloc &) {
      throw Error(Status::OutOfMemory, prefix + "there is no memory left");
    } catch (const ClikaRT::detail::PassThrough &thrown) {
      if (thrown.note)
        thrown.note(thrown.original, "in optimize: " + entryText(i));
      throw;
    } catch (const std::exception &error) {
      throw Error(Status::Internal, prefix + error.what());
    } catch (...) {
      throw Error(Status::Internal, prefix + "it threw something that is no std::exception");
    }
    row.seconds += secondsSince(start);
    checkInterrupted();
    if (core.changes == before)
      return;
    ++row.applications;
    if (recorder) {
      std::lock_guard lock(core.mutex);
      recorder->step(core.module(), core.index.inputIds(), list[i].name(), report.iterations);
    }
    changedNow.push_back(i);
    if (checker)
      compare(i, row.rewrites - rewritesBefore);
  }

  void compare(size_t i, int64_t rewrites) {
    try {
      checker->compare(core, list[i].exactness());
    } catch (const Error &error) {
      checkInterrupted();
      throw Error(error.status(),
                  "optimize: the check failed after " + entryText(i) + " in iteration " +
                      std::to_string(report.iterations) + ": " + error.what() + guiltyClause(i, rewrites),
                  error.code_name());
    }
    beforeEntry.reset();
  }

  /// Which of the rewrites that entry `i` has just made is to blame. Its callbacks are called again; where one fails
  /// now, nothing is known.
  std::string guiltyClause(size_t i, int64_t rewrites) {
    OptimizeOptions quiet = options;
    quiet.explain = false;
    auto apply = [&](const RewriteGuard &goesOn) {
      checkInterrupted();
      TransformReport row(list[i]);
      ClikaRT::graph::PhaseSeconds phases;
      ReasonTally tally;
      RegionTally uncounted;
      EntryRunner(graph, kept, list, quiet, keep).apply(i, {row, phases, tally, uncounted}, goesOn);
    };
    GuiltyRewrite guilty(core, *beforeEntry, apply, [&] { return checker->differs(core, list[i].exactness()); });
    try {
      return guilty.clause(rewrites);
    } catch (...) {
      checkInterrupted();
      return "";
    }
  }

  void checkInterrupted() const {
    if ((options.interrupted && options.interrupted()) || stopRequested())
      interrupted("optimize", "the run was interrupted, and every change of it undone");
  }

  std::string changedText() const {
    std::string text;
    std::set<std::string> named;
    for (size_t i : changedNow)
      if (named.insert(list[i].name()).second)
        text += (text.empty() ? "" : ", ") + quote(list[i].name());
    return text;
  }

  void checkLimits() {
    if (options.max_iterations)
      return;
    std::string advice = "; make each apply only where it changes something for good, or give max_iterations";
    if (report.iterations >= iterationLimit)
      fail(Status::InvalidArgument, "optimize",
           "after " + std::to_string(report.iterations) + " iterations these still change the graph: " + changedText() +
               advice,
           "NOT_CONVERGED");
    if (int64_t now = countAll(); now > 10 * startSize + 10000)
      fail(Status::InvalidArgument, "optimize",
           "the graph has grown from " + std::to_string(startSize) + " to " + std::to_string(now) +
               " nodes, and these still change it: " + changedText() + advice,
           "NOT_CONVERGED");
    checkCycle(advice);
  }

  /// The same graph at the end of two iterations, with nothing but rules and the runtime's entries between: they go on
  /// like this for ever. Most runs have ended before the first comparison.
  void checkCycle(const std::string &advice) {
    constexpr int64_t kFirstCompared = 3;
    if (report.iterations < kFirstCompared)
      return;
    for (size_t i : changedNow)
      if (std::holds_alternative<FunctionBody>(list[i].body()->what)) {
        ends.clear();
        break;
      }
    auto [seen, added] = ends.try_emplace(fingerprint(core, firstAge), report.iterations);
    if (added)
      return;
    fail(Status::InvalidArgument, "optimize",
         "the graph after iteration " + std::to_string(report.iterations) + " is that after iteration " +
             std::to_string(seen->second) + " again, in a cycle of " + changedText() + advice,
         "NOT_CONVERGED");
  }

  /// Asked only where a transform may not have destroyed it.
  ModelGraph &graph;
  const std::shared_ptr<GraphCore> kept;
  GraphCore &core;
  const OptimizeOptions &options;
  const std::vector<Transform> list;
  OptimizeReport report;
  /// One per entry.
  std::vector<ReasonTally> reasons;
  llvm::DenseSet<uint64_t> keep;
  EntryRunner runner{graph, kept, list, options, keep};
  std::optional<Checker> checker;
  /// Where the graph is checked: what it was before the entry at hand.
  std::optional<Snapshot> beforeEntry;
  std::optional<RewriteRecorder> recorder;
  RegionTally regions;
  /// The entries that changed the graph in this iteration.
  std::vector<size_t> changedNow;
  int64_t startSize = 0, iterationLimit = 0;
  /// Constants of this age or a greater one were made by the run.
  const uint64_t firstAge = ConstantStore::of(core.mlir()).nextAge();
  std::map<std::pair<uint64_t, uint64_t>, int64_t> ends;
};

} // namespace
} // namespace clika

namespace ClikaRT::graph {

OptimizeReport ModelGraph::optimize() { return optimize(OptimizeOptions()); }

OptimizeReport ModelGraph::optimize(const OptimizeOptions &options) {
  std::vector<Transform> list = options.transforms ? *options.transforms : default_transforms();
  {
    Query query(core_, "optimize");
    refuseInsideOptimize(*query, query.call);
  }
  {
    Edit edit(core_, "optimize");
    checkList(list, options.order);
  }
  try {
    return Optimizer(*this, list, options).run();
  } catch (const detail::PassThrough &error) {
    std::rethrow_exception(error.original);
  }
}

} // namespace ClikaRT::graph
