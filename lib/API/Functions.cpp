// Private functions: made, called, asked, inlined, removed.
#include "Dialect/Functions.h"

#include "API/Edits.h"
#include "API/Fail.h"
#include "API/Insert.h"
#include "API/Trace.h"
#include "API/ValueHandles.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Shape.h"
#include "Transforms/InlineCalls.h"
#include "Transforms/NodeListener.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

#include <ClikaRT/control.h>
#include <ClikaRT/spec.h>

using namespace clika;

namespace clika {

void checkCalls(GraphCore &core, const Recording &recording, mlir::Block &block, std::string_view call) {
  mlir::func::FuncOp around = functionAround(block.getParentOp());
  recording.block->walk([&](CallOp op) {
    mlir::func::FuncOp callee = core.functionOf(op.getCallee().str(), call);
    if (around.isPublic() || !reaches(callee, around))
      return;
    std::string name = quote(callee.getName());
    invalid(call, "the function " + quote(around.getName()) + " would call itself" +
                      (callee == around ? "" : ", by " + name) + "; none may come to call itself, so write a loop");
  });
}

void orderFunctions(GraphCore &core, llvm::ArrayRef<mlir::Operation *> added) {
  bool calls = false;
  for (mlir::Operation *op : added)
    op->walk([&](CallOp) { calls = true; });
  if (calls)
    sortFunctions(core.module());
}

namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::Node;
using ClikaRT::graph::Value;

void checkFunctionName(GraphCore &core, const std::string &name, std::string_view call) {
  if (name.empty())
    invalid(call, "the function's name is empty; give a name");
  for (auto function : core.module().getOps<mlir::func::FuncOp>())
    if (function.getName() == name)
      invalid(call, "the name " + quote(name) + " is " +
                        (function == core.main() ? "the graph's own" : "in use, by another function") +
                        "; give another");
}

std::vector<mlir::Type> argumentTypes(GraphCore &core, const std::vector<ClikaRT::spec::TensorSpec> &inputs,
                                      std::string_view call) {
  llvm::StringSet<> names;
  std::vector<mlir::Type> types;
  noteDimensionNames(core, inputs);
  for (const ClikaRT::spec::TensorSpec &input : inputs) {
    if (input.name.empty())
      invalid(call, "an input's name is empty; give a name");
    if (!names.insert(input.name).second)
      invalid(call, "two inputs are named " + quote(input.name) + "; give each a name of its own");
    types.push_back(inputType(core, input, call));
  }
  return types;
}

void build(GraphCore &core, const std::string &name, Recording recording, llvm::ArrayRef<mlir::StringAttr> names) {
  mlir::OpBuilder builder(core.main());
  mlir::Location location = builder.getUnknownLoc();
  auto type =
      builder.getFunctionType(recording.block->getArgumentTypes(), mlir::ValueRange(recording.results).getTypes());
  auto function = mlir::func::FuncOp::create(builder, location, name, type);
  function.setPrivate();
  function.getBody().push_back(recording.block.release());
  builder.setInsertionPointToEnd(&function.getBody().front());
  mlir::func::ReturnOp::create(builder, location, recording.results);
  for (auto [i, argument] : llvm::enumerate(names))
    function.setArgAttr(static_cast<unsigned>(i), kNameAttr, argument);
  core.index.addFunction(function, function.getSymNameAttr());
  ++core.changes;
}

} // namespace
} // namespace clika

namespace ClikaRT::graph {

void ModelGraph::add_function(const std::string &name, const TraceFunction &fn,
                              const std::vector<spec::TensorSpec> &inputs) {
  Edit edit(core_, "add_function");
  std::string call(edit.call);
  checkFunctionName(*edit, name, call);
  std::vector<mlir::Type> types = argumentTypes(*edit, inputs, call);
  llvm::SmallVector<mlir::StringAttr> names;
  for (const spec::TensorSpec &input : inputs)
    names.push_back(mlir::StringAttr::get(edit->mlir(), input.name));
  edit.unlock();
  Recording recording = [&] {
    ForbidEdits forbid(*edit, "the function of add_function()");
    return record(*edit, fn, types, names, call);
  }();
  edit.relock();
  checkFunctionName(*edit, name, call);
  checkCalls(*edit, recording, edit->block(), call);
  build(*edit, name, std::move(recording), names);
}

void ModelGraph::remove_function(const std::string &name) {
  Edit edit(core_, "remove_function");
  mlir::func::FuncOp function = edit->functionOf(name, edit.call);
  edit->module()->walk([&](CallOp op) {
    if (op.getCallee() == name)
      invalid(edit.call, "the function " + quote(name) + " is called by " + quote(edit->nameOf(op.getOperation())) +
                             "; replace its calls first, or inline_functions()");
  });
  edit->index.removeFunction(function, function.getSymNameAttr());
  function.erase();
  ++edit->changes;
}

std::vector<std::string> ModelGraph::function_names() const {
  Query query(core_, "function_names");
  std::vector<std::string> names;
  for (mlir::func::FuncOp function : privateFunctions(query->module()))
    names.push_back(function.getName().str());
  return names;
}

std::vector<Node> ModelGraph::function_nodes(const std::string &name) const {
  Query query(core_, "function_nodes");
  std::vector<Node> nodes;
  for (mlir::Operation &op : query->functionOf(name, query.call).getBody().front())
    if (isOperator(&op))
      nodes.push_back(query->handleOf(&op));
  return nodes;
}

std::vector<Value> ModelGraph::function_inputs(const std::string &name) const {
  Query query(core_, "function_inputs");
  return handles(*query, query->functionOf(name, query.call).getArguments());
}

std::vector<Value> ModelGraph::function_outputs(const std::string &name) const {
  Query query(core_, "function_outputs");
  return handles(*query, query->functionOf(name, query.call).getBody().front().getTerminator()->getOperands());
}

void ModelGraph::inline_functions() {
  Edit edit(core_, "inline_functions");
  auto functions = privateFunctions(edit->module());
  if (functions.empty())
    return;
  if (std::string problem = problemOfCalls(edit->module()); !problem.empty())
    invalid(edit.call, problem + "; call fewer functions, or loop");
  mlir::OwningOpRef<mlir::ModuleOp> copy = edit->module().clone();
  NodeListener listener;
  mlir::IRRewriter rewriter(edit->mlir(), &listener);
  inlineCalls(graphFunction(*copy), rewriter, freshDims(*edit));
  for (mlir::func::FuncOp function : privateFunctions(*copy))
    function.erase();
  DiagnosticCapture capture(edit->mlir());
  if (mlir::failed(mlir::verify(*copy)))
    invalid(edit.call, "a function does not suit the sizes of one of its calls: " +
                           capture.message("what it holds does not verify"));
  std::vector<uint64_t> inputIds = edit->index.inputIds();
  edit->exchange(std::move(copy), inputIds, FunctionIds());
  ++edit->changes;
}

std::optional<std::string> Node::function() const {
  Query query(core_, "function");
  mlir::Operation *op = query->operationOf(id_, query.call);
  mlir::func::FuncOp around = op ? functionAround(op) : mlir::func::FuncOp();
  if (!around || around == query->main())
    return std::nullopt;
  return around.getName().str();
}

} // namespace ClikaRT::graph

namespace ClikaRT::ops {

std::vector<Tensor> call(const std::string &callee, const std::vector<Tensor> &inputs) {
  constexpr std::string_view kCall = "call";
  if (!isTracing())
    precondition(kCall, "nothing is being recorded; a function is called where a graph that has it records, as "
                        "insert(), replace(), add_function() and rules do");
  GraphCore &core = tracedGraph();
  std::lock_guard lock(core.mutex);
  mlir::func::FuncOp function = core.functionOf(callee, kCall);
  llvm::SmallVector<mlir::Value> operands;
  for (const Tensor &input : inputs) {
    if (!input.is_defined())
      invalid(kCall, "an input is an undefined tensor");
    operands.push_back(tracedValue(input, kCall));
  }
  DimMap sizes;
  if (std::string problem = fitArguments(function, mlir::ValueRange(operands).getTypes(), sizes); !problem.empty())
    invalid(kCall, "the function " + quote(callee) + ": " + problem);
  std::function<std::string()> fresh = freshDims(core);
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : function.getResultTypes()) {
    // What the function alone names is a size of this call alone.
    Dims dims = dimsOf(withSizes(type, sizes, [&](Dim name) {
      Dim &size = sizes[name];
      if (!size)
        size = namedDim(core.mlir(), fresh());
      return size;
    }));
    for (Dim &dim : dims)
      if (!dim)
        dim = namedDim(core.mlir(), fresh());
    types.push_back(tensorOf(dims, mlir::cast<mlir::RankedTensorType>(type).getElementType()));
  }
  mlir::OperationState state(mlir::UnknownLoc::get(core.mlir()), CallOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttribute("callee", mlir::FlatSymbolRefAttr::get(core.mlir(), callee));
  return appendTraced(mlir::Operation::create(state), "Call");
}

} // namespace ClikaRT::ops
