#include "API/InnerNodes.h"

#include "Dialect/CoreOps.h"
#include "Dialect/NodeIdentity.h"
#include "Dialect/PairHash.h"
#include "Transforms/NodeListener.h"
#include "Transforms/RegionPath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

/// The operator that the block is in; 0 for a function's.
uint64_t ownerOf(Block &block) {
  NodeIdentity *identity = identityOf(block.getParentOp());
  return identity ? identity->id : 0;
}

std::pair<uint64_t, uint64_t> hashOf(Operation *op) {
  PairHash hash;
  hash.add(ownerOf(*op->getBlock()));
  hash.add(op->getParentRegion()->getRegionNumber());
  hash.add(op->getParentOfType<func::FuncOp>().getSymNameAttr().getAsOpaquePointer());
  hash.add(op->getName().getAsOpaquePointer());
  hash.add(op->getAttrDictionary().getAsOpaquePointer());
  hash.add(op->getNumOperands());
  for (Value operand : op->getOperands()) {
    Operation *maker = operand.getDefiningOp();
    NodeIdentity *identity = maker ? identityOf(maker) : nullptr;
    hash.add(identity ? identity->id : ownerOf(*operand.getParentBlock()));
    hash.add(maker ? uint64_t{cast<OpResult>(operand).getResultNumber()} << 1
                   : (uint64_t{cast<BlockArgument>(operand).getArgNumber()} << 1) + 1);
  }
  for (Type type : op->getResultTypes())
    hash.add(type.getAsOpaquePointer());
  return {hash.low, hash.high};
}

} // namespace

InnerNodes::Nodes InnerNodes::nodesOf(ModuleOp module, std::vector<std::string> &unnamed) {
  Nodes nodes;
  module->walk<WalkOrder::PreOrder>([&](Block *block) {
    std::string path = regionPath(*block);
    if (path.empty())
      return;
    for (Operation &op : *block) {
      NodeIdentity *identity = identityOf(&op);
      if (!identity)
        continue;
      if (identity->id == 0)
        unnamed.push_back(path);
      else
        nodes.try_emplace(identity->id, Seen{path, identity->name ? identity->name.str() : std::string(), hashOf(&op)});
    }
  });
  return nodes;
}

InnerNodes::InnerNodes(ModuleOp module) {
  std::vector<std::string> unnamed;
  before = nodesOf(module, unnamed);
}

std::vector<std::pair<std::string, InnerNodes::Changes>> InnerNodes::changesTo(ModuleOp module) const {
  std::vector<std::pair<std::string, Changes>> all;
  auto at = [&](const std::string &path) -> Changes & {
    auto known = std::ranges::find(all, path, [](const auto &entry) -> const std::string & { return entry.first; });
    return known != all.end() ? known->second : all.emplace_back(path, Changes()).second;
  };
  std::vector<std::string> unnamed;
  Nodes after = nodesOf(module, unnamed);
  for (const auto &[id, node] : before)
    if (!after.contains(id))
      at(node.path).removed.push_back(node.name);
  for (const auto &[id, node] : after) {
    const auto *known = before.find(id);
    if (known == before.end())
      ++at(node.path).added;
    else if (known->second.name != node.name || known->second.hash != node.hash)
      at(node.path).changed.push_back(node.name);
  }
  for (const std::string &path : unnamed)
    ++at(path).added;
  return all;
}

} // namespace clika
