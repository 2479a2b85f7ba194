#include "API/Optimize.h"

#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

/// Two independent 64-bit hashes of one sequence of words.
struct Hash {
  uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707344;

  void add(uint64_t word) {
    a = mix(a ^ word);
    b = mix(b + word * 0x9e3779b97f4a7c15 + 1);
  }
  void add(const void *pointer) { add(reinterpret_cast<uint64_t>(pointer)); }

private:
  static uint64_t mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    x ^= x >> 29;
    x *= 0xff51afd7ed558ccd;
    return x ^ (x >> 32);
  }
};

} // namespace

std::pair<uint64_t, uint64_t> fingerprint(GraphCore &core, uint64_t age) {
  Hash hash;
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
  for (BlockArgument argument : core.block().getArguments()) {
    number(argument);
    hash.add(argument.getType().getAsOpaquePointer());
  }
  hash.add(core.main().getArgAttrsAttr().getAsOpaquePointer());
  hash.add(core.main().getResAttrsAttr().getAsOpaquePointer());
  core.block().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash.add(op->getName().getAsOpaquePointer());
    if (auto constant = dyn_cast<ConstantOp>(op))
      addConstant(constant);
    else
      hash.add(op->getAttrDictionary().getAsOpaquePointer());
    for (Value operand : op->getOperands())
      hash.add(numbers.lookup(operand));
    auto define = [&](Value value) {
      number(value);
      hash.add(value.getType().getAsOpaquePointer());
    };
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), define);
    llvm::for_each(op->getResults(), define);
  });
  return {hash.a, hash.b};
}

} // namespace clika
