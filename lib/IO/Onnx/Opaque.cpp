#include "IO/Onnx/Opaque.h"

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
  return text("graph '" + std::string(graph.name) + "' of " + std::to_string(graph.nodes.size()) + " nodes", builder);
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

} // namespace

DictionaryAttr opaqueSettings(const Node &node, Importer &importer) {
  NamedAttrList settings;
  for (const Attribute &attribute : node.attributes)
    if (!attribute.name.empty())
      settings.set(StringRef(attribute.name.data(), attribute.name.size()), setting(attribute, importer));
  return settings.getDictionary(importer.builder.getContext());
}

} // namespace clika::onnx
