// Pattern classes: made, and run once over a graph.
#include <ClikaRT/pattern_transform.h>

#include "API/Fail.h"
#include "API/LastOp.h"
#include "API/Occurrence.h"
#include "API/Pattern.h"
#include "API/Trace.h"
#include "API/TransformNames.h"
#include "Dialect/Dialect.h"

#include <algorithm>

using namespace clika;
using ClikaRT::Tensor;
using ClikaRT::graph::MatchResult;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Node;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::PatternTransform;
using ClikaRT::graph::RewriteMatch;

namespace clika {
namespace {

/// What match() found at a node, by ids, which stay good when operations go.
struct FoundNodes {
  uint64_t root = 0;
  /// 0: a role that is lacking.
  std::vector<uint64_t> ids;
  uint64_t place = 0;
};

class PatternRun {
public:
  PatternRun(ModelGraph &graph, const std::shared_ptr<GraphCore> &core, const PatternTransform &pattern,
             const RuleEnvironment &environment)
      : graph(graph), pattern(pattern), environment(environment), pin(core->mlir()), query(core, "match"),
        newIds(core->index.nextId()) {}

  RuleCounts run() {
    std::vector<FoundNodes> occurrences = search();
    searchedAt = query->changes;
    for (const FoundNodes &occurrence : occurrences) {
      if (isInterrupted() || (environment.goesOn && !environment.goesOn(counts.rewrites)))
        break;
      takeTurn(occurrence);
    }
    return counts;
  }

private:
  std::vector<FoundNodes> search() {
    std::vector<OpCode> codes = withoutLock(query, who("root_op_codes"), [&] { return pattern.root_op_codes(); });
    if (!codes.empty())
      checkCodes(codes, who("root_op_codes"));
    std::vector<mlir::Operation *> roots;
    for (mlir::Block *block : blocksOf(*query))
      for (mlir::Operation &op : *block)
        if (isOperator(&op) && (codes.empty() || llvm::is_contained(codes, codeOf(&op))))
          roots.push_back(&op);
    std::vector<FoundNodes> found;
    for (size_t i = 0; i < roots.size(); ++i) {
      if (i % 256 == 255 && isInterrupted())
        return {};
      if (std::optional<FoundNodes> occurrence = ask(roots[i], true))
        found.push_back(std::move(*occurrence));
    }
    return found;
  }

  bool isInterrupted() {
    return environment.interrupted &&
           withoutLock(query, "the question whether to stop", [&] { return environment.interrupted(); });
  }

  static OpCode codeOf(mlir::Operation *op) { return static_cast<OpCode>(llvm::cast<NodeOp>(op).getOpCode()); }

  std::string who(const char *method) const { return std::string(method) + "() of " + quote(pattern.name()); }

  std::optional<FoundNodes> ask(mlir::Operation *root, bool tally) {
    environment.regions.enter(root->getBlock());
    environment.regions.attempt();
    double inRegion = 0.0;
    Stopwatch watch(environment.regions.inRegion() ? inRegion : counts.matchSeconds);
    ++counts.attempts;
    Node node = query->handleOf(root);
    MatchResult result = withoutLock(query, who("match"), [&] { return pattern.match(graph, node); });
    refuseOrphan();
    if (!result.nodes.empty())
      return occurrenceOf(node, result);
    if (tally && !result.reason.empty())
      environment.reasons.add(result.reason, query->nameOf(root), result.file, result.line);
    return std::nullopt;
  }

  void refuseOrphan() const {
    if (query->run && query->run->orphaned)
      precondition("optimize", "the transform has destroyed the graph that it was given; destroy a graph after "
                               "optimize() returns");
  }

  uint64_t checkedId(const Node &node, const std::string &what) {
    if (!query->resolve(node, query.call))
      invalid(query.call, what + " is the graph's input " + quote(node.name()) + "; give operators");
    return node.id();
  }

  FoundNodes occurrenceOf(const Node &root, const MatchResult &result) {
    FoundNodes occurrence{root.id(), {}, 0};
    std::string place = "of the result at " + quote(root.name());
    for (size_t i = 0; i < result.nodes.size(); ++i) {
      const std::optional<Node> &node = result.nodes[i];
      occurrence.ids.push_back(node ? checkedId(*node, "node " + std::to_string(i) + " " + place) : 0);
      if (node && std::ranges::count(occurrence.ids, node->id()) > 1)
        invalid(query.call, quote(node->name()) + " has two roles " + place + "; a node has one");
    }
    if (std::ranges::all_of(occurrence.ids, [](uint64_t id) { return id == 0; }))
      invalid(query.call, "every role " + place + " is lacking; give the nodes to replace, or no_match()");
    if (result.insert_at)
      occurrence.place = checkedId(*result.insert_at, "insert_at " + place);
    return occurrence;
  }

  std::string nodeName(uint64_t id) const { return query->index.slot(id)->name.str(); }

  mlir::Operation *operationAt(uint64_t id) {
    const NodeSlot *slot = id ? query->index.slot(id) : nullptr;
    return slot ? slot->op : nullptr;
  }

  bool isWhole(const FoundNodes &occurrence) {
    return std::ranges::all_of(occurrence.ids, [&](uint64_t id) { return id == 0 || operationAt(id); });
  }

  void takeTurn(const FoundNodes &occurrence) {
    mlir::Operation *root = operationAt(occurrence.root);
    environment.regions.enter(root ? root->getBlock() : nullptr);
    if (query->changes == searchedAt)
      return consider(occurrence);
    bool whole = isWhole(occurrence);
    std::optional<FoundNodes> again = root ? ask(root, false) : std::nullopt;
    bool stands = whole && again && again->ids == occurrence.ids;
    if (!stands) {
      ++counts.occurrences;
      ++counts.skipped.removed;
    }
    // What an iteration makes waits for the next one.
    if (again && std::ranges::all_of(again->ids, [&](uint64_t id) { return id < newIds; }))
      consider(*again);
  }

  void consider(const FoundNodes &occurrence) {
    ++counts.occurrences;
    Assignment assignment;
    for (uint64_t id : occurrence.ids)
      assignment.ops.push_back(operationAt(id));
    RewriteMatch match = matchOf(*query, assignment);
    Skip skip = skipOf(assignment.present(), match, &convexity, environment.keep);
    addSkip(counts.skipped, skip, 1);
    if (skip != Skip::No)
      return;
    auto fn = [&](const std::vector<Tensor> &tensors) { return pattern.apply(graph, match, tensors); };
    ReplaceOptions options;
    options.who = who("apply");
    options.call = "apply";
    options.place.op = operationAt(occurrence.place);
    if (options.place.op && options.place.op->getBlock() != assignment.present().front()->getBlock())
      invalid(query.call, "insert_at of the result at " + quote(nodeName(occurrence.root)) +
                              " is in another region than the nodes to replace; give an operator beside them");
    options.mayCapture = true;
    options.last = &last;
    replaceMatch(query, match, fn, options);
    refuseOrphan();
    ++counts.rewrites;
    environment.regions.rewrote();
  }

  /// Not touched by the run itself: a method of the pattern's may have destroyed it.
  ModelGraph &graph;
  const PatternTransform &pattern;
  const RuleEnvironment &environment;
  /// Goes after the lock.
  ConstantPin pin;
  Query query;
  const uint64_t newIds;
  uint64_t searchedAt = 0;
  LastCalls last;
  Convexity convexity{*query};
  RuleCounts counts;
};

} // namespace

RuleCounts applyPattern(ModelGraph &graph, const std::shared_ptr<GraphCore> &core, const PatternTransform &pattern,
                        const RuleEnvironment &environment) {
  return PatternRun(graph, core, pattern, environment).run();
}

} // namespace clika

namespace ClikaRT::graph {

PatternTransform::PatternTransform(std::string name, Traits traits)
    : name_(std::move(name)), traits_(std::move(traits)) {}

PatternTransform::~PatternTransform() = default;

MatchResult PatternTransform::result(std::vector<std::optional<Node>> nodes, std::optional<Node> insert_at) {
  if (nodes.empty())
    invalid("result", "there are no nodes; give the nodes to replace, or no_match()");
  MatchResult result;
  result.nodes = std::move(nodes);
  result.insert_at = std::move(insert_at);
  return result;
}

MatchResult PatternTransform::no_match(const Node &, std::string reason, const char *file, int line) {
  MatchResult result;
  result.reason = std::move(reason);
  result.file = file;
  result.line = line;
  return result;
}

Tensor PatternTransform::value(const Value &value) { return captureValue(value, "value"); }

Transform Transform::from_pattern(std::shared_ptr<const PatternTransform> pattern) {
  constexpr const char *call = "from_pattern";
  if (!pattern)
    invalid(call, "the pattern is an empty pointer; give an object of a class derived from PatternTransform");
  checkTransformName(pattern->name(), call);
  auto body = std::make_shared<TransformBody>();
  body->name = pattern->name();
  Traits traits = pattern->traits();
  body->what = PatternBody{std::move(pattern)};
  return Transform(std::shared_ptr<const TransformBody>(std::move(body))).with(traits);
}

} // namespace ClikaRT::graph
