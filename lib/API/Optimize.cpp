#include "API/Optimize.h"

#include "API/Fail.h"
#include "API/Occurrence.h"
#include "API/Picture.h"
#include "API/TextTransforms.h"
#include "Dialect/Diagnostics.h"
#include "Runtime/Aside.h"
#include "Transforms/RewriteRecorder.h"

#include <chrono>
#include <limits>
#include <map>
#include <set>

using namespace clika;

namespace clika {

Snapshot::Snapshot(GraphCore &core) : core(core), copy(core.module().clone()), inputIds(core.index.inputIds()) {
  copy->walk([&](mlir::Operation *op) {
    forEachResource(op, [&](mlir::DenseResourceElementsAttr resource) { holds.emplace_back(resource); });
  });
}

Snapshot::~Snapshot() {
  ConstantPin pin(core.mlir());
  holds.clear();
}

void Snapshot::restore() {
  std::lock_guard lock(core.mutex);
  core.exchange(std::move(copy), inputIds);
}

namespace {

using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::OptimizeOptions;
using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::RewriteLog;
using ClikaRT::graph::Transform;
using ClikaRT::graph::TransformReport;
using Clock = std::chrono::steady_clock;

#ifdef NDEBUG
constexpr bool kDebugBuild = false;
#else
constexpr bool kDebugBuild = true;
#endif

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// As nodes() lists them: those of the regions are counted by a RegionTally.
int64_t countNodes(GraphCore &core) {
  int64_t count = static_cast<int64_t>(core.index.inputIds().size());
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
    std::optional<Checker> checker;
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
      regions.countBefore(core.module());
      begun.emplace(edit);
      if (options.target_device)
        setTarget(core, *options.target_device);
      if (options.record)
        recorder.emplace(core.module(), core.index.inputIds());
      if (llvm::any_of(list,
                       [](const Transform &entry) { return std::holds_alternative<RuleBody>(entry.body()->what); }))
        core.index.touchLog.start();
    }
    Run &run = *begun;
    iterate(run, checker ? &*checker : nullptr);
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
  int64_t countAll() {
    auto count = static_cast<int64_t>(core.index.inputIds().size());
    core.module()->walk([&](mlir::Operation *op) { count += isOperator(op); });
    return count;
  }

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

  void iterate(Run &run, Checker *checker) {
    std::vector<int> ascending = levels();
    size_t level = 0;
    while (!options.max_iterations || report.iterations < *options.max_iterations) {
      ++report.iterations;
      changedNow.clear();
      searches.trim(core);
      for (size_t i = 0; i < list.size(); ++i)
        if (list[i].priority() <= ascending[level])
          step(i, run, checker);
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
  void step(size_t i, Run &run, Checker *checker) {
    checkInterrupted();
    run.enter(list[i].name());
    TransformReport &row = report.transforms[i];
    Clock::time_point start = Clock::now();
    uint64_t before = core.changes;
    const bool verifies = options.verify.value_or(kDebugBuild);
    std::string prefix = "optimize: " + entryText(i) + " failed: ";
    try {
      apply(i);
      if (run.isOrphaned())
        precondition("optimize", "the transform has destroyed the graph that it was given; destroy a graph after "
                                 "optimize() returns");
      if (verifies && !stopRequested())
        graph.verify();
    } catch (const Error &error) {
      throw Error(error.status(), prefix + error.what(), error.code_name());
    } catch (const std::bad_alloc &) {
      throw Error(Status::OutOfMemory, prefix + "there is no memory left");
    } catch (const ClikaRT::detail::PassThrough &) {
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
      compare(*checker, i);
  }

  void compare(Checker &checker, size_t i) {
    try {
      checker.compare(core, list[i].exactness());
    } catch (const Error &error) {
      throw Error(error.status(), "optimize: the check failed after " + entryText(i) + ": " + error.what(),
                  error.code_name());
    }
  }

  void apply(size_t i) {
    const TransformBody &body = *list[i].body();
    TransformReport &row = report.transforms[i];
    Clock::time_point start = Clock::now();
    if (!list[i].is_runtime())
      known.reset();
    if (std::holds_alternative<RuleBody>(body.what) || std::holds_alternative<PatternBody>(body.what)) {
      RuleCounts counts = applySearching(i);
      addCounts(row, counts);
      report.phases.match += counts.matchSeconds;
      report.phases.rewrite += secondsSince(start) - counts.matchSeconds - leaveRegions();
      return;
    }
    double *phase = &report.phases.rewrite;
    if (const auto *function = std::get_if<FunctionBody>(&body.what)) {
      function->run(graph).value();
    } else if (const auto *pipeline = std::get_if<PipelineBody>(&body.what)) {
      applyText([&] { runPipeline(core, *pipeline, firstAge); });
    } else if (const auto *pdl = std::get_if<PdlBody>(&body.what)) {
      applyText([&] {
        TransformContext context = contextOf();
        pdlRules.apply(core, *pdl, context);
        addCounts(row, context);
      });
    } else {
      const RuntimeTransform &runtime = *std::get<const RuntimeTransform *>(body.what);
      phase = &phaseOf(runtime);
      applyRuntime(runtime, row, reasons[i]);
    }
    *phase += secondsSince(start) - leaveRegions();
  }

  /// The seconds that were spent in regions since this was called last.
  double leaveRegions() {
    double all = regions.leave();
    return all - std::exchange(report.phases.regions, all);
  }

  static void addCounts(TransformReport &row, const TransformContext &context) {
    row.attempts += context.attempts;
    row.rewrites += context.rewrites;
  }

  TransformContext contextOf() {
    TransformContext context;
    context.module = core.module();
    context.listener = &core.listener;
    // Not options.interrupted: the lock is held here, and that call may wait for a thread that waits for the lock.
    context.interrupted = stopRequested;
    context.keeps = keeps();
    context.regions = &regions;
    return context;
  }

  static void addCounts(TransformReport &row, const RuleCounts &counts) {
    const ClikaRT::graph::SkipCounts &skipped = counts.skipped;
    row.attempts += counts.attempts;
    row.rewrites += counts.rewrites;
    row.occurrences += counts.occurrences;
    row.declined += counts.declined;
    row.skipped += skipped.removed + skipped.not_convex + skipped.unread + skipped.kept;
    row.skipped_by.removed += skipped.removed;
    row.skipped_by.not_convex += skipped.not_convex;
    row.skipped_by.unread += skipped.unread;
    row.skipped_by.kept += skipped.kept;
  }

  RuleCounts applySearching(size_t i) {
    const TransformBody &body = *list[i].body();
    RuleEnvironment environment{options.interrupted, keep, reasons[i], regions};
    if (const auto *pattern = std::get_if<PatternBody>(&body.what))
      return applyPattern(graph, kept, *pattern->pattern, environment);
    const auto &rule = std::get<RuleBody>(body.what);
    return applyRule(kept, body.name, rule, searches.of(i, rule.pattern), searches.index, environment);
  }

  /// Whether an operation is one of `keep`; null where that is empty.
  std::function<bool(mlir::Operation *)> keeps() const {
    if (keep.empty())
      return nullptr;
    return [this](mlir::Operation *op) {
      const NodeIdentity *identity = identityOf(op);
      return identity && keep.contains(identity->id);
    };
  }

  double &phaseOf(const RuntimeTransform &transform) {
    if (transform.name == "fold_constants")
      return report.phases.fold;
    return isCleanup(transform) ? report.phases.cleanup : report.phases.rewrite;
  }

  void applyText(llvm::function_ref<void()> run) {
    ConstantPin pin(core.mlir());
    std::lock_guard lock(core.mutex);
    run();
  }

  /// What the graph holds as it is.
  const Inventory &inventory() {
    if (!known || knownAt != core.changes) {
      known.emplace(core.module());
      knownAt = core.changes;
    }
    return *known;
  }

  void applyRuntime(const RuntimeTransform &transform, TransformReport &row, ReasonTally &tally) {
    ConstantPin pin(core.mlir());
    std::lock_guard lock(core.mutex);
    DiagnosticCapture capture(core.mlir());
    TransformContext context = contextOf();
    context.patterns = &patterns;
    context.inventory = &inventory();
    context.foldLimit = options.fold_limit;
    if (options.explain)
      context.refused = [&](mlir::Operation *op, llvm::StringRef reason) { tally.add(reason.str(), core.nameOf(op)); };
    bool ok = mlir::succeeded(transform.run(context));
    core.index.settle();
    addCounts(row, context);
    if (!ok || capture.any())
      fail(Status::Internal, transform.name.str(), capture.message("it failed without a reason"));
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
  /// like this for ever.
  void checkCycle(const std::string &advice) {
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
  PatternCache patterns;
  std::optional<Inventory> known;
  /// The count of changes that `known` is of.
  uint64_t knownAt = 0;
  std::optional<RewriteRecorder> recorder;
  PdlCache pdlRules;
  RegionTally regions;
  RuleSearches searches{options.full_search};
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
