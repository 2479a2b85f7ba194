// The graph behind ModelGraph, Node and Value: one module with one function, an index of its nodes, and who may do
// what.
#ifndef CLIKA_API_CORE_H
#define CLIKA_API_CORE_H

#include "API/GraphContext.h"
#include "API/NodeIndex.h"
#include "Dialect/NodeFacts.h"
#include "Dialect/OpTable.h"
#include "Transforms/NodeListener.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include <ClikaRT/graph.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace clika {

class CompiledGraph;
class GraphCore;

inline constexpr llvm::StringLiteral kNameAttr = "clika.name";

/// Keeps a graph's index and its count of changes while a rewriter works on it.
class CoreListener : public NodeListener {
public:
  explicit CoreListener(GraphCore &core) : core(core) {}
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationModified(mlir::Operation *op) override;
  void notifyOperationErased(mlir::Operation *op) override;

protected:
  void identityMoved(mlir::Operation *from, mlir::Operation *to) override;

private:
  GraphCore &core;
};

/// optimize() at work on a graph.
struct RunState {
  std::thread::id thread;
  /// The entry that is running; empty between entries.
  std::string entry;
  /// The ModelGraph has gone, and only handles and the run keep the graph.
  bool orphaned = false;
};

class GraphCore : public std::enable_shared_from_this<GraphCore> {
public:
  GraphCore(std::shared_ptr<GraphContext> context, llvm::StringRef name);
  ~GraphCore();

  const std::shared_ptr<GraphContext> context;
  CoreListener listener{*this};
  NodeIndex index;
  /// Counts insertions, removals and modifications.
  uint64_t changes = 0;
  /// Set while optimize() runs.
  RunState *run = nullptr;
  /// While a callback of `thread` runs that may not edit the graph: whose it is, as in "the condition of 'rule'".
  struct NoEdit {
    std::thread::id thread;
    std::string_view who;
    /// Whether it may add constants and private functions.
    bool additions = false;
    /// The private function that its constants go to; null: to the graph.
    mlir::Operation *home = nullptr;
  };
  const NoEdit *noEdit = nullptr;
  std::shared_ptr<CompiledGraph> compiled;
  /// What selection on this graph chooses from beside the global registry.
  std::vector<ClikaRT::graph::Transform> registered;
  std::recursive_mutex mutex;

  mlir::MLIRContext *mlir() const { return context->mlir(); }
  mlir::ModuleOp module() const { return *moduleOp; }
  mlir::func::FuncOp main() const { return mainOp; }
  /// The private function of that name; NOT_FOUND where there is none.
  mlir::func::FuncOp functionOf(const std::string &name, std::string_view call) const;
  mlir::Block &block() const { return *body; }
  mlir::Operation *terminator() const { return &body->back(); }
  std::string name() const;

  /// Puts `module` in the place of the one there is; ids that its ops carry and `inputIds` stay good.
  mlir::OwningOpRef<mlir::ModuleOp> exchange(mlir::OwningOpRef<mlir::ModuleOp> module,
                                             const std::vector<uint64_t> &inputIds, const FunctionIds &functionIds);
  /// Takes note of what passes made of the module. An Error that begins with `call` where that is no graph with these
  /// inputs any more.
  void reindex(std::string_view call);
  /// Takes over a module that was read: its inputs get ids. An Error that begins with `call` where it is no graph.
  void adopt(mlir::OwningOpRef<mlir::ModuleOp> module, std::string_view call);

  std::vector<mlir::StringAttr> inputNames() const;
  std::vector<mlir::StringAttr> outputNames() const;

  /// The operation of a live operator or constant, null for an input; NOT_FOUND with its name where it has gone.
  mlir::Operation *operationOf(uint64_t id, std::string_view call) const;
  mlir::Value valueOf(uint64_t id, uint32_t resultIndex, std::string_view call) const;
  /// Whether `op` has that result, or an argument of a region of that index.
  static bool hasValue(mlir::Operation *op, uint32_t resultIndex);
  /// The same for a handle, which must be of this graph.
  mlir::Value resolve(const ClikaRT::graph::Value &value, std::string_view call) const;
  mlir::Operation *resolve(const ClikaRT::graph::Node &node, std::string_view call) const;

  /// An argument of a region has its operator's id, and an index that says which it is.
  ClikaRT::graph::Value handleOf(mlir::Value value);
  /// The id and the index of that handle.
  std::pair<uint64_t, uint32_t> placeOf(mlir::Value value);
  ClikaRT::graph::Node handleOf(mlir::Operation *op);
  std::string nameOf(mlir::Value value) const;
  /// The same, which costs less for a value that is its operator's only one.
  mlir::StringAttr nameAttrOf(mlir::Value value) const;
  std::string nameOf(mlir::Operation *op) const;

  /// A dimension name that this graph does not use.
  std::string freshDimension();
  void noteDimensions(mlir::Type type);
  /// Keeps the name from being given to a size without one.
  void noteDimension(llvm::StringRef name) { dimensions.insert(name); }
  uint64_t dimensionCounter = 0;
  /// What these sizes broadcast to: the same name whenever it is asked for. A fresh one where there are none.
  std::string broadcastDimension(llvm::ArrayRef<mlir::AffineExpr> sizes);
  /// A value that was of this size is of another one now.
  void forgetBroadcast(mlir::AffineExpr size);
  void inheritDimensions(const GraphCore &other);

private:
  void bindModule();
  void rebuildIndex(const std::vector<uint64_t> &inputIds, const FunctionIds &functionIds);
  void checkFunction(mlir::func::FuncOp function, std::string_view call);
  void nameArguments(mlir::func::FuncOp function, std::string_view call);
  void noteBroadcasts(mlir::Operation *op);

  mlir::OwningOpRef<mlir::ModuleOp> moduleOp;
  mlir::func::FuncOp mainOp;
  mlir::Block *body = nullptr;
  llvm::StringSet<> dimensions;
  /// By the sizes, in the order of their addresses.
  std::map<std::vector<const void *>, std::string> broadcasts;
};

/// A locked graph for a query.
class Query {
public:
  Query(const std::shared_ptr<GraphCore> &core, std::string_view call);
  GraphCore *operator->() const { return core; }
  GraphCore &operator*() const { return *core; }
  void unlock() { lock.unlock(); }
  void relock() { lock.lock(); }
  const std::string_view call;

protected:
  GraphCore *core;
  /// An edit's; goes after the lock.
  std::optional<ConstantPin> pin;
  std::unique_lock<std::recursive_mutex> lock;
};

/// Leaves the graph's lock free while it lives.
class Unlocked {
public:
  explicit Unlocked(Query &query) : query(query) { query.unlock(); }
  ~Unlocked() { query.relock(); }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  Query &query;
};

/// A locked graph for an edit; refuses where edits are.
class Edit : public Query {
public:
  Edit(const std::shared_ptr<GraphCore> &core, std::string_view call);
  /// Locks again and asks again whether edits are allowed.
  void relock();
};

/// Forbids the graph's edits to this thread while a callback runs.
class ForbidEdits {
public:
  /// `who` outlives it. `additions`: but for those of constants and private functions. `home`: see NoEdit.
  ForbidEdits(GraphCore &core, std::string_view who, bool additions = false, mlir::Operation *home = nullptr);
  ~ForbidEdits();

private:
  GraphCore &core;
  GraphCore::NoEdit state;
  const GraphCore::NoEdit *outer;
};

/// FAILED_PRECONDITION with the page's message while a transform runs on the graph inside optimize().
void refuseInsideOptimize(const GraphCore &core, std::string_view call);
void refuseFinalized(const GraphCore &core, std::string_view call);

/// The op's record; null for an op that has none.
inline const OpInfo *infoOf(mlir::Operation *op) { return op ? factsOf(op).info : nullptr; }
inline bool isConstant(mlir::Operation *op) { return op && factsOf(op).isConstant; }
/// Whether it is an operator of the graph: neither a constant nor the return.
inline bool isOperator(mlir::Operation *op) {
  if (!op)
    return false;
  const NodeFacts &facts = factsOf(op);
  return facts.isNode && !facts.isConstant;
}
/// Whether it is an output of the graph.
bool isOutput(mlir::Value value);
/// As in "a region of 'if_1'", "the function 'f'", "the graph itself".
std::string placeText(GraphCore &core, mlir::Block &block);
/// The blocks that hold nodes: those of an operator's regions before the one that it is in, those of a private function
/// before those that call it, and the graph's last.
llvm::SmallVector<mlir::Block *> blocksOf(GraphCore &core);

/// Of an op whose operands may be left out or be several: see operandAt and portCount.
mlir::Value operandAmong(mlir::Operation *op, const OpInfo &info, size_t port);
size_t countPorts(mlir::Operation *op, const OpInfo &info);
/// Operand number `port` of the op's record, null where it was left out; ports of a variadic operand count on.
inline mlir::Value operandAt(mlir::Operation *op, const OpInfo &info, size_t port) {
  if (!factsOf(op).plainOperands)
    return operandAmong(op, info, port);
  return port < op->getNumOperands() ? op->getOperand(static_cast<unsigned>(port)) : mlir::Value();
}
/// How many ports `op` has.
inline size_t portCount(mlir::Operation *op, const OpInfo &info) {
  return factsOf(op).plainOperands ? op->getNumOperands() : countPorts(op, info);
}

} // namespace clika

#endif
