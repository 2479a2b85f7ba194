// Which operations a graph holds, by kind, kept up to date from transform to transform.
#ifndef CLIKA_API_GRAPHINVENTORY_H
#define CLIKA_API_GRAPHINVENTORY_H

#include "API/RuleSearch.h"
#include "Transforms/Inventory.h"

namespace clika {

/// Of the operators by the index that rules use, which costs no walk. What that does not tell, or has in another order,
/// is found by a walk, made anew when the graph has changed.
class GraphInventory final : public Inventory {
public:
  GraphInventory(GraphCore &core, RootIndex &index) : core(core), index(index) {}

  bool holds(mlir::OperationName name) override;
  std::vector<mlir::Operation *> of(llvm::ArrayRef<mlir::OperationName> names) override;
  std::vector<mlir::Operation *> all() override { return walk().all(); }

private:
  WalkedInventory &walk();

  GraphCore &core;
  RootIndex &index;
  std::optional<WalkedInventory> walked;
  /// The graph's count of changes then.
  uint64_t walkedAt = 0;
};

} // namespace clika

#endif
