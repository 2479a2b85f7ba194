#include "IO/Onnx/Model.h"
#include "Runtime/Counted.h"

#include <cstring>

namespace clika::onnx {
namespace {

void appendInts(Wire &wire, std::vector<int64_t> &into) {
  VarintRun run(wire.elements(WireType::Varint));
  while (!run.done()) {
    uint64_t value;
    if (!run.next(value))
      wire.failHere("a list of integers is cut off");
    into.push_back(static_cast<int64_t>(value));
  }
}

void appendFloats(Wire &wire, std::vector<float> &into) {
  std::string_view bytes = wire.elements(WireType::Fixed32);
  if (bytes.size() % 4 != 0)
    wire.failHere("a list of floats has " + counted(bytes.size(), "byte"));
  size_t count = bytes.size() / 4, old = into.size();
  into.resize(old + count);
  if (count)
    std::memcpy(into.data() + old, bytes.data(), bytes.size());
}

TextPair parseEntry(Wire wire) {
  TextPair entry;
  while (wire.next()) {
    if (wire.field() == 1)
      entry.key = wire.string();
    else if (wire.field() == 2)
      entry.value = wire.string();
    else
      wire.skip();
  }
  return entry;
}

void appendTensorInts(Wire &wire, Tensor &tensor) {
  if (tensor.intField != 0 && tensor.intField != wire.field())
    wire.failHere("one tensor has integers in two fields");
  tensor.intField = wire.field();
  tensor.ints.push_back(wire.elements(WireType::Varint));
}

Tensor parseTensor(Wire wire, uint64_t offset) {
  Tensor tensor;
  tensor.offset = offset;
  while (wire.next()) {
    switch (wire.field()) {
    case 1:
      appendInts(wire, tensor.dims);
      break;
    case 2:
      tensor.type = static_cast<ElementType>(wire.int32());
      break;
    case 3:
      tensor.isSegment = true;
      wire.skip();
      break;
    case 4:
      tensor.floats.push_back(wire.elements(WireType::Fixed32));
      break;
    case 5:
    case 7:
    case 11:
      appendTensorInts(wire, tensor);
      break;
    case 6:
      tensor.strings.push_back(wire.bytes());
      break;
    case 8:
      tensor.name = wire.string();
      break;
    case 9:
      tensor.raw = wire.bytes();
      break;
    case 10:
      tensor.doubles.push_back(wire.elements(WireType::Fixed64));
      break;
    case 13:
      tensor.external.push_back(parseEntry(wire.submessage("StringStringEntryProto")));
      break;
    case 14:
      tensor.isExternal = wire.varint() == 1;
      break;
    default:
      wire.skip();
    }
  }
  return tensor;
}

Tensor parseTensorField(Wire &wire) {
  uint64_t offset = wire.offset();
  return parseTensor(wire.submessage("TensorProto"), offset);
}

SparseTensor parseSparseTensor(Wire wire) {
  SparseTensor sparse;
  while (wire.next()) {
    if (wire.field() == 1)
      sparse.values = parseTensorField(wire);
    else if (wire.field() == 2)
      sparse.indices = parseTensorField(wire);
    else if (wire.field() == 3)
      appendInts(wire, sparse.dims);
    else
      wire.skip();
  }
  return sparse;
}

Dimension parseDimension(Wire wire) {
  Dimension dim;
  while (wire.next()) {
    if (wire.field() == 1)
      dim.size = wire.int64();
    else if (wire.field() == 2)
      dim.param = wire.string();
    else
      wire.skip();
  }
  return dim;
}

std::vector<Dimension> parseShape(Wire wire) {
  std::vector<Dimension> dims;
  while (wire.next()) {
    if (wire.field() == 1)
      dims.push_back(parseDimension(wire.submessage("TensorShapeProto.Dimension")));
    else
      wire.skip();
  }
  return dims;
}

void parseTensorType(Wire wire, Type &type) {
  while (wire.next()) {
    if (wire.field() == 1)
      type.element = static_cast<ElementType>(wire.int32());
    else if (wire.field() == 2)
      type.shape = parseShape(wire.submessage("TensorShapeProto"));
    else
      wire.skip();
  }
}

Type::Kind typeKind(unsigned field) {
  switch (field) {
  case 1:
    return Type::Kind::Tensor;
  case 4:
    return Type::Kind::Sequence;
  case 5:
    return Type::Kind::Map;
  case 7:
    return Type::Kind::Opaque;
  case 8:
    return Type::Kind::SparseTensor;
  case 9:
    return Type::Kind::Optional;
  default:
    return Type::Kind::None;
  }
}

Type parseType(Wire wire) {
  Type type;
  while (wire.next()) {
    Type::Kind kind = typeKind(wire.field());
    if (kind != Type::Kind::None)
      type.kind = kind;
    if (kind == Type::Kind::Tensor)
      parseTensorType(wire.submessage("TypeProto.Tensor"), type);
    else
      wire.skip();
  }
  return type;
}

ValueInfo parseValueInfo(Wire wire, uint64_t offset) {
  ValueInfo info;
  info.offset = offset;
  while (wire.next()) {
    if (wire.field() == 1)
      info.name = wire.string();
    else if (wire.field() == 2)
      info.type = parseType(wire.submessage("TypeProto"));
    else
      wire.skip();
  }
  return info;
}

void parseGraph(Wire wire, Graph &graph);

std::shared_ptr<Graph> parseSubgraph(Wire &wire) {
  auto graph = std::make_shared<Graph>();
  parseGraph(wire.submessage("GraphProto"), *graph);
  return graph;
}

/// Writers before IR version 2 left the type out: the field that is there tells it.
Attribute::Kind kindOfField(unsigned field) {
  using Kind = Attribute::Kind;
  switch (field) {
  case 2:
    return Kind::Float;
  case 3:
    return Kind::Int;
  case 4:
    return Kind::String;
  case 5:
    return Kind::Tensor;
  case 6:
    return Kind::Graph;
  case 7:
    return Kind::Floats;
  case 8:
    return Kind::Ints;
  case 9:
    return Kind::Strings;
  case 10:
    return Kind::Tensors;
  case 11:
    return Kind::Graphs;
  case 14:
    return Kind::Type;
  case 15:
    return Kind::Types;
  case 22:
    return Kind::SparseTensor;
  case 23:
    return Kind::SparseTensors;
  default:
    return Kind::Undefined;
  }
}

void parseAttributeField(Wire &wire, Attribute &attribute) {
  switch (wire.field()) {
  case 1:
    attribute.name = wire.string();
    return;
  case 2:
    attribute.f = wire.float32();
    return;
  case 3:
    attribute.i = wire.int64();
    return;
  case 4:
    attribute.s = wire.bytes();
    return;
  case 5:
  case 10:
    attribute.tensors.push_back(parseTensorField(wire));
    return;
  case 6:
  case 11:
    attribute.graphs.push_back(parseSubgraph(wire));
    return;
  case 7:
    appendFloats(wire, attribute.floats);
    return;
  case 8:
    appendInts(wire, attribute.ints);
    return;
  case 9:
    attribute.strings.push_back(wire.bytes());
    return;
  case 21:
    attribute.refName = wire.string();
    return;
  default:
    wire.skip();
  }
}

Attribute parseAttribute(Wire wire, uint64_t offset) {
  Attribute attribute;
  attribute.offset = offset;
  Attribute::Kind seen = Attribute::Kind::Undefined;
  while (wire.next()) {
    if (wire.field() == 20) {
      attribute.kind = static_cast<Attribute::Kind>(wire.int32());
      continue;
    }
    Attribute::Kind kind = kindOfField(wire.field());
    if (kind != Attribute::Kind::Undefined)
      seen = kind;
    parseAttributeField(wire, attribute);
  }
  if (attribute.kind == Attribute::Kind::Undefined)
    attribute.kind = seen;
  bool needsTensor = attribute.kind == Attribute::Kind::Tensor && attribute.tensors.size() != 1;
  bool needsGraph = attribute.kind == Attribute::Kind::Graph && attribute.graphs.size() != 1;
  if (attribute.refName.empty() && (needsTensor || needsGraph))
    wire.failHere("attribute '" + std::string(attribute.name) + "' lacks the value that its type promises");
  return attribute;
}

Attribute parseAttributeField(Wire &wire) {
  uint64_t offset = wire.offset();
  return parseAttribute(wire.submessage("AttributeProto"), offset);
}

Node parseNode(Wire wire, uint64_t offset) {
  Node node;
  node.offset = offset;
  while (wire.next()) {
    switch (wire.field()) {
    case 1:
      node.inputs.push_back(wire.string());
      break;
    case 2:
      node.outputs.push_back(wire.string());
      break;
    case 3:
      node.name = wire.string();
      break;
    case 4:
      node.opType = wire.string();
      break;
    case 5:
      node.attributes.push_back(parseAttributeField(wire));
      break;
    case 7:
      node.domain = normalDomain(wire.string());
      break;
    case 8:
      node.overload = wire.string();
      break;
    default:
      wire.skip();
    }
  }
  return node;
}

Node parseNodeField(Wire &wire) {
  uint64_t offset = wire.offset();
  return parseNode(wire.submessage("NodeProto"), offset);
}

ValueInfo parseValueInfoField(Wire &wire) {
  uint64_t offset = wire.offset();
  return parseValueInfo(wire.submessage("ValueInfoProto"), offset);
}

void parseGraph(Wire wire, Graph &graph) {
  while (wire.next()) {
    switch (wire.field()) {
    case 1:
      graph.nodes.push_back(parseNodeField(wire));
      break;
    case 2:
      graph.name = wire.string();
      break;
    case 5:
      graph.initializers.push_back(parseTensorField(wire));
      break;
    case 11:
      graph.inputs.push_back(parseValueInfoField(wire));
      break;
    case 12:
      graph.outputs.push_back(parseValueInfoField(wire));
      break;
    case 13:
      graph.values.push_back(parseValueInfoField(wire));
      break;
    case 15:
      graph.sparseInitializers.push_back(parseSparseTensor(wire.submessage("SparseTensorProto")));
      break;
    default:
      wire.skip();
    }
  }
}

OpsetImport parseOpset(Wire wire) {
  OpsetImport opset;
  while (wire.next()) {
    if (wire.field() == 1)
      opset.domain = normalDomain(wire.string());
    else if (wire.field() == 2)
      opset.version = wire.int64();
    else
      wire.skip();
  }
  return opset;
}

Function parseFunction(Wire wire, uint64_t offset) {
  Function function;
  function.offset = offset;
  while (wire.next()) {
    switch (wire.field()) {
    case 1:
      function.name = wire.string();
      break;
    case 4:
      function.inputs.push_back(wire.string());
      break;
    case 5:
      function.outputs.push_back(wire.string());
      break;
    case 6:
      function.attributes.push_back(wire.string());
      break;
    case 7:
      function.nodes.push_back(parseNodeField(wire));
      break;
    case 9:
      function.opsets.push_back(parseOpset(wire.submessage("OperatorSetIdProto")));
      break;
    case 10:
      function.domain = normalDomain(wire.string());
      break;
    case 11:
      function.defaults.push_back(parseAttributeField(wire));
      break;
    case 13:
      function.overload = wire.string();
      break;
    default:
      wire.skip();
    }
  }
  return function;
}

void parseModelField(Wire &wire, Model &model) {
  switch (wire.field()) {
  case 1:
    model.irVersion = wire.int64();
    return;
  case 7:
    if (!model.graph)
      model.graph.emplace();
    parseGraph(wire.submessage("GraphProto"), *model.graph);
    return;
  case 8:
    model.opsets.push_back(parseOpset(wire.submessage("OperatorSetIdProto")));
    return;
  case 25: {
    uint64_t offset = wire.offset();
    model.functions.push_back(parseFunction(wire.submessage("FunctionProto"), offset));
    return;
  }
  default:
    wire.skip();
  }
}

} // namespace

Model parseModel(const Source &source) {
  Model model;
  Wire wire(source, source.bytes, "ModelProto");
  while (wire.next())
    parseModelField(wire, model);
  return model;
}

const Attribute *Node::find(std::string_view attribute) const {
  for (const Attribute &candidate : attributes)
    if (candidate.name == attribute)
      return &candidate;
  return nullptr;
}

std::string describe(const Node &node) {
  std::string op = node.domain.empty() ? "" : std::string(node.domain) + ".";
  op += node.opType;
  if (!node.name.empty())
    return "node '" + std::string(node.name) + "' (" + op + ")";
  std::string text = "the " + op + " node";
  for (std::string_view output : node.outputs)
    if (!output.empty())
      return text + " that makes '" + std::string(output) + "'";
  return text + " at byte " + std::to_string(node.offset);
}

unsigned elementSize(ElementType type) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::UInt8:
  case ElementType::Int8:
    return 1;
  case ElementType::UInt16:
  case ElementType::Int16:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return 2;
  case ElementType::Float32:
  case ElementType::Int32:
  case ElementType::UInt32:
    return 4;
  case ElementType::Float64:
  case ElementType::Int64:
  case ElementType::UInt64:
    return 8;
  default:
    return 0;
  }
}

std::string elementTypeName(ElementType type) {
  static const char *const names[] = {"undefined",      "float32",  "uint8",        "int8",           "uint16",
                                      "int16",          "int32",    "int64",        "string",         "bool",
                                      "float16",        "float64",  "uint32",       "uint64",         "complex64",
                                      "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
                                      "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
                                      "uint2",          "int2",     "float6e2m3",   "float6e3m2"};
  auto index = static_cast<int32_t>(type);
  if (index < 0 || index >= static_cast<int32_t>(std::size(names)))
    return "unknown type " + std::to_string(index);
  return names[index];
}

} // namespace clika::onnx
