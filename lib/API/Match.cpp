#include "API/Match.h"

#include "API/Convexity.h"
#include "API/Fail.h"
#include "API/Pattern.h"
#include "Dialect/Dialect.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>

using namespace mlir;
using ClikaRT::graph::OpCode;
using GraphPattern = ClikaRT::graph::Pattern;
using ClikaRT::graph::RewriteMatch;

namespace clika {
namespace {

constexpr size_t kNone = ~size_t{0};

/// The ports of `op` that an edge into `consumer` may use, its own first. Of ports that read one value only the first:
/// to swap them makes no other assignment.
SmallVector<size_t, 4> portsToTry(Operation *op, const OpInfo &info, const GraphPattern::PatternNode &consumer,
                                  size_t wanted, ArrayRef<size_t> bound) {
  size_t count = portCount(op, info);
  SmallVector<size_t, 4> ports;
  if (!consumer.options.commutative) {
    if (wanted < count)
      ports.push_back(wanted);
    return ports;
  }
  llvm::SmallPtrSet<Value, 4> values;
  auto offer = [&](size_t port) {
    if (port < count && !llvm::is_contained(bound, port) && values.insert(operandAt(op, info, port)).second)
      ports.push_back(port);
  };
  offer(wanted);
  for (size_t port = 0; port < count; ++port)
    offer(port);
  return ports;
}

} // namespace

Matcher::Matcher(Query &query, const GraphPattern &pattern, uint64_t newIds, std::string who)
    : query(query), pattern(pattern), newIds(newIds), who(std::move(who)), root(rootsOf(pattern).front()),
      taken(pattern.nodes().size()), states(pattern.nodes().size()), edgeDone(pattern.edges().size()),
      boundPorts(pattern.nodes().size()), suited(pattern.nodes().size()) {}

bool Matcher::fits(Operation *op, size_t node) {
  ++attempts;
  if (!isOperator(op) || identityOf(op)->id >= newIds)
    return false;
  const GraphPattern::PatternNode &wanted = pattern.nodes()[node];
  auto code = static_cast<OpCode>(cast<NodeOp>(op).getOpCode());
  if (!wanted.codes.empty() && std::ranges::find(wanted.codes, code) == wanted.codes.end())
    return false;
  if (!wanted.options.where)
    return true;
  ClikaRT::graph::Node handle = query->handleOf(op);
  uint64_t before = query->changes;
  bool answer = [&] {
    ForbidEdits forbid(*query, who);
    query.unlock();
    struct Relock {
      Query &query;
      ~Relock() { query.relock(); }
    } relock{query};
    return wanted.options.where(handle);
  }();
  if (query->changes != before)
    precondition(query.call, "another thread has edited the graph while it was searched for " + who +
                                 "; edit a graph from one thread at a time");
  return answer;
}

/// Whether `value` may be output `port` of pattern node `node`, or what that reads where it is lacking.
bool Matcher::mayMatch(Value value, size_t node, size_t port) {
  auto result = dyn_cast_or_null<OpResult>(value);
  if (result && result.getResultNumber() == port && suits(result.getOwner(), node))
    return true;
  if (!value || !pattern.nodes()[node].options.optional)
    return false;
  size_t in = edgeInto(node);
  return in == kNone || mayMatch(value, pattern.edges()[in].from, pattern.edges()[in].from_port);
}

/// Whether `op` fits pattern node `node`, and what it reads may be what the edges into that ask for.
bool Matcher::suits(Operation *op, size_t node) {
  auto known = suited[node].find(op);
  if (known != suited[node].end())
    return known->second;
  const OpInfo *info = infoOf(op);
  bool answer = info && fits(op, node);
  for (const GraphPattern::Edge &edge : pattern.edges())
    answer = answer && (edge.to != node ||
                        llvm::any_of(portsToTry(op, *info, pattern.nodes()[node], edge.to_port, {}), [&](size_t port) {
                          return mayMatch(operandAt(op, *info, port), edge.from, edge.from_port);
                        }));
  suited[node][op] = answer;
  return answer;
}

bool Matcher::take(Operation *op, size_t node, Next next) {
  if (wanted && (*wanted)[node] != op)
    return false;
  if (llvm::is_contained(taken, op) || !suits(op, node))
    return false;
  taken[node] = op;
  states[node] = State::Taken;
  if (next())
    return true;
  taken[node] = nullptr;
  states[node] = State::Open;
  return false;
}

size_t Matcher::edgeInto(size_t node) const {
  for (size_t i = 0; i < pattern.edges().size(); ++i)
    if (pattern.edges()[i].to == node)
      return i;
  return kNone;
}

size_t Matcher::edgeOutOf(size_t node) const {
  for (size_t i = 0; i < pattern.edges().size(); ++i)
    if (pattern.edges()[i].from == node)
      return i;
  return kNone;
}

/// `value` must be output `port` of pattern node `node`, or what that reads where it is lacking.
bool Matcher::matchValue(Value value, size_t node, size_t port, Next next) {
  auto result = dyn_cast_or_null<OpResult>(value);
  bool rightPort = result && result.getResultNumber() == port;
  if (states[node] == State::Taken)
    return rightPort && result.getOwner() == taken[node] && next();
  if (states[node] == State::Open && rightPort && take(result.getOwner(), node, next))
    return true;
  if (!pattern.nodes()[node].options.optional || states[node] == State::Lacking || !value)
    return false;
  states[node] = State::Lacking;
  size_t in = edgeInto(node);
  bool done;
  if (in == kNone) {
    done = next();
  } else {
    edgeDone[in] = true;
    done = matchValue(value, pattern.edges()[in].from, pattern.edges()[in].from_port, next);
    edgeDone[in] = done;
  }
  if (!done)
    states[node] = State::Open;
  return done;
}

/// The consumer of `edge` has been taken; its producer is to be found or checked.
bool Matcher::matchOperand(size_t edge, Next next) {
  const GraphPattern::Edge &e = pattern.edges()[edge];
  Operation *consumer = taken[e.to];
  const OpInfo *info = infoOf(consumer);
  if (!info)
    return false;
  for (size_t port : portsToTry(consumer, *info, pattern.nodes()[e.to], e.to_port, boundPorts[e.to])) {
    boundPorts[e.to].push_back(port);
    if (matchValue(operandAt(consumer, *info, port), e.from, e.from_port, next))
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
    if (isOperator(user) && seen.insert(user).second)
      list.push_back(user);
  std::ranges::sort(list, [&](Operation *a, Operation *b) { return query->index.isBefore(a, b); });
  return list;
}

/// `value` must be read by the consumer of `edge`, which is to be found among its users.
bool Matcher::matchUsers(Value value, size_t edge, Next next) {
  const GraphPattern::Edge &e = pattern.edges()[edge];
  auto tryUser = [&](Operation *user) {
    const OpInfo *info = infoOf(user);
    if (!info)
      return false;
    for (size_t port : portsToTry(user, *info, pattern.nodes()[e.to], e.to_port, {})) {
      if (operandAt(user, *info, port) != value)
        continue;
      boundPorts[e.to].push_back(port);
      if (take(user, e.to, next))
        return true;
      boundPorts[e.to].pop_back();
    }
    return false;
  };
  if (wanted)
    return (*wanted)[e.to] && tryUser((*wanted)[e.to]);
  for (Operation *&user : usersOf(value, edge)) {
    if (!suits(user, e.to))
      user = nullptr;
    else if (tryUser(user))
      return true;
  }
  return false;
}

/// The producer of `edge` has been taken; its consumer is to be found.
bool Matcher::matchReader(size_t edge, Next next) {
  const GraphPattern::Edge &e = pattern.edges()[edge];
  Operation *producer = taken[e.from];
  if (e.from_port >= producer->getNumResults())
    return false;
  Value value = producer->getResult(static_cast<unsigned>(e.from_port));
  if (matchUsers(value, edge, next))
    return true;
  if (!pattern.nodes()[e.to].options.optional)
    return false;
  states[e.to] = State::Lacking;
  size_t out = edgeOutOf(e.to);
  edgeDone[out] = true;
  bool done = states[pattern.edges()[out].to] == State::Open && matchUsers(value, out, next);
  if (!done) {
    edgeDone[out] = false;
    states[e.to] = State::Open;
  }
  return done;
}

/// Follows the first edge with one end taken, until none is left.
bool Matcher::proceed(Next done) {
  size_t chosen = kNone;
  bool backward = false;
  for (size_t i = 0; i < edgeDone.size() && !backward; ++i) {
    if (edgeDone[i])
      continue;
    const GraphPattern::Edge &e = pattern.edges()[i];
    if (states[e.to] == State::Taken) {
      chosen = i;
      backward = true;
    } else if (chosen == kNone && states[e.from] == State::Taken && states[e.to] == State::Open) {
      chosen = i;
    }
  }
  if (chosen == kNone)
    return done();
  edgeDone[chosen] = true;
  auto next = [&] { return proceed(done); };
  bool stop = backward ? matchOperand(chosen, next) : matchReader(chosen, next);
  edgeDone[chosen] = false;
  return stop;
}

bool Matcher::enumerate(Operation *op, llvm::function_ref<bool(const Assignment &)> use) {
  wanted = nullptr;
  return search(op, use);
}

bool Matcher::stands(const Assignment &assignment) {
  wanted = &assignment;
  return search(assignment[root], [&](const Assignment &found) { return found == assignment; });
}

bool Matcher::search(Operation *op, llvm::function_ref<bool(const Assignment &)> use) {
  if (knownAt != query->changes) {
    for (auto &operators : suited)
      operators.clear();
    users.clear();
    knownAt = query->changes;
  }
  std::ranges::fill(taken, nullptr);
  std::ranges::fill(states, State::Open);
  edgeDone.assign(edgeDone.size(), false);
  for (auto &ports : boundPorts)
    ports.clear();
  return take(op, root, [&] {
    return proceed([&] {
      for (size_t node = 0; node < states.size(); ++node)
        if (states[node] == State::Open)
          return false;
      Assignment assignment = taken;
      return use(assignment);
    });
  });
}

RewriteMatch matchOf(GraphCore &core, const Assignment &assignment) {
  RewriteMatch match;
  llvm::SmallPtrSet<Operation *, 8> inside;
  for (Operation *op : assignment) {
    match.nodes.push_back(op ? std::optional(core.handleOf(op)) : std::nullopt);
    if (op)
      inside.insert(op);
  }
  llvm::SmallPtrSet<Value, 8> seen;
  for (Operation *op : assignment) {
    if (!op)
      continue;
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && seen.insert(operand).second)
        match.inputs.push_back(core.handleOf(operand));
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        match.outputs.push_back(core.handleOf(result));
  }
  return match;
}

} // namespace clika
