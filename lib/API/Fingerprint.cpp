#include "API/Optimize.h"

#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "Dialect/PairHash.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {

std::pair<uint64_t, uint64_t> fingerprint(GraphCore &core, uint64_t age) {
  PairHash hash;
  ConstantStore &store = ConstantStore::of(core.mlir());
  auto addConstant = [&](ConstantOp op) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (!resource || store.ageOf(resource) < age)
      return hash.add(op.getValue().getAsOpaquePointer());
    auto [low, high] = contentDigest(resource);
    hash.add(low);
    hash.add(high);
  };
  llvm::DenseMap<Value, uint64_t> numbers;
  auto number = [&](Value value) { numbers.try_emplace(value, numbers.size() + 1); };
  auto define = [&](Value value) {
    number(value);
    hash.add(value.getType().getAsOpaquePointer());
  };
  // A constant is a value without a place: it comes where it is first read.
  auto read = [&](Value value) {
    if (auto constant = value.getDefiningOp<ConstantOp>(); constant && !numbers.contains(value)) {
      addConstant(constant);
      define(value);
    }
    hash.add(numbers.lookup(value));
  };
  uint64_t unread = 0;
  auto addOperation = [&](Operation *op) {
    if (isa<ConstantOp>(op)) {
      unread += op->use_empty();
      return;
    }
    hash.add(op->getName().getAsOpaquePointer());
    hash.add(op->getAttrDictionary().getAsOpaquePointer());
    llvm::for_each(op->getOperands(), read);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), define);
    llvm::for_each(op->getResults(), define);
  };
  for (func::FuncOp function : core.module().getOps<func::FuncOp>()) {
    hash.add(function.getSymNameAttr().getAsOpaquePointer());
    llvm::for_each(function.getArguments(), define);
    hash.add(function.getArgAttrsAttr().getAsOpaquePointer());
    hash.add(function.getResAttrsAttr().getAsOpaquePointer());
    function.getBody().front().walk<WalkOrder::PreOrder>(addOperation);
  }
  hash.add(unread);
  return {hash.low, hash.high};
}

} // namespace clika
