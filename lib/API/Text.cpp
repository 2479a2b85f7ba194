// Graphs as MLIR text and as a dot drawing.
#include "API/Text.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Shape.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace clika;

namespace clika {

std::string toMlir(GraphCore &core) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  core.module()->print(stream);
  return text;
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
  auto core = std::make_shared<GraphCore>(GraphContext::create(), "graph");
  DiagnosticCapture capture(core->mlir());
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, core->mlir());
  if (!module)
    invalid("from_mlir", capture.located("the text is no MLIR module"));
  core->adopt(std::move(module), "from_mlir");
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
    const OpInfo *info = infoOf(&op);
    std::string name = core.nameOf(&op);
    text += "  " + escaped(name) + " [label=" + escaped(name + ": " + std::string(info ? info->codeName : "?")) +
            (isConstant(&op) ? ", shape=ellipse, style=dashed" : "") + "];\n";
    for (mlir::Value operand : op.getOperands())
      edge(operand, name, describe(operand.getType()));
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
