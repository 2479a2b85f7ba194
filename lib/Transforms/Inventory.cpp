#include "Transforms/Inventory.h"

using namespace mlir;

namespace clika {

Inventory::~Inventory() = default;

WalkedInventory::WalkedInventory(ModuleOp module) { addRegionsOf(module); }

void WalkedInventory::addRegionsOf(Operation *around) {
  for (Region &region : around->getRegions())
    for (Block &block : region)
      for (Operation &op : block) {
        if (op.getNumRegions() > 0)
          addRegionsOf(&op);
        places[op.getName()].push_back(static_cast<uint32_t>(ops.size()));
        ops.push_back(&op);
      }
}

std::vector<Operation *> WalkedInventory::of(llvm::ArrayRef<OperationName> names) {
  std::vector<uint32_t> found;
  for (OperationName name : names)
    if (auto kind = places.find(name); kind != places.end())
      found.insert(found.end(), kind->second.begin(), kind->second.end());
  llvm::sort(found);
  std::vector<Operation *> result;
  result.reserve(found.size());
  for (uint32_t place : found)
    result.push_back(ops[place]);
  return result;
}

} // namespace clika
