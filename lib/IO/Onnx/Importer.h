// The state of one import: the module being built, and what every ONNX name in scope stands for.
#pragma once
#include "IO/Onnx/Import.h"
#include "IO/Onnx/KnownInts.h"
#include "IO/Onnx/Model.h"
#include "IO/Onnx/Operators.h"
#include "IO/Onnx/Refusals.h"
#include "IO/Onnx/Weights.h"
#include "mlir/IR/Builders.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace clika::onnx {

struct Scope;

/// A node that is not built until something needs its tensor: its integers are known without it.
struct Deferred {
  const Node *node;
  Scope *scope;
  /// The longest chain of deferred nodes that ends here.
  unsigned depth;
  bool isBuilt = false;
};

/// What an ONNX name stands for. `value` is null while a constant or a deferred node has not been needed as a tensor.
struct Entry {
  std::string_view name;
  mlir::Value value;
  const Tensor *tensor = nullptr;
  std::shared_ptr<Deferred> deferred;
  std::optional<KnownInts> known;
};

/// The names of the graph, or of one call of a model-local function.
struct Scope {
  std::unordered_map<std::string_view, std::shared_ptr<Entry>> entries;
  int64_t opset = 0;
  std::unordered_map<std::string_view, int64_t> opsets;
  /// Put before the names of the nodes: "call/" inside a function.
  std::string prefix;
  const Function *function = nullptr;
  const Node *call = nullptr;
};

/// Why a node could not be read; `isTyped`: what the file states of its outputs can still be trusted.
struct Refusal {
  std::string reason;
  bool isTyped;
};

class Importer {
public:
  Importer(mlir::MLIRContext &context, const Model &model, WeightReader &weights, const OnnxOptions &options);
  mlir::OwningOpRef<mlir::ModuleOp> run();

  mlir::OpBuilder builder;
  mlir::Location location;

  /// An error about the node being built.
  [[noreturn]] void failNode(llvm::StringRef text, ClikaRT::Status status = ClikaRT::Status::InvalidArgument) const;
  /// An error about the node being built that follows from what was refused before.
  [[noreturn]] void failFollowing(llvm::StringRef text) const;

  /// Whether nothing is known of what the entry stands for.
  static bool isUnknown(const Entry &entry);
  mlir::Value valueOf(Entry &entry);
  const KnownInts *knownOf(Entry &entry);
  Weights weightsOf(const Tensor &tensor);
  mlir::Type elementType(ElementType type) const;

  mlir::Value constant(const Tensor &tensor, std::string_view name);
  mlir::Value constant(mlir::ElementsAttr elements);
  mlir::ElementsAttr elements(const Tensor &tensor, std::string_view name);
  /// A float or integer of rank 0 and the element type `type`.
  mlir::Value scalar(mlir::Type type, double number);
  mlir::Value ints(llvm::ArrayRef<int64_t> values);

  /// Builds a graph that is an attribute of `node` at the end of `block`, `given` being its inputs; returns its
  /// outputs. It reads the names of `outer` that it does not define itself; `role` names it among the node's.
  std::vector<mlir::Value> buildGraph(const Graph &graph, Scope &outer, const Node &node, const std::string &role,
                                      mlir::Block &block, const std::vector<mlir::Value> &given);
  /// The names in use, to return to when what was built meanwhile is dropped.
  struct NameMark {
    std::unordered_set<std::string> used;
  };
  NameMark markNames() const;
  void resetNames(NameMark mark);

private:
  mlir::OwningOpRef<mlir::ModuleOp> buildModule();
  void addInputs(mlir::OwningOpRef<mlir::ModuleOp> &module);
  void addInitializers(Scope &scope);
  mlir::RankedTensorType tensorType(const ValueInfo &value);
  mlir::Type inputType(const ValueInfo &input);
  Dim inputDim(const ValueInfo &input, size_t axis);
  void buildNodes(const std::vector<Node> &nodes, Scope &scope, const std::vector<std::string_view> &known,
                  const std::vector<std::string_view> &outputs, const std::string &where);
  void readNode(const Node &node, Scope &scope);
  void checkNode(const Node &node, const Scope &scope) const;
  bool deferNode(const Node &node, Scope &scope);
  void buildNode(const Node &node, Scope &scope, const Refusal *refusal = nullptr);
  void callFunction(const Node &node, const Function &function, Scope &caller);
  /// Refuses values whose dtype is another than the graph states.
  void checkStated(const Graph &graph, const Scope &scope);
  // For inspection, and for what is refused (Opaque.cpp):
  /// Keeps an error of reading `node` for the end, and what is then known of the node.
  Refusal refuse(const Node &node, const ClikaRT::Error &error);
  /// Whether the node is of a version of the operator set that the builders do not know.
  bool isOfOtherOpset(const Node &node, const Scope &scope) const;
  /// The type that the file states, unknown where it states none that tensors have.
  mlir::Type statedType(const ValueInfo &value);
  mlir::Type statedType(std::string_view output, const Scope &scope);
  /// `reason` is why the node is no operator of ours; empty where it only reads what is unknown.
  std::vector<mlir::Value> buildOpaque(const Node &node, Scope &scope, const std::string &reason, bool isTyped = true);
  mlir::Value opaqueConstant(std::string_view name, const std::string &what);
  /// Erases what a node that could not be built left behind.
  void dropUnnamed(mlir::Operation *before);
  void setOutputs(const Node &node, Scope &scope, const std::vector<mlir::Value> &results);
  void nameOps(const Node &node, const Scope &scope, mlir::Value first, mlir::Operation *before);
  static std::string nodeNameIn(const Node &node, const Scope &scope);
  void setName(mlir::Operation *op, const std::string &wanted);
  std::string uniqueName(const std::string &wanted);
  void finish(mlir::OwningOpRef<mlir::ModuleOp> &module);
  Entry &entryOf(std::string_view name, Scope &scope);
  Entry &define(std::string_view name, Scope &scope);
  std::vector<mlir::Value> build(const Node &node, Scope &scope, const Refusal *refusal);
  bool visitConstant(const Node &node, Scope &scope);

  mlir::MLIRContext &context;
  const Model &model;
  WeightReader &weights;
  const OnnxOptions &options;
  Operators operators;
  Refusals refusals;
  Scope top;
  std::vector<std::unique_ptr<Scope>> calls;
  /// Nodes of functions with the call's attributes in place; entries point into them.
  std::deque<Node> resolved;
  std::unordered_set<std::string> usedNames;
  std::unordered_set<std::string> nodeNames;
  std::unordered_map<std::string_view, const ValueInfo *> declared;
  const Node *current = nullptr;
};

} // namespace clika::onnx
