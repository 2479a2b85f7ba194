// What a node answers about its regions.
#include "API/Core.h"
#include "API/Fail.h"
#include "API/ValueHandles.h"
#include "Dialect/ControlOps.h"

using namespace clika;

namespace ClikaRT::graph {
namespace {

mlir::Block &regionOf(GraphCore &core, uint64_t id, std::size_t i, std::string_view call) {
  mlir::Operation *op = core.operationOf(id, call);
  std::size_t count = op ? op->getNumRegions() : 0;
  if (i >= count)
    invalid(call, "the node " + quote(core.index.slot(id)->name.getValue()) + " has " + std::to_string(count) +
                      " regions, counted from 0; it was asked for region " + std::to_string(i));
  return op->getRegion(static_cast<unsigned>(i)).front();
}

} // namespace

std::size_t Node::region_count() const {
  Query query(core_, "region_count");
  mlir::Operation *op = query->operationOf(id_, query.call);
  return op ? op->getNumRegions() : 0;
}

std::vector<Node> Node::region_nodes(std::size_t i) const {
  Query query(core_, "region_nodes");
  std::vector<Node> nodes;
  for (mlir::Operation &op : regionOf(*query, id_, i, query.call))
    if (isOperator(&op))
      nodes.push_back(query->handleOf(&op));
  return nodes;
}

std::vector<Value> Node::region_inputs(std::size_t i) const {
  Query query(core_, "region_inputs");
  return handles(*query, regionOf(*query, id_, i, query.call).getArguments());
}

std::vector<Value> Node::region_outputs(std::size_t i) const {
  Query query(core_, "region_outputs");
  return handles(*query, regionOf(*query, id_, i, query.call).getTerminator()->getOperands());
}

std::vector<Value> Node::captures() const {
  Query query(core_, "captures");
  mlir::Operation *op = query->operationOf(id_, query.call);
  return op ? handles(*query, capturesOf(op)) : std::vector<Value>();
}

std::optional<Node> Node::owner() const {
  Query query(core_, "owner");
  mlir::Operation *op = query->operationOf(id_, query.call);
  mlir::Operation *around = op ? op->getParentOp() : nullptr;
  if (!isOperator(around))
    return std::nullopt;
  return query->handleOf(around);
}

} // namespace ClikaRT::graph
