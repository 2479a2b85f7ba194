// What is needed to make a graph's module again as it is now.
#ifndef CLIKA_API_MODULERECORD_H
#define CLIKA_API_MODULERECORD_H

#include "Dialect/ConstantStore.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Allocator.h"

#include <utility>
#include <vector>

namespace clika {

class NodeIndex;

/// A module in a few flat arrays: a copy of operations costs several times as much, and most copies are thrown away
/// unseen.
class ModuleRecord {
public:
  /// Holds the resources that the module reads. `index`, where there is one, is the module's.
  explicit ModuleRecord(mlir::ModuleOp module, const NodeIndex *index = nullptr);
  ~ModuleRecord();
  ModuleRecord(const ModuleRecord &) = delete;
  ModuleRecord &operator=(const ModuleRecord &) = delete;

  struct Operator {
    uint64_t id;
    uint32_t code;
  };
  /// The operators that have a record, as they stand. None where some lie in regions of others, which a search takes in
  /// another order. Once: they are given away.
  std::vector<Operator> takeOperators() { return std::exchange(operators, {}); }

  /// The module as it was, with identities and names.
  mlir::OwningOpRef<mlir::ModuleOp> build() const;

private:
  class Writer;
  class Builder;
  struct Op {
    mlir::OperationName name;
    mlir::Location loc;
    mlir::DictionaryAttr attributes;
    void *properties;
    uint32_t results, operands, regions;
  };
  /// Of one block, if any.
  struct Region {
    bool isEmpty;
    uint32_t arguments, ops;
  };
  void destroyProperties();

  // Each operation before those of its regions; what is of an operation or a region stands in the same order.
  std::vector<Op> ops;
  std::vector<Region> regions;
  std::vector<mlir::Type> types;
  std::vector<mlir::Location> argumentLocs;
  /// By number of the value read: arguments and results as they come, results after what is in the regions.
  std::vector<uint32_t> operands;
  llvm::BumpPtrAllocator memory;
  /// A module of another form than graphs have, with several blocks in a region, say.
  mlir::OwningOpRef<mlir::ModuleOp> other;
  std::vector<ConstantHold> holds;
  std::vector<Operator> operators;
};

} // namespace clika

#endif
