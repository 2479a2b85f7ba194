// Ids and names of a graph's nodes: id -> operation, name -> id, fresh names.
#ifndef CLIKA_API_NODEINDEX_H
#define CLIKA_API_NODEINDEX_H

#include "API/BlockOrder.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/Fetch.h"
#include "Dialect/NodeIdentity.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace clika {

/// What there is of in a graph, its regions and functions included.
enum class Counted : uint8_t { Nothing, Operator, OperatorWithRegions, Constant };

/// What an id stands for: an operator or constant, an input, or nothing any more.
struct NodeSlot {
  mlir::Operation *op = nullptr;
  int32_t input = -1;
  /// Kept, since what `op` was may have gone.
  Counted counted = Counted::Nothing;
  mlir::StringAttr name;
  bool live() const { return op || input >= 0; }
};

/// The ids of nodes that edits made, changed, moved or removed, in order, for searches that go on from an earlier one.
class TouchLog {
public:
  /// Nothing is kept until then.
  void start() { kept = true; }
  void stop() { *this = TouchLog(); }
  void add(uint64_t id) {
    if (kept && id != 0)
      ids.push_back(id);
  }
  /// The graph is another one.
  void addEverything() {
    start_ += ids.size() + 1;
    ids.clear();
  }
  uint64_t end() const { return start_ + ids.size(); }
  /// What came after `position`; none where that cannot be told any more.
  std::optional<llvm::ArrayRef<uint64_t>> since(uint64_t position) const {
    if (position < start_)
      return std::nullopt;
    return llvm::ArrayRef(ids).drop_front(position - start_);
  }
  void forgetBefore(uint64_t position) {
    if (position <= start_)
      return;
    ids.erase(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(position - start_));
    start_ = position;
  }

private:
  bool kept = false;
  std::vector<uint64_t> ids;
  uint64_t start_ = 0;
};

/// What stands for each private function in handles of its arguments, by the function's name.
using FunctionIds = llvm::DenseMap<mlir::StringAttr, uint64_t>;

class NodeIndex {
public:
  /// The slot of an id ever given; null for another number.
  const NodeSlot *slot(uint64_t id) const { return id != 0 && id < slots.size() ? &slots[id] : nullptr; }
  /// Asks for the memory of the operation of this id, if there is one.
  void fetch(uint64_t id) const {
    if (const NodeSlot *known = slot(id))
      clika::fetch(known->op);
  }
  /// The id that the next node gets.
  uint64_t nextId() const { return slots.size(); }
  const std::vector<uint64_t> &inputIds() const { return inputs; }
  /// The operators there are, those of regions and functions included, and with the constants.
  int64_t operatorCount() const { return countOf(Counted::Operator) + countOf(Counted::OperatorWithRegions); }
  int64_t constantCount() const { return countOf(Counted::Constant); }
  int64_t operatorAndConstantCount() const { return operatorCount() + constantCount(); }
  /// Whether some of them lie in regions or functions.
  bool hasNested() const { return hasRegions() || !functions.empty(); }
  /// Whether an operator has regions.
  bool hasRegions() const { return countOf(Counted::OperatorWithRegions) != 0; }
  /// The id of a name in use, or 0.
  uint64_t find(llvm::StringRef name) const;
  uint64_t find(mlir::StringAttr name) const;
  bool isFree(mlir::StringAttr name) const { return find(name) == 0; }

  /// A name that was never in use: `base`, as in "relu", an underscore and a number.
  mlir::StringAttr freshName(mlir::MLIRContext *context, llvm::StringRef base);

  /// Gives `op` an id and `name`, or a fresh name where that is null; the op carries both from then on.
  uint64_t add(mlir::Operation *op, mlir::StringAttr name = {});
  /// The same for `op`, which gets a fresh name, and for the nodes inside it.
  void addAll(mlir::Operation *op);
  /// The same, but names that the nodes bear stay where they are free.
  void addNamed(mlir::Operation *op);
  /// The next input has this name.
  uint64_t addInput(mlir::StringAttr name);
  /// A private function, and the nodes inside it, whose names stay where they are free.
  void addFunction(mlir::Operation *function, mlir::StringAttr name);
  void removeFunction(mlir::Operation *function, mlir::StringAttr name);
  const FunctionIds &functionIds() const { return functions; }
  /// An id for an input that rebuild() is to be told of.
  uint64_t reserveInput();
  /// Input number `position` goes; those after it move up.
  void removeInput(size_t position);
  void rename(uint64_t id, mlir::StringAttr name);

  /// Whether `a` stands before `b` in the block.
  bool isBefore(mlir::Operation *a, mlir::Operation *b) { return order.isBefore(a, b); }
  /// `op` stands elsewhere in the block now.
  void relocated(mlir::Operation *op);
  /// How often a node came to stand elsewhere, as far as is known.
  uint64_t moves() const { return moveCount; }
  const BlockOrder &blockOrder() const { return order; }
  TouchLog touchLog;
  /// `op` reads something else now.
  void touched(mlir::Operation *op);

  // What a listener tells.
  void inserted(mlir::Operation *op);
  void modified(mlir::Operation *op);
  void erased(mlir::Operation *op);
  void moved(mlir::Operation *to);
  /// Names what came without an identity.
  void settle();

  /// What an index is built over: the graph's block, its inputs in order, and its private functions by name.
  struct Contents {
    mlir::Block &block;
    const std::vector<uint64_t> &inputIds;
    llvm::ArrayRef<mlir::StringAttr> inputNames;
    llvm::ArrayRef<std::pair<mlir::StringAttr, mlir::Operation *>> functions;
  };
  /// Builds the index anew. Ids and names in use elsewhere are kept in mind; an op without an identity, or with one
  /// that is taken, gets a fresh one. `ids`: of functions that are known.
  void rebuild(const Contents &contents, FunctionIds ids);

  /// How often each base name was used, for a clone or a file.
  const llvm::StringMap<uint64_t> &nameCounters() const { return counters; }
  void setNameCounter(llvm::StringRef base, uint64_t count) { counters[base] = count; }
  /// Takes over the ids and names ever used of another graph.
  void inherit(const NodeIndex &other);

private:
  int64_t countOf(Counted what) const { return counts[static_cast<size_t>(what)]; }
  void count(NodeSlot &slot, Counted as);
  void place(uint64_t id, mlir::Operation *op, mlir::StringAttr name);
  void hold(uint64_t id, mlir::Operation *op);
  void bindFunction(mlir::Operation *function, mlir::StringAttr name);
  void placeNodes(mlir::Operation *op);
  void bind(uint64_t id, mlir::Operation *op, mlir::StringAttr name);
  void unbind(uint64_t id);

  std::vector<NodeSlot> slots{1};
  std::array<int64_t, 4> counts{};
  std::vector<uint64_t> inputs;
  FunctionIds functions;
  /// Of every name ever used, the last id that bore it: it may have gone, or bear another by now.
  llvm::DenseMap<mlir::StringAttr, uint64_t> names;
  llvm::StringMap<uint64_t> counters;
  llvm::SetVector<mlir::Operation *> pending;
  uint64_t moveCount = 0;
  BlockOrder order;
  /// By id: the resources that its operation reads.
  llvm::DenseMap<uint64_t, llvm::SmallVector<ConstantHold, 1>> held;
};

} // namespace clika

#endif
