#include "API/EntryRunner.h"

#include "API/Fail.h"
#include "API/Occurrence.h"
#include "Dialect/Diagnostics.h"
#include "Runtime/Aside.h"
#include "Transforms/NodeListener.h"

using ClikaRT::graph::PhaseSeconds;
using ClikaRT::graph::TransformReport;

namespace clika {
namespace {

void addCounts(TransformReport &row, const RuleCounts &counts) {
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

void addCounts(TransformReport &row, const TransformContext &context) {
  row.attempts += context.attempts;
  row.rewrites += context.rewrites;
}

/// The seconds that were spent in regions since this was called last.
double leaveRegions(EntryResult result) {
  double all = result.regions.leave();
  return all - std::exchange(result.phases.regions, all);
}

double &phaseOf(PhaseSeconds &phases, const RuntimeTransform &transform) {
  if (transform.name == "fold_constants")
    return phases.fold;
  return isCleanup(transform) ? phases.cleanup : phases.rewrite;
}

} // namespace

void EntryRunner::apply(size_t entry, EntryResult result, const RewriteGuard &goesOn) {
  const TransformBody &body = *list[entry].body();
  TransformReport &row = result.row;
  Clock::time_point start = Clock::now();
  if (std::holds_alternative<RuleBody>(body.what) || std::holds_alternative<PatternBody>(body.what)) {
    RuleCounts counts = applySearching(entry, result, goesOn);
    addCounts(row, counts);
    result.phases.match += counts.matchSeconds;
    result.phases.rewrite += secondsSince(start) - counts.matchSeconds - leaveRegions(result);
    return;
  }
  double *phase = &result.phases.rewrite;
  if (const auto *function = std::get_if<FunctionBody>(&body.what)) {
    function->run(graph).value();
  } else if (const auto *pipeline = std::get_if<PipelineBody>(&body.what)) {
    applyText([&] { runPipeline(core, *pipeline, firstAge); });
  } else if (const auto *pdl = std::get_if<PdlBody>(&body.what)) {
    applyText([&] {
      TransformContext context = contextOf(result, goesOn);
      if (options.explain)
        context.unmatched = [&](mlir::Operation *op) {
          if (std::optional<PdlRefusal> refusal = pdlRules.reasonsOf(*pdl).atRoot(op))
            result.reasons.add(refusal->inGeneral, core.nameOf(op), refusal->line ? "<pdl>" : "", refusal->line);
        };
      pdlRules.apply(*pdl, context);
      addCounts(row, context);
    });
  } else {
    const RuntimeTransform &runtime = *std::get<const RuntimeTransform *>(body.what);
    phase = &phaseOf(result.phases, runtime);
    applyRuntime(runtime, result, goesOn);
  }
  *phase += secondsSince(start) - leaveRegions(result);
}

RuleCounts EntryRunner::applySearching(size_t entry, EntryResult result, const RewriteGuard &goesOn) {
  const TransformBody &body = *list[entry].body();
  RuleEnvironment environment{options.interrupted, keep, result.reasons, result.regions, goesOn};
  if (const auto *pattern = std::get_if<PatternBody>(&body.what))
    return applyPattern(graph, kept, *pattern->pattern, environment);
  const auto &rule = std::get<RuleBody>(body.what);
  return applyRule(kept, body.name, rule, searches.of(entry, rule.pattern), searches.index, environment);
}

TransformContext EntryRunner::contextOf(EntryResult result, const RewriteGuard &goesOn) {
  TransformContext context;
  context.module = core.module();
  context.listener = &core.listener;
  // Not options.interrupted: the lock is held here, and that call may wait for a thread that waits for the lock.
  context.interrupted = stopRequested;
  context.goesOn = goesOn;
  context.keeps = keepsOf(keep);
  context.regions = &result.regions;
  context.inventory = &inventory;
  context.mayHaveRegions = core.index.hasRegions();
  context.fetchBeyond = [this](mlir::Operation *op, int64_t distance) {
    if (const NodeIdentity *identity = identityOf(op))
      core.index.fetch(identity->id + static_cast<uint64_t>(distance));
  };
  return context;
}

void EntryRunner::applyText(llvm::function_ref<void()> run) {
  ConstantPin pin(core.mlir());
  std::lock_guard lock(core.mutex);
  run();
}

void EntryRunner::applyRuntime(const RuntimeTransform &transform, EntryResult result, const RewriteGuard &goesOn) {
  ConstantPin pin(core.mlir());
  std::lock_guard lock(core.mutex);
  DiagnosticCapture capture(core.mlir());
  TransformContext context = contextOf(result, goesOn);
  context.patterns = &patterns;
  context.foldLimit = options.fold_limit;
  if (!options.fold_excluded.empty())
    context.foldExcludes = [this](mlir::Operation *op) {
      const OpInfo *info = infoOf(op);
      return info && llvm::is_contained(options.fold_excluded, static_cast<ClikaRT::graph::OpCode>(info->code));
    };
  if (options.explain)
    context.refused = [&](mlir::Operation *op, llvm::StringRef reason) {
      result.reasons.add(reason.str(), core.nameOf(op));
    };
  bool ok = mlir::succeeded(transform.run(context));
  core.index.settle();
  addCounts(result.row, context);
  if (!ok || capture.any())
    fail(Status::Internal, transform.name.str(), capture.message("it failed without a reason"));
}

} // namespace clika
