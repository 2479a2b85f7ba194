// Which operations a module holds, by kind.
#ifndef CLIKA_TRANSFORMS_INVENTORY_H
#define CLIKA_TRANSFORMS_INVENTORY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace clika {

/// Of the module as it is when asked. The module aside, those inside an operation come before it.
class Inventory {
public:
  virtual ~Inventory();
  virtual bool holds(mlir::OperationName name) = 0;
  /// Those of the kinds (each named once).
  virtual std::vector<mlir::Operation *> of(llvm::ArrayRef<mlir::OperationName> names) = 0;
  /// All of them.
  virtual std::vector<mlir::Operation *> all() = 0;
};

/// Made by a walk; holds until the module changes.
class WalkedInventory final : public Inventory {
public:
  explicit WalkedInventory(mlir::ModuleOp module);

  bool holds(mlir::OperationName name) override { return places.contains(name); }
  std::vector<mlir::Operation *> of(llvm::ArrayRef<mlir::OperationName> names) override;
  std::vector<mlir::Operation *> all() override { return ops; }

private:
  void addRegionsOf(mlir::Operation *around);

  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::OperationName, std::vector<uint32_t>> places;
};

} // namespace clika

#endif
