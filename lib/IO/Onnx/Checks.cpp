// What a node and the types that a graph states must satisfy, and what becomes of a node that cannot be read.
#include "Dialect/Shape.h"
#include "IO/Onnx/Importer.h"
#include "IO/Onnx/Opaque.h"

using namespace mlir;

namespace clika::onnx {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// The dtype of what an entry stands for, empty where it is not known.
std::string entryDtype(const Entry &entry) {
  if (entry.tensor)
    return elementTypeName(entry.tensor->type);
  auto type = entry.value ? dyn_cast<RankedTensorType>(entry.value.getType()) : RankedTensorType();
  if (type)
    return dtypeName(type.getElementType());
  return entry.known && entry.known->element ? dtypeName(entry.known->element) : "";
}

} // namespace

void Importer::checkNode(const Node &node, const Scope &scope) const {
  for (size_t i = 0; i < node.attributes.size(); ++i) {
    std::string_view name = node.attributes[i].name;
    if (name.empty())
      failNode("has an attribute without a name");
    if (node.find(name) != &node.attributes[i])
      failNode("has two attributes named " + quoted(name));
  }
  if (isOfOtherOpset(node, scope) || findFunction(model, node))
    return;
  std::string excess = excessOf(node, scope.opset);
  if (!excess.empty())
    failNode(excess);
}

Refusal Importer::refuse(const Node &node, const ClikaRT::Error &error) {
  if (!isRefusal(error))
    throw;
  bool isUnsupported = error.status() == ClikaRT::Status::Unsupported;
  bool isTold = error.code_name() == followsCode;
  if (!isTold && !(options.allowUnknown && isUnsupported))
    refusals.add(textOf(error), error.status());
  return {reasonOf(error, node), isUnsupported};
}

void Importer::checkStated(const Graph &graph, const Scope &scope) {
  std::unordered_map<std::string_view, const Node *> producers;
  auto check = [&](const ValueInfo &value) {
    bool isTensor = value.type.kind == Type::Kind::Tensor;
    if (value.type.kind == Type::Kind::None || (isTensor && value.type.element == ElementType::Undefined))
      return;
    auto found = scope.entries.find(value.name);
    std::string given = found == scope.entries.end() ? "" : entryDtype(*found->second);
    std::string stated = isTensor ? elementTypeName(value.type.element) : "no tensor";
    if (given.empty() || given == stated)
      return;
    std::string what = quoted(value.name);
    if (producers.empty())
      for (const Node &node : graph.nodes)
        for (std::string_view output : node.outputs)
          producers.emplace(output, &node);
    if (auto producer = producers.find(value.name); producer != producers.end())
      what = describe(*producer->second) + ": its output " + what;
    refusals.add(what + " is " + given + ", and the file states that it is " + stated,
                 ClikaRT::Status::InvalidArgument);
  };
  llvm::for_each(graph.inputs, check);
  llvm::for_each(graph.values, check);
  llvm::for_each(graph.outputs, check);
}

} // namespace clika::onnx
