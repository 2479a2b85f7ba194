// What the class of an operation says of it as a node, looked up once a class.
#ifndef CLIKA_DIALECT_NODEFACTS_H
#define CLIKA_DIALECT_NODEFACTS_H

#include "mlir/IR/Operation.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace clika {

struct NodeIdentity;
struct OpInfo;

struct NodeFacts {
  mlir::TypeID type;
  bool isNode = false;
  bool isConstant = false;
  /// Each operand of the record is there, and is one value.
  bool plainOperands = false;
  uint32_t code = 0;
  /// Where the properties hold the identity.
  uint32_t identityOffset = 0;
  /// Null for a node that has no record.
  const OpInfo *info = nullptr;
};

/// Asking an interface is a search in the table of its op; this is a look into one table of all classes, which threads
/// read without a lock and which only grows.
class NodeFactsTable {
public:
  static const NodeFacts &of(mlir::Operation *op) {
    mlir::TypeID type = op->getName().getTypeID();
    for (size_t at = placeOf(type), end = at + kReach; at < end; ++at) {
      const NodeFacts *facts = table[at].load(std::memory_order_acquire);
      if (!facts)
        break;
      if (facts->type == type)
        return *facts;
    }
    return add(op);
  }

private:
  static constexpr size_t kPlaces = 4096, kReach = 64;
  static size_t placeOf(mlir::TypeID type) {
    auto number = reinterpret_cast<uintptr_t>(type.getAsOpaquePointer());
    return (number >> 3 ^ number >> 15) % kPlaces;
  }
  static const NodeFacts &add(mlir::Operation *op);
  static std::array<std::atomic<const NodeFacts *>, kPlaces + kReach> table;
};

inline const NodeFacts &factsOf(mlir::Operation *op) { return NodeFactsTable::of(op); }

/// The same where its facts are at hand.
inline NodeIdentity *identityOf(mlir::Operation *op, const NodeFacts &facts) {
  if (!facts.isNode)
    return nullptr;
  return reinterpret_cast<NodeIdentity *>(op->getPropertiesStorageUnsafe().as<char *>() + facts.identityOffset);
}

/// The identity `op` carries, or null where it is no node.
inline NodeIdentity *identityOf(mlir::Operation *op) { return op ? identityOf(op, factsOf(op)) : nullptr; }

} // namespace clika

#endif
