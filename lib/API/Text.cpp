// Graphs as MLIR text and as a dot drawing.
#include "API/Text.h"
#include "API/BuildOp.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Shape.h"
#include "Dialect/TextDepth.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace clika;

namespace clika {

std::string toMlir(GraphCore &core) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ConstantStore::readAll(core.module());
  core.module()->print(stream);
  return text;
}

std::string kindText(mlir::Operation *op) {
  if (auto opaque = mlir::dyn_cast<OpaqueOp>(op))
    return (opaque.getDomain().empty() ? "" : opaque.getDomain().str() + ".") + opaque.getType().str();
  const OpInfo *info = infoOf(op);
  return std::string(info ? info->codeName : "?");
}

} // namespace clika

namespace ClikaRT::graph {
namespace {

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return '"' + result + '"';
}

} // namespace

std::string ModelGraph::to_mlir() const {
  Query query(core_, "to_mlir");
  return toMlir(*query);
}

ModelGraph ModelGraph::from_mlir(const std::string &text) {
  constexpr std::string_view call = "from_mlir";
  if (text.starts_with("ML\xefR"))
    invalid(call, "this is MLIR bytecode; write the module as text");
  if (text.ends_with(".mlir") && text.find('\n') == std::string::npos)
    invalid(call, "the text is " + quote(text) + ", which looks like the name of a file; give what the file holds");
  if (const auto problem = depthProblem(text))
    invalid(call, "line " + std::to_string(problem->line) + ": " + problem->message + ", as no graph's text has");
  auto core = std::make_shared<GraphCore>(GraphContext::create(), "graph");
  DiagnosticCapture capture(core->mlir());
  mlir::ParserConfig config(core->mlir(), /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, config);
  if (!module)
    invalid(call, capture.located("the text is no MLIR module"));
  // The inference of result types counts on sizes that are possible.
  module->walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      checkSize(type, "a result of a " + op->getName().getStringRef().str(), call);
    for (mlir::Region &region : op->getRegions())
      for (mlir::BlockArgument argument : region.getArguments())
        checkSize(argument.getType(), "an argument of the graph", call);
  });
  if (mlir::failed(mlir::verify(*module)))
    invalid(call, capture.located("the module is not valid"));
  core->adopt(std::move(module), call);
  return ModelGraph(std::move(core));
}

std::string ModelGraph::to_dot() const {
  Query query(core_, "to_dot");
  GraphCore &core = *query;
  std::string text = "digraph " + escaped(core.name()) + " {\n  node [shape=box];\n";
  auto edge = [&](mlir::Value value, const std::string &to, const std::string &label) {
    mlir::Operation *producer = value.getDefiningOp();
    std::string from = producer ? core.nameOf(producer) : core.nameOf(value);
    text += "  " + escaped(from) + " -> " + escaped(to) + " [label=" + escaped(label) + "];\n";
  };
  for (mlir::BlockArgument argument : core.block().getArguments())
    text += "  " + escaped(core.nameOf(argument)) + " [shape=ellipse];\n";
  for (mlir::Operation &op : core.block().without_terminator()) {
    std::string name = core.nameOf(&op);
    text += "  " + escaped(name) + " [label=" + escaped(name + ": " + kindText(&op)) +
            (isConstant(&op) ? ", shape=ellipse, style=dashed" : "") + "];\n";
    for (mlir::Value operand : op.getOperands())
      edge(operand, name, describe(operand.getType()));
    for (mlir::Value read : capturesOf(&op))
      edge(read, name, describe(read.getType()));
  }
  std::vector<mlir::StringAttr> outputs = core.outputNames();
  for (auto [i, value] : llvm::enumerate(core.terminator()->getOperands())) {
    std::string node = "output:" + outputs[i].str();
    text += "  " + escaped(node) + " [label=" + escaped(outputs[i].str()) + ", shape=ellipse];\n";
    edge(value, node, describe(value.getType()));
  }
  return text + "}\n";
}

} // namespace ClikaRT::graph
