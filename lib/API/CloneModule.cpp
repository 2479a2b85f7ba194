#include "API/CloneModule.h"

#include "Dialect/NodeFacts.h"
#include "Dialect/NodeIdentity.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

using namespace mlir;

namespace clika {
namespace {

class Cloner {
public:
  explicit Cloner(llvm::function_ref<void(Operation *)> made) : made(made) {}

  /// Null where there is something that is in no graph: several blocks in a region, or a value that comes before what
  /// makes it.
  Operation *clone(Operation *op) {
    SmallVector<Value, 8> operands;
    for (Value operand : op->getOperands()) {
      Value mapped = copyOf(operand);
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
    note(op, copy);
    if (made)
      made(copy);
    return copy;
  }

private:
  /// By their ids, which grow about as the operations come, they lie closer than in a map.
  void note(Operation *op, Operation *copy) {
    NodeIdentity *identity = identityOf(op);
    if (!identity) {
      others[op] = copy;
      return;
    }
    if (identity->id >= nodes.size())
      nodes.resize(identity->id + 1);
    if (nodes[identity->id].first)
      others[op] = copy;
    else
      nodes[identity->id] = {op, copy};
  }

  Value copyOf(Value value) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return arguments.lookup(value);
    Operation *op = result.getOwner(), *copy = nullptr;
    NodeIdentity *identity = identityOf(op);
    if (identity && identity->id < nodes.size() && nodes[identity->id].first == op)
      copy = nodes[identity->id].second;
    else
      copy = others.lookup(op);
    return copy ? copy->getResult(result.getResultNumber()) : Value();
  }

  bool fill(Region &to, Region &from) {
    if (from.empty())
      return true;
    if (!llvm::hasSingleElement(from))
      return false;
    auto *block = new Block;
    to.push_back(block);
    for (BlockArgument argument : from.getArguments())
      arguments[argument] = block->addArgument(argument.getType(), argument.getLoc());
    for (Operation &op : from.front()) {
      Operation *copy = clone(&op);
      if (!copy)
        return false;
      block->push_back(copy);
    }
    return true;
  }

  llvm::function_ref<void(Operation *)> made;
  std::vector<std::pair<Operation *, Operation *>> nodes;
  llvm::DenseMap<Operation *, Operation *> others;
  llvm::DenseMap<Value, Value> arguments;
};

} // namespace

OwningOpRef<ModuleOp> cloneModule(ModuleOp module, llvm::function_ref<void(Operation *)> made) {
  if (Operation *copy = Cloner(made).clone(module))
    return cast<ModuleOp>(copy);
  OwningOpRef<ModuleOp> copy = module.clone();
  if (made)
    copy->walk(made);
  return copy;
}

} // namespace clika
