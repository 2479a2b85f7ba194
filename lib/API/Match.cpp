#include "API/Match.h"

#include "API/Fail.h"
#include "API/PatternReasons.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

using namespace mlir;
using ClikaRT::graph::any_operand;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::RewriteMatch;
using GraphPattern = ClikaRT::graph::Pattern;

namespace clika {

SmallVector<Operation *> Assignment::present() const {
  SmallVector<Operation *> result;
  for (Operation *op : ops)
    if (op)
      result.push_back(op);
  return result;
}

Matcher::Matcher(Query &query, const PatternPlan &plan, uint64_t newIds, std::string who)
    : query(query), plan(plan), newIds(newIds), who(std::move(who)), states(plan.nodes().size()),
      boundPorts(plan.nodes().size()), suitingSettings(plan.nodes().size()), suitingLiterals(plan.leaves().size()),
      suited(plan.nodes().size()) {}

bool Matcher::tell(llvm::function_ref<std::string()> reason) {
  if (explain)
    explain(taken, static_cast<size_t>(std::ranges::count(states, State::Taken)), reason());
  return false;
}

/// Where what was not right was read.
std::string Matcher::placeText() const {
  return place.first ? "input " + std::to_string(place.second) + " of " + nodeText(*query, place.first) + " is "
                     : "it is ";
}

/// The ports of `op` that an edge into pattern node `node` may use, its own first. Of ports that read one value only
/// the first: to swap them makes no other assignment.
SmallVector<size_t, 4> Matcher::portsToTry(Operation *op, size_t node, size_t wantedPort, ArrayRef<size_t> bound) {
  const OpInfo &info = *infoOf(op);
  size_t count = portCount(op, info);
  SmallVector<size_t, 4> ports;
  bool commutative = plan.nodes()[node].options.commutative;
  if (!commutative && wantedPort != any_operand) {
    if (wantedPort < count)
      ports.push_back(wantedPort);
    return ports;
  }
  llvm::SmallPtrSet<Value, 4> values;
  auto offer = [&](size_t port) {
    if (port < count && !llvm::is_contained(bound, port) &&
        (commutative || !llvm::is_contained(plan.namedPorts[node], port)) &&
        values.insert(operandAt(op, info, port)).second)
      ports.push_back(port);
  };
  offer(wantedPort);
  for (size_t port = 0; port < count; ++port)
    offer(port);
  return ports;
}

bool Matcher::passesWhere(Operation *op, size_t node) {
  const auto &where = plan.nodes()[node].options.where;
  if (!where)
    return true;
  ClikaRT::graph::Node handle = query->handleOf(op);
  uint64_t before = query->changes;
  bool answer = [&] {
    ForbidEdits forbid(*query, who);
    Unlocked unlocked(query);
    return where(handle);
  }();
  if (query->changes != before)
    precondition(query.call, "another thread has edited the graph while it was searched for " + who +
                                 "; edit a graph from one thread at a time");
  return answer || tell([&] { return "the `where` of " + plan.nameOf(node) + " refuses " + nodeText(*query, op); });
}

bool Matcher::hasSettings(Operation *op, size_t node) {
  const PatternPlan::PatternNode &wantedNode = plan.nodes()[node];
  if (wantedNode.ports && portCount(op, *infoOf(op)) != *wantedNode.ports)
    return tell([&] {
      return nodeText(*query, op) + " has another number of inputs than the " + std::to_string(*wantedNode.ports) +
             " of " + plan.nameOf(node);
    });
  if (wantedNode.settings.empty() || (suitingSettings[node] && suitingSettings[node]->areThoseOf(op)))
    return true;
  for (const ClikaRT::graph::Attr &setting : wantedNode.settings)
    if (std::string differs = settingDiffers(op, setting, wantedNode.tolerance); !differs.empty())
      return tell([&] {
        return "the " + setting.name + " of " + nodeText(*query, op) + " is " + differs + ", as " + plan.nameOf(node) +
               " asks";
      });
  suitingSettings[node] = std::make_unique<PropertiesCopy>(op);
  return true;
}

/// Whether `op` by itself may be pattern node `node`.
bool Matcher::fits(Operation *op, size_t node) {
  ++attempts;
  if (!hasCode(op, node))
    return tell([&] { return placeText() + nodeText(*query, op) + ", and not " + plan.nameOf(node); });
  return hasSettings(op, node) && passesWhere(op, node);
}

/// Whether `value` may be output `port` of pattern node `node`, or what that reads where it is lacking.
bool Matcher::mayMatch(Value value, size_t node, size_t port) {
  auto result = dyn_cast_or_null<OpResult>(value);
  if (result && result.getResultNumber() == port && suits(result.getOwner(), node))
    return true;
  if (!value || !plan.nodes()[node].options.optional)
    return false;
  if (plan.in[node].empty())
    return true;
  const GraphPattern::Edge &edge = plan.edges()[plan.in[node].front()];
  return mayMatch(value, edge.from, edge.from_port);
}

/// Few searches are long enough for it to pay; a `where` is asked once of each operator.
bool Matcher::looksAhead() const { return plan.hasWhere || steps >= 2 * states.size(); }

/// Whether `op` fits pattern node `node`, and what it reads may be what the edges into that ask for.
bool Matcher::suits(Operation *op, size_t node) {
  if (!isOperator(op) || !infoOf(op) || identityOf(op)->id >= newIds || op->getBlock() != block)
    return false;
  if (explain)
    return fits(op, node);
  if (!looksAhead())
    return hasCode(op, node) && fits(op, node);
  auto known = suited[node].find(op);
  if (known != suited[node].end())
    return known->second;
  if (!hasCode(op, node))
    return false;
  bool answer = fits(op, node);
  for (size_t i : plan.in[node]) {
    const GraphPattern::Edge &edge = plan.edges()[i];
    answer = answer && llvm::any_of(portsToTry(op, node, edge.to_port, {}), [&](size_t port) {
               return mayMatch(operandAt(op, *infoOf(op), port), edge.from, edge.from_port);
             });
  }
  suited[node][op] = answer;
  return answer;
}

bool Matcher::take(Operation *op, size_t node, Next next) {
  if (++steps > kStepsPerRoot || (wanted && (*wanted)[node] != op))
    return false;
  if (llvm::is_contained(taken.ops, op))
    return tell([&] {
      return nodeText(*query, op) + " would be " + plan.nameOf(node) + ", and is another node of the pattern already";
    });
  if (!suits(op, node))
    return false;
  taken.ops[node] = op;
  states[node] = State::Taken;
  if ((!convexOnly || mayBeConvex(op)) && next())
    return true;
  taken.ops[node] = nullptr;
  states[node] = State::Open;
  return false;
}

/// `value` must be output `port` of pattern node `node`, or what that reads where it is lacking.
bool Matcher::matchValue(Value value, size_t node, size_t port, Next next) {
  auto result = dyn_cast_or_null<OpResult>(value);
  bool rightPort = result && isOperator(result.getOwner()) && result.getResultNumber() == port;
  if (states[node] == State::Taken)
    return rightPort && result.getOwner() == taken.ops[node] ? next() : tell([&] {
      return placeText() + valueText(*query, value) + ", and not of " + nodeText(*query, taken.ops[node]) +
             ", which is " + plan.nameOf(node);
    });
  if (states[node] == State::Open && rightPort && take(result.getOwner(), node, next))
    return true;
  if (!plan.nodes()[node].options.optional || states[node] == State::Lacking || !value)
    return !rightPort && tell([&] {
      return placeText() + valueText(*query, value) + ", and not " +
             (port == 0 ? "" : "output " + std::to_string(port) + " of ") + plan.nameOf(node);
    });
  states[node] = State::Lacking;
  bool done;
  if (plan.in[node].empty()) {
    done = next();
  } else {
    size_t in = plan.in[node].front();
    edgeDone[in] = true;
    done = matchValue(value, plan.edges()[in].from, plan.edges()[in].from_port, next);
    edgeDone[in] = done;
  }
  if (!done)
    states[node] = State::Open;
  return done;
}

/// The consumer of `edge` has been taken; its producer is to be found or checked.
bool Matcher::matchOperand(size_t edge, Next next) {
  const GraphPattern::Edge &e = plan.edges()[edge];
  Operation *consumer = taken.ops[e.to];
  for (size_t port : portsToTry(consumer, e.to, e.to_port, boundPorts[e.to])) {
    boundPorts[e.to].push_back(port);
    place = {consumer, port};
    if (matchValue(operandAt(consumer, *infoOf(consumer), port), e.from, e.from_port, next))
      return true;
    boundPorts[e.to].pop_back();
  }
  return false;
}

std::vector<Operation *> &Matcher::usersOf(Value value, size_t edge) {
  auto [entry, added] = users.try_emplace({value.getAsOpaquePointer(), edge});
  std::vector<Operation *> &list = entry->second;
  if (!added) {
    std::erase(list, nullptr);
    return list;
  }
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (Operation *user : value.getUsers())
    if (isOperator(user) && infoOf(user) && user->getBlock() == value.getParentBlock() && seen.insert(user).second)
      list.push_back(user);
  std::ranges::sort(list, [&](Operation *a, Operation *b) { return query->index.isBefore(a, b); });
  return list;
}

/// `value` must be read by the consumer of `edge`, which is to be found among its users.
bool Matcher::matchUsers(Value value, size_t edge, Next next) {
  const GraphPattern::Edge &e = plan.edges()[edge];
  auto tryUser = [&](Operation *user) {
    for (size_t port : portsToTry(user, e.to, e.to_port, {})) {
      if (operandAt(user, *infoOf(user), port) != value)
        continue;
      boundPorts[e.to].push_back(port);
      if (take(user, e.to, next))
        return true;
      boundPorts[e.to].pop_back();
    }
    return false;
  };
  if (wanted)
    return (*wanted)[e.to] && infoOf((*wanted)[e.to]) && tryUser((*wanted)[e.to]);
  place = {};
  for (Operation *&user : usersOf(value, edge)) {
    if (explain ? !hasCode(user, e.to) : !suits(user, e.to))
      user = nullptr;
    else if (tryUser(user))
      return true;
  }
  return tell([&] { return "no reader of " + nodeText(*query, value.getDefiningOp()) + " is " + plan.nameOf(e.to); });
}

/// The producer of `edge` has been taken; its consumer is to be found.
bool Matcher::matchReader(size_t edge, Next next) {
  const GraphPattern::Edge &e = plan.edges()[edge];
  Operation *producer = taken.ops[e.from];
  if (e.from_port >= producer->getNumResults())
    return tell([&] { return nodeText(*query, producer) + " has no output " + std::to_string(e.from_port); });
  Value value = producer->getResult(static_cast<unsigned>(e.from_port));
  if (matchUsers(value, edge, next))
    return true;
  if (!plan.nodes()[e.to].options.optional)
    return false;
  states[e.to] = State::Lacking;
  size_t out = plan.out[e.to].front();
  edgeDone[out] = true;
  bool done = states[plan.edges()[out].to] == State::Open && matchUsers(value, out, next);
  if (!done) {
    edgeDone[out] = false;
    states[e.to] = State::Open;
  }
  return done;
}

/// Whether `value`, which is read at `place`, is what the leaf asks for.
bool Matcher::isLeaf(Value value, size_t leaf) {
  const GraphPattern::Leaf &l = plan.leaves()[leaf];
  auto port = [&] { return "input " + std::to_string(place.second) + " of " + nodeText(*query, taken.ops[l.to]); };
  if (!value || l.left_out)
    return (!value && l.left_out) || tell([&] { return port() + (value ? " is there" : " is left out"); });
  if (!l.input) {
    auto constant = value.getDefiningOp<ConstantOp>();
    if (constant && constant.getValue() == suitingLiterals[leaf])
      return true;
    std::string differs = literalDiffers(value, l, taken.ops[l.to]);
    if (!differs.empty())
      return tell([&] { return port() + " " + differs; });
    // Of another shape it depends on the consumer.
    if (ArrayRef<int64_t>(l.literal_shape) == cast<RankedTensorType>(value.getType()).getShape())
      suitingLiterals[leaf] = constant.getValue();
    return true;
  }
  void *before = taken.values[*l.input];
  return !before || before == value.getAsOpaquePointer() || tell([&] {
    return port() + " is " + valueText(*query, value) + ", and not " +
           valueText(*query, Value::getFromOpaquePointer(before)) + ", which stands for input " +
           std::to_string(*l.input) + " of the traced function elsewhere";
  });
}

/// Every edge is followed; a leaf is bound to what its node reads.
bool Matcher::readLeaf(size_t leaf, Next next) {
  const GraphPattern::Leaf &l = plan.leaves()[leaf];
  Operation *consumer = taken.ops[l.to];
  for (size_t port : portsToTry(consumer, l.to, l.to_port, boundPorts[l.to])) {
    Value value = operandAt(consumer, *infoOf(consumer), port);
    void *before = l.input ? taken.values[*l.input] : nullptr;
    place = {consumer, port};
    if (!isLeaf(value, leaf))
      continue;
    boundPorts[l.to].push_back(port);
    if (l.input)
      taken.values[*l.input] = value.getAsOpaquePointer();
    if (next())
      return true;
    if (l.input)
      taken.values[*l.input] = before;
    boundPorts[l.to].pop_back();
  }
  return false;
}

/// The node of the assignment that makes an input of the traced function; null where none does.
Operation *Matcher::innerInput() const {
  for (void *value : taken.values)
    if (Operation *producer = value ? Value::getFromOpaquePointer(value).getDefiningOp() : nullptr)
      if (llvm::is_contained(taken.ops, producer))
        return producer;
  return nullptr;
}

/// Whether all was found, and no input of a traced function is made within.
bool Matcher::complete() {
  if (llvm::is_contained(states, State::Open))
    return false;
  Operation *inner = innerInput();
  return !inner ||
         tell([&] { return "it reads " + nodeText(*query, inner) + ", which it has as a node, from outside"; });
}

/// Follows the first edge with one end taken, until none is left; then reads the leaves.
bool Matcher::follow(Next done) {
  constexpr size_t none = ~size_t{0};
  size_t chosen = none;
  bool backward = false;
  for (size_t i = 0; i < edgeDone.size() && !backward; ++i) {
    if (edgeDone[i])
      continue;
    const GraphPattern::Edge &e = plan.edges()[i];
    if (states[e.to] == State::Taken) {
      chosen = i;
      backward = true;
    } else if (chosen == none && states[e.from] == State::Taken && states[e.to] == State::Open) {
      chosen = i;
    }
  }
  auto next = [&] { return proceed(done); };
  if (chosen == none) {
    auto leaf = static_cast<size_t>(std::ranges::find(leafDone, false) - leafDone.begin());
    if (leaf == leafDone.size())
      return done();
    leafDone[leaf] = true;
    bool stop = readLeaf(leaf, next);
    leafDone[leaf] = false;
    return stop;
  }
  edgeDone[chosen] = true;
  bool stop = backward ? matchOperand(chosen, next) : matchReader(chosen, next);
  edgeDone[chosen] = false;
  return stop;
}

/// follow, but not again from a state that no fitting assignment was reached from.
bool Matcher::proceed(Next done) {
  // Few searches are long enough for it to pay.
  if (wanted || explain || steps < stepsAtFit + 64 * states.size())
    return follow(done);
  Key key = keyOfState();
  steps += states.size();
  if (failed.contains(key))
    return false;
  uint64_t before = fitting;
  if (follow(done))
    return true;
  if (fitting == before && !exhausted())
    failed.insert(std::move(key));
  return false;
}

bool Matcher::enumerate(Operation *op, bool convex, UseFunction use) {
  wanted = nullptr;
  convexOnly = convex;
  if (convex || !mayFindFirst())
    return search(op, use);
  const uint64_t before = attempts;
  First first = findFirst(op);
  if (first == First::None)
    return false;
  std::optional<std::pair<Assignment, Use>> told;
  if (first == First::Found) {
    Use answer = use(taken);
    if (answer == Use::Stop)
      return true;
    told.emplace(taken, answer);
  }
  attempts = before;
  return search(op, [&](const Assignment &assignment) {
    return told && told->first == assignment ? told->second : use(assignment);
  });
}

bool Matcher::stands(Assignment &assignment, ArrayRef<bool> touched) {
  const std::vector<Operation *> &ops = assignment.ops;
  wanted = nullptr;
  if (mayFindFirst()) {
    const uint64_t before = attempts;
    SmallVector<Operation *, 8> known(ops.begin(), ops.end());
    for (auto [op, isTouched] : llvm::zip_equal(known, touched))
      if (isTouched)
        op = nullptr;
    First first = findFirst(ops[plan.root], known);
    if (first == First::None)
      return false;
    if (first == First::Found && taken.ops == ops) {
      assignment.values = taken.values;
      return true;
    }
    attempts = before;
  }
  wanted = &ops;
  convexOnly = false;
  return search(ops[plan.root], [&](const Assignment &found) {
    if (found.ops != ops)
      return Use::Next;
    assignment.values = found.values;
    return Use::Stop;
  });
}

void Matcher::begin(Operation *op) {
  steps = stepsAtFit = pruned = 0;
  failed.clear();
  taken.ops.assign(plan.nodes().size(), nullptr);
  taken.values.assign(plan.pattern.input_count(), nullptr);
  std::ranges::fill(states, State::Open);
  for (auto &ports : boundPorts)
    ports.clear();
  firstPorts.clear();
  block = op->getBlock();
}

bool Matcher::search(Operation *op, UseFunction use) {
  if (knownAt != query->changes) {
    for (auto &operators : suited)
      operators.clear();
    users.clear();
    knownAt = query->changes;
  }
  begin(op);
  edgeDone.assign(plan.edges().size(), false);
  leafDone.assign(plan.leaves().size(), false);
  return take(op, plan.root, [&] {
    return proceed([&] {
      if (!complete())
        return false;
      Assignment assignment = taken;
      Use answer = use(assignment);
      if (answer != Use::Unfit) {
        ++fitting;
        stepsAtFit = steps;
      }
      return answer == Use::Stop;
    });
  });
}

RewriteMatch matchOf(GraphCore &core, const Assignment &assignment) {
  RewriteMatch match;
  match.nodes.reserve(assignment.ops.size());
  match.inputs.reserve(assignment.ops.size() + assignment.values.size());
  match.outputs.reserve(1);
  const std::shared_ptr<GraphCore> graph = core.shared_from_this();
  auto handleOf = [&](Value value) {
    auto [id, index] = core.placeOf(value);
    return ClikaRT::graph::Value(graph, id, index);
  };
  for (Operation *op : assignment.ops)
    match.nodes.push_back(op ? std::optional<ClikaRT::graph::Node>(std::in_place, graph, identityOf(op)->id)
                             : std::nullopt);
  auto isInside = [&](Operation *op) { return op && llvm::is_contained(assignment.ops, op); };
  const bool nests = llvm::any_of(assignment.ops, [](Operation *op) { return op && op->getNumRegions() > 0; });
  llvm::SmallPtrSet<Value, 8> seen;
  for (void *opaque : assignment.values) {
    Value value = Value::getFromOpaquePointer(opaque);
    seen.insert(value);
    match.inputs.push_back(handleOf(value));
  }
  for (Operation *op : assignment.ops) {
    if (!op)
      continue;
    auto addInput = [&](Value operand) {
      if (!isInside(operand.getDefiningOp()) && seen.insert(operand).second)
        match.inputs.push_back(handleOf(operand));
    };
    llvm::for_each(op->getOperands(), addInput);
    if (op->getNumRegions() > 0)
      llvm::for_each(capturesOf(op), addInput);
    auto isOutside = [&](Operation *user) {
      return !isInside(nests ? op->getBlock()->findAncestorOpInBlock(*user) : user);
    };
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), isOutside))
        match.outputs.push_back(handleOf(result));
  }
  return match;
}

} // namespace clika
