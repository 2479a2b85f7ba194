#include "API/Rules.h"

#include "API/Convexity.h"
#include "API/Fail.h"
#include "API/Insert.h"
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
          RootIndex &index)
      : rule(rule), name(name), search(search), index(index), pin(core->mlir()), query(core, "rewrite"),
        newIds(core->index.nextId()), matcher(query, search.plan, newIds, "the pattern of " + quote(name)) {}

private:
  template <class Callback>
  auto withoutLock(const std::string &who, Callback callback) {
    ForbidEdits forbid(*query, who);
    query.unlock();
    struct Relock {
      Query &query;
      ~Relock() { query.relock(); }
    } relock{query};
    return callback();
  }

public:
  RuleCounts run(const std::function<bool()> &interrupted) {
    for (uint64_t root : search.search(matcher, *query, index, newIds)) {
      if (interrupted && withoutLock("the question whether to stop", interrupted))
        break;
      takeTurn(search.occurrence(root));
    }
    for (uint64_t root : search.unfinished())
      addReason(cutText(), root);
    return std::move(counts);
  }

private:
  static std::string cutText() {
    return "the search from this root was ended after " + std::to_string(kStepsPerRoot) + " steps";
  }

  /// The assignment of an occurrence on the graph as it is; none where a node or value of it has gone.
  std::optional<Assignment> assignmentOf(const Occurrence &occurrence) {
    Assignment assignment;
    for (uint64_t id : occurrence.ids) {
      const NodeSlot *slot = query->index.slot(id);
      if (id != 0 && !slot->op)
        return std::nullopt;
      assignment.ops.push_back(id != 0 ? slot->op : nullptr);
    }
    for (auto [id, result] : occurrence.values) {
      if (!query->index.slot(id)->live())
        return std::nullopt;
      assignment.values.push_back(query->valueOf(id, result, query.call).getAsOpaquePointer());
    }
    return assignment;
  }

  void takeTurn(Occurrence &occurrence) {
    std::optional<Assignment> first = assignmentOf(occurrence);
    if (!first || !matcher.stands(*first)) {
      ++counts.occurrences;
      ++counts.skipped;
      ++counts.gone;
    } else if (consider(*first, true) == Matcher::Use::Stop) {
      return;
    }
    const NodeSlot *slot = query->index.slot(occurrence.root);
    if (!slot->op || (!search.isStale(*query, occurrence.root) && occurrence.alone))
      return;
    // Another assignment of the same root, if there is one. Declined, it leaves the graph as it was, so that the search
    // can go on where it is.
    std::set<Assignment> seen;
    if (first)
      seen.insert(*first);
    bool others = false;
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

  /// Replaces the occurrence if it may be and the condition says so. Of a root's occurrences that no condition could
  /// accept only the first is counted.
  Matcher::Use consider(const Assignment &assignment, bool isFirst) {
    RewriteMatch match = matchOf(*query, search.plan, assignment);
    bool unread = match.outputs.empty();
    if (unread || !convexity.holds(assignment.present())) {
      counts.occurrences += isFirst;
      counts.skipped += isFirst;
      (unread ? counts.unread : counts.notConvex) += isFirst;
      return Matcher::Use::Unfit;
    }
    ++counts.occurrences;
    if (rule.condition) {
      ClikaRT::graph::Decision decision = ask(match);
      if (!decision) {
        ++counts.declined;
        if (!decision.reason().empty())
          addReason(decision.reason(), identityOf(assignment.ops[search.plan.root])->id);
        return Matcher::Use::Next;
      }
    }
    replace(match);
    ++counts.rewrites;
    return Matcher::Use::Stop;
  }

  void addReason(const std::string &reason, uint64_t root) {
    auto [place, added] = reasonPlaces.try_emplace(reason, counts.reasons.size());
    if (added)
      counts.reasons.push_back({reason, 0, query->index.slot(root)->name.str()});
    ++counts.reasons[place->second].count;
  }

  ClikaRT::graph::Decision ask(const RewriteMatch &match) {
    return withoutLock("the condition of " + quote(name), [&] { return rule.condition(match); });
  }

  void replace(const RewriteMatch &match) {
    llvm::SmallVector<mlir::Value> inputs, outputs;
    llvm::SmallVector<mlir::Type> types;
    std::vector<std::string> names;
    for (const auto &value : match.inputs) {
      inputs.push_back(query->resolve(value, query.call));
      types.push_back(inputs.back().getType());
      names.push_back(query->nameOf(inputs.back()));
    }
    for (const auto &value : match.outputs)
      outputs.push_back(query->resolve(value, query.call));
    std::string who = "the replacement of " + quote(name);
    auto fn = [&](const std::vector<Tensor> &tensors) { return rule.replacement(match, tensors); };
    Recording recording = withoutLock(who, [&] { return record(*query, fn, types, names, query.call); });
    checkReplacement(*query, outputs, recording, query.call, who);
    replaceValues(*query, outputs, std::move(recording), inputs, query.call);
  }

  const RuleBody &rule;
  const std::string &name;
  RuleSearch &search;
  RootIndex &index;
  /// Goes after the lock.
  ConstantPin pin;
  Query query;
  const uint64_t newIds;
  Matcher matcher;
  Convexity convexity{*query};
  RuleCounts counts;
  std::map<std::string, size_t> reasonPlaces;
};

} // namespace

RuleCounts applyRule(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule,
                     RuleSearch &search, RootIndex &index, const std::function<bool()> &interrupted) {
  return RuleRun(core, name, rule, search, index).run(interrupted);
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
  for (mlir::Operation &op : query->block())
    if (isOperator(&op))
      roots.push_back(identityOf(&op)->id);
  std::vector<RewriteMatch> matches;
  for (uint64_t id : roots) {
    mlir::Operation *root = query->index.slot(id)->op;
    if (!root)
      continue;
    bool isFirst = true;
    auto use = [&](const Assignment &assignment) {
      RewriteMatch match = matchOf(*query, plan, assignment);
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
