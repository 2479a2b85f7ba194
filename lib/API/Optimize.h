// optimize(): the list checked, run and undone.
#ifndef CLIKA_API_OPTIMIZE_H
#define CLIKA_API_OPTIMIZE_H

#include "API/Core.h"
#include "API/TransformBody.h"

#include <map>

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
  mlir::ModuleOp module() const { return *copy; }

private:
  GraphCore &core;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  std::vector<uint64_t> inputIds;
  std::vector<ConstantHold> holds;
};

/// What a graph is, names aside, as 128 bits: structure, settings, constants, types. Constants that came before `age`
/// (of the ConstantStore) are told apart by what they are, which reads no memory, later ones by their content.
std::pair<uint64_t, uint64_t> fingerprint(GraphCore &core, uint64_t age);

/// Compares what a graph computes with what it computed before, on the outputs both have by name.
class Checker {
public:
  Checker(GraphCore &core, const ClikaRT::graph::Check &options);
  /// Throws where they differ by more than `exactness`. What an entry was allowed to change is not held against the
  /// next: each is compared with the graph that it was given, so all that came before it are within theirs.
  void compare(GraphCore &core, const ClikaRT::graph::Exactness &exactness);

private:
  std::vector<ClikaRT::Tensor> runOnMadeUp(GraphCore &core, uint64_t seed, std::string_view call);
  void keep(const std::vector<std::string> &names, const std::vector<ClikaRT::Tensor> &results);

  std::vector<std::string> inputNames;
  std::vector<ClikaRT::Tensor> inputs;
  std::map<std::string, ClikaRT::Tensor> expected;
};

} // namespace clika

#endif
