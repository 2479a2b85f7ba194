#include "Dialect/NodeFacts.h"

#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Dialect/OpTable.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

NodeFacts factsFor(Operation *op) {
  NodeFacts facts;
  facts.type = op->getName().getTypeID();
  facts.isConstant = isa<ConstantOp>(op);
  auto node = dyn_cast<NodeOp>(op);
  if (!node)
    return facts;
  facts.isNode = true;
  facts.code = node.getOpCode();
  facts.info = findOp(facts.code);
  facts.plainOperands = facts.info && std::ranges::none_of(facts.info->operands, [](const OperandInfo &operand) {
                          return operand.optional || operand.variadic;
                        });
  auto *identity = reinterpret_cast<char *>(&node.getNodeIdentity());
  facts.identityOffset = static_cast<uint32_t>(identity - op->getPropertiesStorage().as<char *>());
  return facts;
}

} // namespace

std::array<std::atomic<const NodeFacts *>, NodeFactsTable::kPlaces + NodeFactsTable::kReach> NodeFactsTable::table{};

const NodeFacts &NodeFactsTable::add(Operation *op) {
  const auto *made = new NodeFacts(factsFor(op));
  for (size_t at = placeOf(made->type), end = at + kReach; at < end; ++at) {
    const NodeFacts *found = nullptr;
    if (table[at].compare_exchange_strong(found, made, std::memory_order_acq_rel))
      return *made;
    if (found->type == made->type) {
      delete made;
      return *found;
    }
  }
  // No room near its place, as happens to no set of classes that one process has.
  thread_local NodeFacts last;
  last = *made;
  delete made;
  return last;
}

} // namespace clika
