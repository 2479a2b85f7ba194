// An ONNX model as light structs. Every string_view points into the mapped file.
#pragma once
#include "IO/Onnx/Wire.h"

#include <memory>
#include <optional>
#include <vector>

namespace clika::onnx {

/// TensorProto.DataType.
enum class ElementType : int32_t {
  Undefined = 0,
  Float32 = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Float64 = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
};

struct TextPair {
  std::string_view key;
  std::string_view value;
};

struct Tensor {
  std::string_view name;
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims;
  std::optional<std::string_view> raw;
  /// Runs of encoded elements, in order. `ints` holds int32_data, int64_data or uint64_data, by `intField`.
  std::vector<std::string_view> floats, doubles, ints;
  unsigned intField = 0;
  std::vector<std::string_view> strings;
  std::vector<TextPair> external;
  bool isExternal = false;
  bool isSegment = false;
  uint64_t offset = 0;
};

struct SparseTensor {
  Tensor values, indices;
  std::vector<int64_t> dims;
};

struct Dimension {
  std::optional<int64_t> size;
  std::string_view param;
};

struct Type {
  enum class Kind { None, Tensor, Sequence, Map, Optional, SparseTensor, Opaque };
  Kind kind = Kind::None;
  ElementType element = ElementType::Undefined;
  std::optional<std::vector<Dimension>> shape;
};

struct ValueInfo {
  std::string_view name;
  Type type;
  uint64_t offset = 0;
};

struct Graph;

struct Attribute {
  enum class Kind : int32_t {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    Type = 13,
    Types = 14,
  };
  std::string_view name;
  std::string_view refName;
  Kind kind = Kind::Undefined;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<Tensor> tensors;
  std::vector<std::shared_ptr<Graph>> graphs;
  uint64_t offset = 0;
};

struct Node {
  std::string_view name, opType, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> attributes;
  uint64_t offset = 0;

  const Attribute *find(std::string_view attribute) const;
};

struct Graph {
  std::string_view name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<SparseTensor> sparseInitializers;
  std::vector<ValueInfo> inputs, outputs, values;
};

struct OpsetImport {
  std::string_view domain;
  int64_t version = 0;
};

struct Function {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs, attributes;
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
  std::vector<OpsetImport> opsets;
  uint64_t offset = 0;
};

struct Model {
  int64_t irVersion = 0;
  std::vector<OpsetImport> opsets;
  std::optional<Graph> graph;
  std::vector<Function> functions;
};

/// Throws ClikaRT::Error (Io) with the byte where the file is damaged.
Model parseModel(const Source &source);

/// "ai.onnx" is another spelling of the default domain.
inline std::string_view normalDomain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

/// How errors name a node: `node 'name' (Conv)`, or by its first output and its byte where it has no name.
std::string describe(const Node &node);

std::string elementTypeName(ElementType type);
/// Bytes of an element in memory; 0 for the types that the reader does not cover.
unsigned elementSize(ElementType type);

} // namespace clika::onnx
