// The queries of a graph.
#include "API/Convexity.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Dialect.h"
#include "mlir/IR/Verifier.h"

#include <ostream>

using namespace clika;

namespace ClikaRT::graph {
namespace {

std::vector<std::string> texts(const std::vector<mlir::StringAttr> &names) {
  std::vector<std::string> result;
  for (mlir::StringAttr name : names)
    result.push_back(name.str());
  return result;
}

std::string printed(GraphCore &core) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.useLocalScope();
  ConstantStore::readAll(core.module());
  core.module()->print(stream, flags);
  return text;
}

} // namespace

std::vector<Node> ModelGraph::nodes() const {
  Query query(core_, "nodes");
  std::vector<Node> nodes;
  for (uint64_t id : query->index.inputIds())
    nodes.emplace_back(core_, id);
  for (mlir::Operation &op : query->block())
    if (isOperator(&op))
      nodes.push_back(query->handleOf(&op));
  return nodes;
}

std::vector<Value> ModelGraph::inputs() const {
  Query query(core_, "inputs");
  std::vector<Value> values;
  for (uint64_t id : query->index.inputIds())
    values.emplace_back(core_, id, 0);
  return values;
}

std::vector<Value> ModelGraph::outputs() const {
  Query query(core_, "outputs");
  std::vector<Value> values;
  for (mlir::Value operand : query->terminator()->getOperands())
    values.push_back(query->handleOf(operand));
  return values;
}

std::vector<std::string> ModelGraph::input_names() const { return texts(Query(core_, "input_names")->inputNames()); }

std::vector<std::string> ModelGraph::output_names() const { return texts(Query(core_, "output_names")->outputNames()); }

std::vector<Node> ModelGraph::find_nodes(OpCode code) const {
  Query query(core_, "find_nodes");
  if (code == OpCode::Input)
    invalid(query.call, "Input is the code of the graph's inputs, no operator's; inputs() lists them");
  if (code == OpCode::Constant)
    invalid(query.call, "Constant is the code of constants, which are values and no nodes; ask is_constant() of what "
                        "the nodes' inputs() list");
  const OpInfo *info = findOp(static_cast<uint32_t>(code));
  if (!info)
    invalid(query.call, std::to_string(static_cast<uint32_t>(code)) + " is no OpCode; use one of its enumerators");
  std::vector<Node> nodes;
  for (mlir::Operation &op : query->block())
    if (auto node = mlir::dyn_cast<NodeOp>(&op); node && node.getOpCode() == info->code && isOperator(&op))
      nodes.push_back(query->handleOf(&op));
  return nodes;
}

std::vector<Node> ModelGraph::find_nodes(const std::function<bool(const Node &)> &predicate) const {
  if (!predicate)
    invalid("find_nodes", "the predicate is empty; give a function over a node");
  std::vector<Node> found;
  for (const Node &node : nodes())
    if (predicate(node))
      found.push_back(node);
  return found;
}

std::optional<Node> ModelGraph::find_node(std::string_view name) const {
  Query query(core_, "find_node");
  uint64_t id = query->index.find(name);
  if (id == 0 || isConstant(query->index.slot(id)->op))
    return std::nullopt;
  return Node(core_, id);
}

bool ModelGraph::is_convex(const std::vector<Node> &nodes) const {
  Query query(core_, "is_convex");
  std::vector<mlir::Operation *> ops;
  for (const Node &node : nodes)
    if (mlir::Operation *op = query->resolve(node, query.call))
      ops.push_back(op);
  return Convexity(*query).holds(ops);
}

void ModelGraph::verify() const {
  Query query(core_, "verify");
  DiagnosticCapture capture(query->mlir());
  if (mlir::failed(mlir::verify(query->module())))
    fail(Status::Internal, query.call, capture.message("the module is not valid"));
  query->module()->walk([&](mlir::Operation *op) {
    NodeIdentity *identity = identityOf(op);
    const NodeSlot *slot = identity ? query->index.slot(identity->id) : nullptr;
    if (identity && (!slot || slot->op != op || slot->name != identity->name))
      fail(Status::Internal, query.call, "the index does not know the node " + quote(query->nameOf(op)));
  });
}

std::string ModelGraph::to_string() const {
  Query query(core_, "to_string");
  return printed(*query);
}

std::ostream &operator<<(std::ostream &os, const ModelGraph &graph) { return os << graph.to_string(); }

} // namespace ClikaRT::graph
