#include "IO/Onnx/Opaque.h"

#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "IO/Onnx/Structure.h"
#include "Runtime/Counted.h"

using namespace mlir;

namespace clika::onnx {
namespace {

/// MLIR's string attributes hold any bytes.
mlir::Attribute text(std::string_view bytes, Builder &builder) {
  return builder.getStringAttr(StringRef(bytes.data(), bytes.size()));
}

mlir::Attribute tensorSetting(const Tensor &tensor, Importer &importer) {
  if (elementSize(tensor.type) == 0)
    return text("a tensor of " + elementTypeName(tensor.type), importer.builder);
  return importer.elements(tensor, tensor.name.empty() ? "attribute" : tensor.name);
}

mlir::Attribute graphSetting(const Graph &graph, Builder &builder) {
  return text("graph '" + std::string(graph.name) + "' of " + counted(graph.nodes.size(), "node"), builder);
}

template <class List, class Convert>
mlir::Attribute list(const List &items, Builder &builder, Convert convert) {
  SmallVector<mlir::Attribute> attributes;
  for (const auto &item : items)
    attributes.push_back(convert(item));
  return builder.getArrayAttr(attributes);
}

mlir::Attribute setting(const Attribute &attribute, Importer &importer) {
  using Kind = Attribute::Kind;
  Builder &builder = importer.builder;
  switch (attribute.kind) {
  case Kind::Float:
    return builder.getF64FloatAttr(static_cast<double>(attribute.f));
  case Kind::Int:
    return builder.getI64IntegerAttr(attribute.i);
  case Kind::String:
    return text(attribute.s, builder);
  case Kind::Floats:
    return list(attribute.floats, builder, [&](float f) { return builder.getF64FloatAttr(static_cast<double>(f)); });
  case Kind::Ints:
    return builder.getDenseI64ArrayAttr(attribute.ints);
  case Kind::Strings:
    return list(attribute.strings, builder, [&](std::string_view s) { return text(s, builder); });
  case Kind::Tensor:
    return tensorSetting(attribute.tensors[0], importer);
  case Kind::Tensors:
    return list(attribute.tensors, builder, [&](const Tensor &t) { return tensorSetting(t, importer); });
  case Kind::Graph:
  case Kind::Graphs:
    return list(attribute.graphs, builder, [&](const auto &g) { return graphSetting(*g, builder); });
  default:
    return text("a value of attribute type " + std::to_string(static_cast<int32_t>(attribute.kind)), builder);
  }
}

DictionaryAttr settingsOf(const Node &node, Importer &importer) {
  NamedAttrList settings;
  for (const Attribute &attribute : node.attributes)
    if (!attribute.name.empty())
      settings.set(StringRef(attribute.name.data(), attribute.name.size()), setting(attribute, importer));
  return settings.getDictionary(importer.builder.getContext());
}

Operation *createOpaque(Importer &importer, const Node &node, ValueRange operands, TypeRange types,
                        DictionaryAttr settings, const std::string &reason) {
  OperationState state(importer.location, OpaqueOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttribute("type", text(node.opType, importer.builder));
  state.addAttribute("domain", text(node.domain, importer.builder));
  state.addAttribute("settings", settings);
  if (!reason.empty())
    state.addAttribute("reason", text(reason, importer.builder));
  return importer.builder.create(state);
}

} // namespace

bool Importer::isUnknown(const Entry &entry) {
  if (entry.value)
    return isa<NoneType>(entry.value.getType());
  return entry.tensor && elementSize(entry.tensor->type) == 0;
}

bool Importer::isOfOtherOpset(const Node &node, const Scope &scope) const {
  return options.allowUnknown && node.domain.empty() && scope.opset != 0 && !coversOpset(scope.opset);
}

mlir::Type Importer::statedType(const ValueInfo &value) {
  bool isTensor = value.type.kind == Type::Kind::Tensor && value.type.shape && elementSize(value.type.element) != 0;
  return isTensor ? mlir::Type(tensorType(value)) : NoneType::get(&context);
}

/// What the file states is of the main graph's names; a function has names of its own.
mlir::Type Importer::statedType(std::string_view output, const Scope &scope) {
  auto found = declared.find(output);
  bool isStated = scope.call == nullptr && found != declared.end();
  return isStated ? statedType(*found->second) : NoneType::get(&context);
}

std::vector<Value> Importer::buildOpaque(const Node &node, Scope &scope, const std::string &reason, bool isTyped) {
  SmallVector<Value> operands;
  for (std::string_view name : node.inputs)
    if (!name.empty())
      operands.push_back(valueOf(entryOf(name, scope)));
  for (std::string_view name : capturedNames(node))
    operands.push_back(valueOf(entryOf(name, scope)));
  SmallVector<mlir::Type> types;
  for (std::string_view output : node.outputs)
    if (!output.empty())
      types.push_back(isTyped ? statedType(output, scope) : NoneType::get(&context));
  Operation *op = createOpaque(*this, node, operands, types, settingsOf(node, *this), reason);
  std::vector<Value> results;
  unsigned next = 0;
  for (std::string_view output : node.outputs)
    results.push_back(output.empty() ? Value() : op->getResult(next++));
  return results;
}

Value Importer::opaqueConstant(std::string_view name, const std::string &what) {
  Node node;
  node.opType = "Constant";
  NamedAttrList settings;
  settings.set("value", text(what, builder));
  Operation *op = createOpaque(*this, node, {}, mlir::Type(NoneType::get(&context)), settings.getDictionary(&context),
                               what + " is not covered");
  setName(op, std::string(name));
  return op->getResult(0);
}

void Importer::dropUnnamed(Operation *before) {
  Block *block = builder.getInsertionBlock();
  while (!block->empty()) {
    // From the end, so that readers go first; what has a name is a constant or a node that others may read.
    Operation *last = nullptr;
    for (Operation &op : llvm::reverse(*block)) {
      if (&op == before)
        break;
      if (op.use_empty() && !cast<NodeOp>(op).getNodeIdentity().name) {
        last = &op;
        break;
      }
    }
    if (!last)
      return;
    last->erase();
  }
}

std::string reasonOf(const ClikaRT::Error &error, const Node &node) {
  std::string text = error.what(), start = "from_onnx: " + describe(node) + ": ";
  return text.compare(0, start.size(), start) == 0 ? text.substr(start.size()) : text;
}

} // namespace clika::onnx
