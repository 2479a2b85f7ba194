// The search without going back, which finds most occurrences.
#include "API/Match.h"

#include "Dialect/NodeFacts.h"

#include <algorithm>

using namespace mlir;

namespace clika {

/// Whether `op` by itself may be pattern node `node`.
bool Matcher::isAlone(Operation *op, size_t node) {
  const NodeFacts &facts = factsOf(op);
  if (!facts.isNode || facts.isConstant || !facts.info || op->getBlock() != block || !hasCode(facts.code, node) ||
      identityOf(op)->id >= newIds)
    return false;
  ++attempts;
  return hasSettings(op, node);
}

/// Binds what asks for `port` of `node` to the first port whose value it accepts. Where there are others to try, the
/// choice is not `forced`; those passed over are refused in the same way by a search that goes back.
bool Matcher::bindFirst(size_t node, size_t port, bool &forced, llvm::function_ref<bool(Value)> accept) {
  Operation *consumer = taken.ops[node];
  const NodeFacts &facts = factsOf(consumer);
  auto read = [&](size_t each) {
    return facts.plainOperands ? consumer->getOperand(static_cast<unsigned>(each))
                               : operandAt(consumer, *facts.info, each);
  };
  auto &bound = boundPorts[node];
  auto take = [&](size_t each, bool isLast) {
    if (!accept(read(each)))
      return false;
    forced &= isLast;
    bound.push_back(each);
    firstPorts.push_back(static_cast<uint32_t>(each));
    return true;
  };
  size_t count = facts.plainOperands ? consumer->getNumOperands() : portCount(consumer, *facts.info);
  bool commutative = plan.nodes()[node].options.commutative;
  if (port != ClikaRT::graph::any_operand && !commutative)
    return port < count && take(port, true);
  // As portsToTry has it, for the operators that most patterns are made of.
  if (count == 2 && port < 2) {
    size_t other = 1 - port;
    bool isOpen = !llvm::is_contained(bound, port), isOtherOpen = !llvm::is_contained(bound, other);
    isOtherOpen &= !isOpen || read(port) != read(other);
    return (isOpen && take(port, !isOtherOpen)) || (isOtherOpen && take(other, true));
  }
  SmallVector<size_t, 4> ports = portsToTry(consumer, node, port, bound);
  return llvm::any_of(ports, [&](size_t each) { return take(each, each == ports.back()); });
}

Matcher::First Matcher::findFirst(Operation *root) {
  SmallVector<Operation *, 8> none(plan.nodes().size(), nullptr);
  return findFirst(root, none);
}

Matcher::First Matcher::findFirst(Operation *root, ArrayRef<Operation *> known) {
  begin(root);
  if (!isFree(root, plan.root))
    return First::None;
  taken.ops[plan.root] = root;
  bool forced = true;
  auto failure = [&] { return forced ? First::None : First::Unknown; };
  for (size_t i : plan.order) {
    const PatternPlan::Edge &edge = plan.edges()[i];
    Operation *&producer = taken.ops[edge.from];
    auto accept = [&](Value value) {
      auto result = dyn_cast_or_null<OpResult>(value);
      if (!result || result.getResultNumber() != edge.from_port)
        return false;
      Operation *owner = result.getOwner();
      if (producer)
        return producer == owner;
      if (owner == known[edge.from] && !llvm::is_contained(taken.ops, owner))
        ++attempts;
      else if (!isFree(owner, edge.from))
        return false;
      producer = owner;
      return true;
    };
    if (!bindFirst(edge.to, edge.to_port, forced, accept))
      return failure();
  }
  for (auto [i, leaf] : llvm::enumerate(plan.leaves())) {
    auto accept = [&](Value value) {
      if (!isLeaf(value, i))
        return false;
      if (leaf.input)
        taken.values[*leaf.input] = value.getAsOpaquePointer();
      return true;
    };
    if (!bindFirst(leaf.to, leaf.to_port, forced, accept))
      return failure();
  }
  std::ranges::fill(states, State::Taken);
  return complete() ? First::Found : failure();
}

// What was not touched reads what it did.
bool Matcher::standsAt(Assignment &assignment, ArrayRef<uint32_t> ports, ArrayRef<bool> touched) {
  taken.ops = assignment.ops;
  taken.values.assign(plan.pattern.input_count(), nullptr);
  block = taken.ops[plan.root]->getBlock();
  for (auto [node, isTouched] : llvm::enumerate(touched))
    if (isTouched && !isAlone(taken.ops[node], node))
      return false;
  auto read = [&](size_t node, uint32_t port) -> std::optional<Value> {
    Operation *op = taken.ops[node];
    const NodeFacts &facts = factsOf(op);
    if (facts.plainOperands)
      return port < op->getNumOperands() ? std::optional(op->getOperand(port)) : std::nullopt;
    return port < portCount(op, *facts.info) ? std::optional(operandAt(op, *facts.info, port)) : std::nullopt;
  };
  for (auto [i, port] : llvm::zip(plan.order, ports)) {
    const PatternPlan::Edge &edge = plan.edges()[i];
    if (!touched[edge.to])
      continue;
    std::optional<Value> value = read(edge.to, port);
    auto result = value ? dyn_cast_or_null<OpResult>(*value) : OpResult();
    if (!result || result.getOwner() != taken.ops[edge.from] || result.getResultNumber() != edge.from_port)
      return false;
  }
  ports = ports.drop_front(plan.order.size());
  for (auto [i, leaf] : llvm::enumerate(plan.leaves())) {
    std::optional<Value> value = read(leaf.to, ports[i]);
    if (!value || !isLeaf(*value, i))
      return false;
    if (leaf.input)
      taken.values[*leaf.input] = value->getAsOpaquePointer();
  }
  if (innerInput())
    return false;
  assignment.values = taken.values;
  return true;
}

} // namespace clika
