#include "API/CloneModule.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

class Cloner {
public:
  /// Null where there is something that is in no graph: several blocks in a region, or a value that comes before what
  /// makes it.
  Operation *clone(Operation *op) {
    SmallVector<Value, 8> operands;
    for (Value operand : op->getOperands()) {
      Value mapped = values.lookup(operand);
      if (!mapped)
        return nullptr;
      operands.push_back(mapped);
    }
    if (op->getNumSuccessors() > 0)
      return nullptr;
    Operation *copy =
        Operation::create(op->getLoc(), op->getName(), op->getResultTypes(), operands, op->getRawDictionaryAttrs(),
                          op->getPropertiesStorage(), {}, op->getNumRegions());
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), copy->getRegions()))
      if (!fill(to, from)) {
        copy->erase();
        return nullptr;
      }
    for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
      values[from] = to;
    return copy;
  }

private:
  bool fill(Region &to, Region &from) {
    if (from.empty())
      return true;
    if (!llvm::hasSingleElement(from))
      return false;
    auto *block = new Block;
    to.push_back(block);
    for (BlockArgument argument : from.getArguments())
      values[argument] = block->addArgument(argument.getType(), argument.getLoc());
    for (Operation &op : from.front()) {
      Operation *copy = clone(&op);
      if (!copy)
        return false;
      block->push_back(copy);
    }
    return true;
  }

  llvm::DenseMap<Value, Value> values;
};

} // namespace

OwningOpRef<ModuleOp> cloneModule(ModuleOp module) {
  if (Operation *copy = Cloner().clone(module))
    return cast<ModuleOp>(copy);
  return module.clone();
}

} // namespace clika
