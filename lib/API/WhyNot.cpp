// why_not: the first thing that keeps a rule from replacing what a node is part of.
#include "API/Fail.h"
#include "API/Occurrence.h"
#include "API/Pattern.h"
#include "API/PatternReasons.h"
#include "API/PdlReasons.h"
#include "API/Rules.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Dialect.h"
#include "llvm/ADT/SetVector.h"

#include <ClikaRT/graph.h>
#include <ClikaRT/pattern_transform.h>

#include <algorithm>
#include <limits>

using namespace mlir;
using ClikaRT::graph::RewriteMatch;

namespace clika {
namespace {

/// So many operators are tried as the root of an occurrence that a node may be part of.
constexpr size_t kRootsTried = 256;

class Explanation {
public:
  Explanation(Query &query, const std::string &name, const RuleBody &rule, Operation *op)
      : query(query), name(name), rule(rule), op(op), plan(rule.pattern),
        matcher(query, plan, query->index.nextId(), "the pattern of " + quote(name)) {}

  std::optional<std::string> run() {
    bool part = false;
    for (size_t node = 0; node < plan.nodes().size(); ++node)
      part |= hasCodeOf(op, node);
    if (!part)
      return nodeText(*query, op) + " is none of the pattern's nodes: " + nodesText();
    std::vector<uint64_t> roots = rootsAround();
    if (roots.empty())
      return "no " + plan.nameOf(plan.root) + " is " + std::to_string(plan.reach) + " or fewer edges away from " +
             nodeText(*query, op);
    for (uint64_t root : roots)
      if (Operation *start = query->index.slot(root)->op; start && tryRoot(start))
        return std::nullopt;
    return reason.empty() ? "no occurrence has it as a node" : reason;
  }

private:
  bool hasCodeOf(Operation *candidate, size_t node) const {
    const auto &codes = plan.nodes()[node].codes;
    return codes.empty() ||
           llvm::is_contained(codes, static_cast<ClikaRT::graph::OpCode>(cast<NodeOp>(candidate).getOpCode()));
  }

  std::string nodesText() const {
    std::string text;
    for (size_t node = 0; node < std::min<size_t>(plan.nodes().size(), 8); ++node)
      text += (node ? ", " : "") + plan.nameOf(node);
    return text + (plan.nodes().size() > 8 ? ", …" : "");
  }

  /// The node itself first, then those that the pattern's edges lead to.
  std::vector<uint64_t> rootsAround() {
    llvm::SetVector<Operation *> seen;
    seen.insert(op);
    size_t begin = 0;
    for (size_t depth = 0; depth < plan.reach && begin < seen.size() && seen.size() < 64 * kRootsTried; ++depth) {
      size_t end = seen.size();
      for (; begin < end; ++begin) {
        Operation *at = seen[begin];
        auto visit = [&](Operation *next) {
          if (next && isOperator(next) && infoOf(next) && next->getBlock() == op->getBlock())
            seen.insert(next);
        };
        for (Operation *user : at->getUsers())
          visit(user);
        if (!plan.backwardOnly)
          for (Value operand : at->getOperands())
            visit(operand.getDefiningOp());
      }
    }
    std::vector<uint64_t> roots;
    for (Operation *candidate : seen)
      if (hasCodeOf(candidate, plan.root) && roots.size() < kRootsTried)
        roots.push_back(identityOf(candidate)->id);
    return roots;
  }

  /// As the rule itself searches; only where it finds nothing, once more for what each step is refused for, which
  /// passes over no state that was seen to fail.
  bool tryRoot(Operation *root) {
    matcher.explain = nullptr;
    bool accepted = matcher.enumerate(root, false, [&](const Assignment &assignment) {
      if (!llvm::is_contained(assignment.ops, op))
        return Matcher::Use::Next;
      std::string refusal = refusalOf(assignment);
      if (refusal.empty())
        return Matcher::Use::Stop;
      note(assignment, plan.nodes().size() + 1, std::move(refusal));
      return Matcher::Use::Next;
    });
    if (accepted)
      return true;
    if (matcher.exhausted()) {
      note({}, std::numeric_limits<size_t>::max(),
           "the search from " + nodeText(*query, root) + " was ended after " + std::to_string(kStepsPerRoot) +
               " steps; a pattern with fewer edges that take any operand takes fewer");
      return false;
    }
    matcher.explain = [this](const Assignment &found, size_t count, std::string text) {
      note(found, count, std::move(text));
    };
    matcher.enumerate(root, false, [](const Assignment &) { return Matcher::Use::Next; });
    return false;
  }

  /// Keeps what got furthest; of those what came first, and what has the node before what has not.
  void note(const Assignment &found, size_t count, std::string text) {
    std::pair<bool, size_t> rank{llvm::is_contained(found.ops, op), count};
    if (!reason.empty() && rank <= best)
      return;
    best = rank;
    reason = std::move(text);
  }

  std::string refusalOf(const Assignment &assignment) {
    RewriteMatch match = matchOf(*query, assignment);
    if (match.outputs.empty())
      return "nothing outside the occurrence reads a value that it makes";
    llvm::SmallVector<Operation *> ops = assignment.present();
    if (!Convexity(*query).holds(ops))
      return wayRound(ops);
    if (!rule.condition)
      return "";
    ClikaRT::graph::Decision decision = ask(match);
    if (decision)
      return "";
    if (!decision.reason().empty())
      return "the condition declined it: " + decision.reason();
    return "the condition declined it" + readersOutside(assignment) +
           "; a condition that returns Declined with a reason says why";
  }

  ClikaRT::graph::Decision ask(const RewriteMatch &match) {
    std::string who = "the condition of " + quote(name);
    ForbidEdits forbid(*query, who);
    Unlocked unlocked(query);
    return rule.condition(match);
  }

  /// Who reads what the occurrence makes, but for its root.
  std::string readersOutside(const Assignment &assignment) {
    std::string text;
    for (Operation *inside : assignment.present())
      for (Value result : inside->getResults())
        for (Operation *user : result.getUsers()) {
          Operation *reader = inside->getBlock()->findAncestorOpInBlock(*user);
          if (inside == assignment.ops[plan.root] || llvm::is_contained(assignment.ops, reader))
            continue;
          text += (text.empty() ? " (outside it, " : ", ") + valueText(*query, result) + " is read by " +
                  (isOperator(reader) ? nodeText(*query, reader) : "the graph's output");
        }
    return text + (text.empty() ? "" : ")");
  }

  /// Names a path that leaves `ops` and comes back.
  std::string wayRound(ArrayRef<Operation *> ops) {
    for (Operation *back : ops) {
      llvm::SetVector<Operation *> outside;
      auto enter = [&](Operation *from) -> Operation * {
        for (Value operand : from->getOperands()) {
          Operation *producer = operand.getDefiningOp();
          if (producer && !llvm::is_contained(ops, producer))
            outside.insert(producer);
          else if (producer && from != back)
            return producer;
        }
        return nullptr;
      };
      enter(back);
      for (size_t i = 0; i < outside.size(); ++i)
        if (Operation *left = enter(outside[i]))
          return "it is not convex: a path leaves it at " + nodeText(*query, left) + ", passes " +
                 nodeText(*query, outside[i]) + " and comes back to " + nodeText(*query, back);
    }
    return "it is not convex: a path leaves it and comes back";
  }

  Query &query;
  const std::string &name;
  const RuleBody &rule;
  Operation *const op;
  const PatternPlan plan;
  Matcher matcher;
  std::pair<bool, size_t> best;
  std::string reason;
};

/// The same of a pattern class.
std::optional<std::string> whyNoPattern(ClikaRT::graph::ModelGraph &graph, Query &query, Operation *op,
                                        const ClikaRT::graph::PatternTransform &pattern) {
  std::string who = "match() of " + quote(pattern.name());
  ClikaRT::graph::Node node = query->handleOf(op);
  auto codes = withoutLock(query, who, [&] { return pattern.root_op_codes(); });
  if (!codes.empty())
    checkCodes(codes, "root_op_codes() of " + quote(pattern.name()));
  if (!codes.empty() && !llvm::is_contained(codes, node.op_code()))
    return nodeText(*query, op) + " is of no code that " + quote(pattern.name()) + " looks at";
  ClikaRT::graph::MatchResult result = withoutLock(query, who, [&] { return pattern.match(graph, node); });
  if (!result.nodes.empty())
    return std::nullopt;
  return result.reason.empty() ? who + " found nothing, and gave no reason" : result.reason;
}

/// The same of one of the runtime's transforms, which is tried on a copy of the graph.
std::optional<std::string> whyNoRewrite(Query &query, Operation *op, const RuntimeTransform &transform) {
  uint64_t id = identityOf(op)->id;
  OwningOpRef<ModuleOp> copy = query->module().clone();
  DiagnosticCapture capture(query->mlir());
  NodeListener listener;
  TransformContext context;
  context.module = *copy;
  context.listener = &listener;
  std::string reason;
  context.refused = [&](Operation *at, StringRef text) {
    NodeIdentity *identity = identityOf(at);
    if (identity && identity->id == id && reason.empty())
      reason = text.str();
  };
  if (failed(transform.run(context)))
    return "it fails: " + capture.message("without a reason");
  if (!reason.empty())
    return reason;
  Operation *left = nullptr;
  copy->walk([&](Operation *at) {
    if (NodeIdentity *identity = identityOf(at); identity && identity->id == id)
      left = at;
  });
  bool same = left && left->getName() == op->getName() && left->getAttrDictionary() == op->getAttrDictionary() &&
              left->getNumOperands() == op->getNumOperands();
  return same ? std::optional(nodeText(*query, op) + " is not what " + quote(transform.name) + " looks at")
              : std::nullopt;
}

} // namespace
} // namespace clika

using namespace clika;

namespace ClikaRT::graph {

std::optional<std::string> ModelGraph::why_not(const Transform &rule, const Node &node) const {
  if (!rule.body())
    invalid("why_not", "the rule is an empty handle; give what transforms::rewrite returned");
  const auto *body = std::get_if<RuleBody>(&rule.body()->what);
  const auto *pattern = std::get_if<PatternBody>(&rule.body()->what);
  const auto *runtime = std::get_if<const RuntimeTransform *>(&rule.body()->what);
  const auto *pdl = std::get_if<PdlBody>(&rule.body()->what);
  if (!body && !pattern && !runtime && !pdl)
    fail(Status::Unsupported, "why_not",
         quote(rule.name()) +
             " is a function or a pipeline, which give no reasons; rules, pattern classes, PDL and the "
             "runtime's transforms do");
  ConstantPin pin(core_->mlir());
  Query query(core_, "why_not");
  Operation *op = query->resolve(node, query.call);
  if (!op)
    return quote(node.name()) + " is an input of the graph, and a pattern's nodes are operators";
  if (!infoOf(op))
    return nodeText(*query, op) + " is no operator that a pattern can name";
  if (pdl)
    return PdlReasons(*query, *pdl).whyNot(op);
  if (pattern)
    return whyNoPattern(const_cast<ModelGraph &>(*this), query, op, *pattern->pattern);
  if (runtime)
    return whyNoRewrite(query, op, **runtime);
  return Explanation(query, rule.name(), *body, op).run();
}

} // namespace ClikaRT::graph
