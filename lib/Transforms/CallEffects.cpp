#include "Transforms/CallEffects.h"
#include "Dialect/ControlOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace clika {

bool CallEffects::hasEffects(Operation *op) {
  auto call = dyn_cast<CallOp>(op);
  if (!call)
    return !isMemoryEffectFree(op);
  if (!isKnown)
    findFunctions();
  return withEffects.contains(call.getCalleeAttr().getAttr());
}

void CallEffects::findFunctions() {
  isKnown = true;
  llvm::DenseMap<StringAttr, SmallVector<StringAttr, 2>> callers;
  for (auto function : module.getOps<func::FuncOp>()) {
    StringAttr name = function.getSymNameAttr();
    if (function.isExternal())
      withEffects.insert(name);
    function.getBody().walk([&](Operation *op) {
      if (auto call = dyn_cast<CallOp>(op))
        callers[call.getCalleeAttr().getAttr()].push_back(name);
      else if (!op->hasTrait<OpTrait::IsTerminator>() && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
               !isMemoryEffectFree(op))
        withEffects.insert(name);
    });
  }
  for (size_t i = 0; i != withEffects.size(); ++i)
    for (StringAttr caller : callers.lookup(withEffects[i]))
      withEffects.insert(caller);
}

} // namespace clika
