// Readers of values that are sizes: what a graph computes shapes with.
#include "API/Edits.h"

#include "API/Fail.h"
#include "Dialect/Shape.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace clika {
namespace {

bool mayBeSizes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && (type.getElementType().isSignlessInteger(64) || type.getElementType().isSignlessInteger(32));
}

/// Whether the result has a size that is known to be another one than `inferred` has.
bool contradicts(Type inferred, Type result) {
  auto tensor = dyn_cast<RankedTensorType>(inferred), old = dyn_cast<RankedTensorType>(result);
  if (!tensor || !old)
    return false;
  if (tensor.getRank() != old.getRank())
    return true;
  return llvm::any_of(llvm::zip(dimsOf(tensor), dimsOf(old)), [](auto pair) {
    auto [now, before] = pair;
    return now && before && now != before;
  });
}

/// Whether the op, as it stands, would be refused, or have other sizes than its results say.
bool isBroken(Operation *op) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return false;
  SmallVector<Type> types;
  if (failed(inference.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(), op->getAttrDictionary(),
                                        op->getPropertiesStorage(), op->getRegions(), types)))
    return true;
  return types.size() != op->getNumResults() || llvm::any_of(llvm::zip(types, op->getResultTypes()), [](auto pair) {
           return contradicts(std::get<0>(pair), std::get<1>(pair));
         });
}

} // namespace

Operation *brokenBySizes(ArrayRef<OpOperand *> uses, Value next) {
  if (uses.empty() || !mayBeSizes(next))
    return nullptr;
  SmallVector<Value> before;
  llvm::SetVector<Operation *> readers;
  for (OpOperand *use : uses) {
    before.push_back(use->get());
    use->set(next);
    readers.insert(use->getOwner());
  }
  Operation *broken = nullptr;
  for (size_t i = 0; i < readers.size() && !broken; ++i) {
    Operation *op = readers[i];
    if (isBroken(op))
      broken = op;
    for (Value result : op->getResults())
      if (mayBeSizes(result))
        readers.insert_range(result.getUsers());
  }
  for (auto [use, old] : llvm::zip(uses, before))
    use->set(old);
  return broken;
}

void checkSizes(GraphCore &core, Value next, ArrayRef<OpOperand *> uses, std::string_view call) {
  Operation *broken = brokenBySizes(uses, next);
  if (!broken)
    return;
  Value result = broken->getNumResults() > 0 ? broken->getResult(0) : Value();
  invalid(call, quote(core.nameOf(broken)) + " takes sizes from what would change, and would no longer be " +
                    (result ? describe(result.getType()) : std::string("what it is")) +
                    "; give it other sizes first, or build a new operator");
}

} // namespace clika
