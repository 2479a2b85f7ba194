#include "API/Rules.h"

#include "API/Convexity.h"
#include "API/Fail.h"
#include "API/Insert.h"
#include "API/Pattern.h"

#include <algorithm>
#include <set>

using namespace clika;
using ClikaRT::Tensor;
using ClikaRT::graph::RewriteMatch;

namespace clika {
namespace {

/// An occurrence by ids, which stay good when its operations go.
struct Occurrence {
  uint64_t root;
  std::vector<uint64_t> ids;
};

Occurrence occurrenceOf(mlir::Operation *root, const Assignment &assignment) {
  Occurrence occurrence{identityOf(root)->id, {}};
  for (mlir::Operation *op : assignment)
    occurrence.ids.push_back(op ? identityOf(op)->id : 0);
  return occurrence;
}

class RuleRun {
public:
  RuleRun(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule)
      : rule(rule), name(name), pin(core->mlir()), query(core, "rewrite"),
        matcher(query, rule.pattern, core->index.nextId(), "the pattern of " + quote(name)) {}

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
    std::vector<Occurrence> occurrences = search();
    for (const Occurrence &occurrence : occurrences) {
      if (interrupted && withoutLock("the question whether to stop", interrupted))
        break;
      takeTurn(occurrence);
    }
    return counts;
  }

private:
  std::vector<Occurrence> search() {
    std::vector<mlir::Operation *> ops;
    for (mlir::Operation &op : query->block())
      ops.push_back(&op);
    std::vector<Occurrence> found;
    for (mlir::Operation *op : ops)
      matcher.enumerate(op, [&](const Assignment &assignment) {
        found.push_back(occurrenceOf(op, assignment));
        return true;
      });
    return found;
  }

  /// The operations of an occurrence; empty where one of them has gone.
  Assignment operationsOf(const Occurrence &occurrence) {
    Assignment assignment;
    for (uint64_t id : occurrence.ids) {
      const NodeSlot *slot = query->index.slot(id);
      if (id != 0 && !slot->op)
        return {};
      assignment.push_back(id != 0 ? slot->op : nullptr);
    }
    return assignment;
  }

  void takeTurn(const Occurrence &occurrence) {
    Assignment first = operationsOf(occurrence);
    if (first.empty() || !matcher.stands(first)) {
      ++counts.occurrences;
      ++counts.skipped;
    } else if (consider(first)) {
      return;
    }
    // Another assignment of the same root, if there is one. Declined, it leaves the graph as it was, so that the search
    // can go on where it is.
    const NodeSlot *slot = query->index.slot(occurrence.root);
    if (!slot->op)
      return;
    std::set<Assignment> seen = {first};
    matcher.enumerate(
        slot->op, [&](const Assignment &assignment) { return seen.insert(assignment).second && consider(assignment); });
  }

  /// Replaces the occurrence if it may be and the condition says so.
  bool consider(const Assignment &assignment) {
    ++counts.occurrences;
    llvm::SmallVector<mlir::Operation *> ops;
    for (mlir::Operation *op : assignment)
      if (op)
        ops.push_back(op);
    RewriteMatch match = matchOf(*query, assignment);
    if (match.outputs.empty() || !convexity.holds(ops)) {
      ++counts.skipped;
      return false;
    }
    if (rule.condition && !ask(match)) {
      ++counts.declined;
      return false;
    }
    replace(match);
    ++counts.rewrites;
    return true;
  }

  bool ask(const RewriteMatch &match) {
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
  /// Goes after the lock.
  ConstantPin pin;
  Query query;
  Matcher matcher;
  Convexity convexity{*query};
  RuleCounts counts;
};

} // namespace

RuleCounts applyRule(const std::shared_ptr<GraphCore> &core, const std::string &name, const RuleBody &rule,
                     const std::function<bool()> &interrupted) {
  return RuleRun(core, name, rule).run(interrupted);
}

} // namespace clika

namespace ClikaRT::graph {

std::vector<RewriteMatch> ModelGraph::find_occurrences(const Pattern &pattern) const {
  Query query(core_, "find_occurrences");
  checkPattern(pattern, "find_occurrences: the pattern");
  Matcher matcher(query, pattern, query->index.nextId(), "the pattern");
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
    matcher.enumerate(root, [&](const Assignment &assignment) {
      llvm::SmallVector<mlir::Operation *> ops;
      for (mlir::Operation *op : assignment)
        if (op)
          ops.push_back(op);
      RewriteMatch match = matchOf(*query, assignment);
      if (match.outputs.empty() || !convexity.holds(ops))
        return false;
      matches.push_back(std::move(match));
      return true;
    });
  }
  return matches;
}

} // namespace ClikaRT::graph
