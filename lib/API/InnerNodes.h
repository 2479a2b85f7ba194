// What lies inside of regions and private functions, and what becomes of it.
#ifndef CLIKA_API_INNERNODES_H
#define CLIKA_API_INNERNODES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <string>
#include <utility>
#include <vector>

namespace clika {

class InnerNodes {
public:
  /// Takes note of the nodes as they are.
  explicit InnerNodes(mlir::ModuleOp module);

  /// By their names.
  struct Changes {
    std::vector<std::string> changed, removed;
    size_t added = 0;
  };
  /// What has become of them in `module`, by the path of the region.
  std::vector<std::pair<std::string, Changes>> changesTo(mlir::ModuleOp module) const;

private:
  struct Seen {
    std::string path, name;
    /// Of the node and the region that it is in; what is inside of the node is left aside.
    std::pair<uint64_t, uint64_t> hash;
  };
  using Nodes = llvm::MapVector<uint64_t, Seen>;
  /// By their ids; `unnamed` gets the path of each that has none yet.
  static Nodes nodesOf(mlir::ModuleOp module, std::vector<std::string> &unnamed);

  Nodes before;
};

} // namespace clika

#endif
