#include "API/Rules.h"

#include "API/Fail.h"
#include "API/LastOp.h"
#include "API/Occurrence.h"
#include "API/Pattern.h"

#include <algorithm>
#include <set>
#include <utility>

using namespace clika;
using ClikaRT::Tensor;
using ClikaRT::graph::RewriteMatch;

namespace clika {
namespace {

class RuleRun {
public:
  RuleRun(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule, RuleSearch &search,
          RootIndex &index, const RuleEnvironment &environment)
      : rule(rule), name(name), search(search), index(index), environment(environment), pin(core->mlir()),
        query(core, "rewrite"), newIds(core->index.nextId()),
        matcher(query, search.plan, newIds, "the pattern of " + quote(name)) {}

  RuleCounts run() {
    const std::function<bool()> &interrupted = environment.interrupted;
    const size_t ahead = search.turnsAhead();
    const std::vector<uint64_t> turns = roots();
    for (auto [i, root] : llvm::enumerate(turns)) {
      if (i + ahead < turns.size())
        search.fetch(*query, turns[i + ahead]);
      if (interrupted && withoutLock(query, "the question whether to stop", [&] { return interrupted(); }))
        break;
      if (environment.goesOn && !environment.goesOn(counts.rewrites))
        break;
      takeTurn(search.occurrence(root));
    }
    for (uint64_t root : search.unfinished())
      addReason(cutText(), root);
    counts.attempts = static_cast<int64_t>(matcher.attempts);
    return counts;
  }

private:
  std::vector<uint64_t> roots() {
    double inRegions = environment.regions.leave();
    std::vector<uint64_t> roots;
    {
      Stopwatch watch(counts.matchSeconds);
      roots = search.search(matcher, *query, index, newIds, environment.regions);
    }
    counts.matchSeconds -= environment.regions.leave() - inRegions;
    return roots;
  }

  static std::string cutText() {
    return "the search from this root was ended after " + std::to_string(kStepsPerRoot) + " steps";
  }

  /// The assignment of an occurrence on the graph as it is; none where a node of it has gone, or they do not match any
  /// more. What it reads may be computed by others than before.
  std::optional<Assignment> assignmentOf(const Occurrence &occurrence) {
    Assignment assignment;
    assignment.ops.reserve(occurrence.ids.size());
    for (uint64_t id : occurrence.ids) {
      const NodeSlot *slot = query->index.slot(id);
      if (id != 0 && !slot->op)
        return std::nullopt;
      assignment.ops.push_back(id != 0 ? slot->op : nullptr);
    }
    search.noteTouched(*query);
    if (!occurrence.ports.empty() || !search.isUntouched(*query, occurrence)) {
      llvm::SmallVector<bool, 8> touched;
      for (uint64_t id : occurrence.ids)
        touched.push_back(id != 0 && search.mayBeTouched(id));
      bool stands = (!occurrence.ports.empty() && matcher.standsAt(assignment, occurrence.ports, touched)) ||
                    matcher.stands(assignment, touched);
      return stands ? std::optional(std::move(assignment)) : std::nullopt;
    }
    assignment.values.reserve(occurrence.values.size());
    for (auto [id, result] : occurrence.values)
      assignment.values.push_back(query->valueOf(id, result, query.call).getAsOpaquePointer());
    return assignment;
  }

  void takeTurn(const Occurrence &occurrence) {
    mlir::Operation *root = query->index.slot(occurrence.root)->op;
    environment.regions.enter(root ? root->getBlock() : nullptr);
    auto before = static_cast<int64_t>(matcher.attempts);
    tryOccurrence(occurrence);
    environment.regions.attempt(static_cast<int64_t>(matcher.attempts) - before);
  }

  void tryOccurrence(const Occurrence &occurrence) {
    std::optional<Assignment> first = assignmentOf(occurrence);
    if (!first) {
      ++counts.occurrences;
      ++counts.skipped.removed;
    } else if (consider(*first, true) == Matcher::Use::Stop) {
      return;
    }
    const NodeSlot *slot = query->index.slot(occurrence.root);
    if (!slot->op || (occurrence.alone && !search.isStale(*query, occurrence.root)))
      return;
    // Another assignment of the same root, if there is one. Declined, it leaves the graph as it was, so that the search
    // can go on where it is.
    // Most often the first one will do, which is found sooner without looking at what may be convex.
    std::optional<Assignment> tried;
    bool isFit = false;
    matcher.enumerate(slot->op, false, [&](const Assignment &assignment) {
      if (first == assignment)
        return Matcher::Use::Stop;
      isFit = consider(assignment, false) == Matcher::Use::Stop;
      if (!isFit)
        tried = assignment;
      return Matcher::Use::Stop;
    });
    if (isFit)
      return;
    std::set<Assignment> seen;
    for (std::optional<Assignment> *known : {&first, &tried})
      if (*known)
        seen.insert(std::move(**known));
    bool others = tried.has_value();
    bool replaced = matcher.enumerate(slot->op, true, [&](const Assignment &assignment) {
      if (!seen.insert(assignment).second)
        return Matcher::Use::Next;
      others = true;
      return consider(assignment, false);
    });
    if (matcher.exhausted())
      addReason(cutText(), occurrence.root);
    else if (!replaced)
      occurrence.alone = !others && matcher.pruned == 0;
  }

  /// Whether all that is read outside comes of an operator that all others feed: no path leaves and returns then.
  bool isReadAtRootAlone(const Assignment &assignment, const RewriteMatch &match) const {
    mlir::Operation *root = assignment.ops[search.plan.root];
    return search.plan.backwardOnly && llvm::all_of(match.outputs, [&](const ClikaRT::graph::Value &output) {
             return output.id() == identityOf(root)->id;
           });
  }

  /// Replaces the occurrence if it may be and the condition says so. Of a root's occurrences that no condition could
  /// accept only the first is counted.
  Matcher::Use consider(const Assignment &assignment, bool isFirst) {
    RewriteMatch match = matchOf(*query, assignment);
    const bool atRoot = isReadAtRootAlone(assignment, match);
    Skip skip = skipOf(assignment.present(), match, atRoot ? nullptr : &convexity, environment.keep);
    if (skip == Skip::Unread || skip == Skip::NotConvex) {
      counts.occurrences += isFirst;
      addSkip(counts.skipped, skip, isFirst);
      return Matcher::Use::Unfit;
    }
    ++counts.occurrences;
    if (skip == Skip::Kept) {
      addSkip(counts.skipped, skip, 1);
      return Matcher::Use::Next;
    }
    if (rule.condition) {
      ClikaRT::graph::Decision decision = ask(match);
      if (!decision) {
        ++counts.declined;
        if (!decision.reason().empty())
          addReason(decision.reason(), identityOf(assignment.ops[search.plan.root])->id);
        return Matcher::Use::Next;
      }
    }
    auto fn = [&](const std::vector<Tensor> &tensors) { return rule.replacement(match, tensors); };
    replacing.place = atRoot ? InsertPlace{assignment.ops[search.plan.root], true} : InsertPlace{};
    replaceMatch(query, match, fn, replacing);
    ++counts.rewrites;
    environment.regions.rewrote();
    return Matcher::Use::Stop;
  }

  void addReason(const std::string &reason, uint64_t root) {
    environment.reasons.add(reason, query->index.slot(root)->name.str());
  }

  ClikaRT::graph::Decision ask(const RewriteMatch &match) {
    double inRegion = 0.0;
    Stopwatch watch(environment.regions.inRegion() ? inRegion : counts.matchSeconds);
    return withoutLock(query, conditionText, [&] { return rule.condition(match); });
  }

  const RuleBody &rule;
  const std::string &name;
  const std::string conditionText = "the condition of " + quote(name);
  LastCalls last;
  ReplaceOptions replacing{.who = "the replacement of " + quote(name), .last = &last};
  RuleSearch &search;
  RootIndex &index;
  const RuleEnvironment &environment;
  /// Goes after the lock.
  ConstantPin pin;
  Query query;
  const uint64_t newIds;
  Matcher matcher;
  Convexity convexity{*query};
  RuleCounts counts;
};

} // namespace

RuleCounts applyRule(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule,
                     RuleSearch &search, RootIndex &index, const RuleEnvironment &environment) {
  return RuleRun(core, name, rule, search, index, environment).run();
}

} // namespace clika

namespace ClikaRT::graph {

std::vector<RewriteMatch> ModelGraph::find_occurrences(const Pattern &pattern) const {
  Query query(core_, "find_occurrences");
  checkPattern(pattern, "find_occurrences: the pattern");
  PatternPlan plan(pattern);
  Matcher matcher(query, plan, query->index.nextId(), "the pattern");
  Convexity convexity(*query);
  std::vector<uint64_t> roots;
  for (mlir::Block *block : blocksOf(*query))
    for (mlir::Operation &op : *block)
      if (isOperator(&op))
        roots.push_back(identityOf(&op)->id);
  std::vector<RewriteMatch> matches;
  for (uint64_t id : roots) {
    mlir::Operation *root = query->index.slot(id)->op;
    if (!root)
      continue;
    bool isFirst = true;
    auto use = [&](const Assignment &assignment) {
      RewriteMatch match = matchOf(*query, assignment);
      if (match.outputs.empty() || !convexity.holds(assignment.present()))
        return isFirst ? Matcher::Use::Stop : Matcher::Use::Unfit;
      matches.push_back(std::move(match));
      isFirst = false;
      return Matcher::Use::Stop;
    };
    // Most often the first will do.
    if (matcher.enumerate(root, false, use) && std::exchange(isFirst, false))
      matcher.enumerate(root, true, use);
  }
  return matches;
}

} // namespace ClikaRT::graph
