// optimize(): the list checked, run and undone.
#ifndef CLIKA_API_OPTIMIZE_H
#define CLIKA_API_OPTIMIZE_H

#include "API/Core.h"
#include "API/ModuleRecord.h"
#include "API/TransformBody.h"

namespace clika {

/// Refuses a list that may not run in this order; messages begin with "optimize: ".
void checkList(const std::vector<ClikaRT::graph::Transform> &list, ClikaRT::graph::Order order);

/// The graph as it was when this was made.
class Snapshot {
public:
  explicit Snapshot(GraphCore &core);
  ~Snapshot();
  /// Puts it back: nodes, names, order, handles, constants, inputs and outputs.
  void restore();
  llvm::ArrayRef<uint64_t> inputs() const { return inputIds; }
  /// See ModuleRecord::takeOperators.
  std::vector<ModuleRecord::Operator> takeOperators() { return record->takeOperators(); }
  /// A module that is as the graph's was.
  mlir::OwningOpRef<mlir::ModuleOp> module() const { return record->build(); }

private:
  GraphCore &core;
  std::optional<ModuleRecord> record;
  std::vector<uint64_t> inputIds;
  FunctionIds functionIds;
};

/// What a graph is, names aside, as 128 bits: structure, settings, constants, types. Constants that came before `age`
/// (of the ConstantStore) are told apart by what they are, which reads no memory, later ones by their content.
std::pair<uint64_t, uint64_t> fingerprint(GraphCore &core, uint64_t age);

} // namespace clika

#endif
