// Which operations a module holds, by kind.
#ifndef CLIKA_TRANSFORMS_INVENTORY_H
#define CLIKA_TRANSFORMS_INVENTORY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace clika {

/// Holds until the module changes.
class Inventory {
public:
  explicit Inventory(mlir::ModuleOp module);

  bool holds(llvm::StringRef name) const { return places.contains(mlir::OperationName(name, context)); }
  /// All operations but the module, those inside an operation before it.
  llvm::ArrayRef<mlir::Operation *> all() const { return ops; }
  /// Those of the kinds (each named once), in the same order.
  std::vector<mlir::Operation *> of(llvm::ArrayRef<mlir::OperationName> names) const;

private:
  void addRegionsOf(mlir::Operation *around);

  mlir::MLIRContext *context;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::OperationName, std::vector<uint32_t>> places;
};

} // namespace clika

#endif
