// How many inputs and outputs the operators of ONNX's own set have at most, by version.
#include "IO/Onnx/Operators.h"
#include "Runtime/Counted.h"

#include <unordered_map>

namespace clika::onnx {
namespace {

constexpr size_t any = std::numeric_limits<size_t>::max();

struct Counts {
  size_t inputs, outputs;
};

/// Of operators whose counts are the same in every version that is read.
struct Group {
  Counts counts;
  std::initializer_list<std::string_view> names;
};

const Group groups[] = {
    {{0, 1}, {"Constant"}},
    {{1, 1},
     {"Abs",
      "Acos",
      "Acosh",
      "ArgMax",
      "ArgMin",
      "Asin",
      "Asinh",
      "Atan",
      "Atanh",
      "AveragePool",
      "BitwiseNot",
      "Cast",
      "Ceil",
      "Celu",
      "ConstantOfShape",
      "Cos",
      "Cosh",
      "DepthToSpace",
      "Elu",
      "Erf",
      "Exp",
      "Flatten",
      "Floor",
      "Gelu",
      "GlobalAveragePool",
      "GlobalLpPool",
      "GlobalMaxPool",
      "HardSigmoid",
      "HardSwish",
      "Identity",
      "IsInf",
      "IsNaN",
      "LRN",
      "LeakyRelu",
      "Log",
      "LogSoftmax",
      "LpPool",
      "MeanVarianceNormalization",
      "Mish",
      "Neg",
      "NonZero",
      "Not",
      "Reciprocal",
      "Relu",
      "Round",
      "Selu",
      "Shape",
      "Shrink",
      "Sigmoid",
      "Sign",
      "Sin",
      "Sinh",
      "Size",
      "Softmax",
      "Softplus",
      "Softsign",
      "SpaceToDepth",
      "Sqrt",
      "Swish",
      "Tan",
      "Tanh",
      "ThresholdedRelu",
      "Transpose"}},
    {{1, 2}, {"MaxPool"}},
    {{1, 3}, {"DynamicQuantizeLinear"}},
    {{1, any}, {"If"}},
    {{2, 1}, {"Add",      "And",         "BitShift", "BitwiseAnd",     "BitwiseOr", "BitwiseXor",
              "CastLike", "CumSum",      "Div",      "Equal",          "Expand",    "Gather",
              "GatherND", "Greater",     "Less",     "GatherElements", "Mod",       "GreaterOrEqual",
              "Mul",      "LessOrEqual", "Or",       "MatMul",         "PRelu",     "Pow",
              "Reshape",  "Sub",         "Tile",     "Trilu",          "Upsample",  "RMSNormalization",
              "Xor"}},
    {{3, 1},
     {"Conv", "ConvTranspose", "DequantizeLinear", "Gemm", "GroupNormalization", "InstanceNormalization", "OneHot",
      "QuantizeLinear", "Range", "Scatter", "ScatterElements", "ScatterND", "Where"}},
    {{3, 3}, {"LayerNormalization"}},
    {{4, 1}, {"ConvInteger", "MatMulInteger", "RotaryEmbedding"}},
    {{6, 2}, {"GRU", "RNN"}},
    {{8, 1}, {"QLinearMatMul"}},
    {{8, 3}, {"LSTM"}},
    {{9, 1}, {"QLinearConv"}},
    {{any, 1}, {"Concat", "Einsum", "Max", "Mean", "Min", "Sum"}},
};

struct Version {
  int64_t since;
  Counts counts;
};

/// Of operators whose counts changed: each row holds up to the next one's version.
struct Changed {
  std::initializer_list<std::string_view> names;
  std::initializer_list<Version> versions;
};

const Changed changed[] = {
    {{"Attention"}, {{23, {6, 4}}, {24, {7, 4}}}},
    {{"BatchNormalization"}, {{1, {5, 5}}, {14, {5, 3}}}},
    {{"Clip"}, {{1, {1, 1}}, {11, {3, 1}}}},
    {{"Dropout"}, {{1, {1, 2}}, {12, {3, 2}}}},
    {{"Pad"}, {{1, {1, 1}}, {11, {3, 1}}, {18, {4, 1}}}},
    {{"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
      "ReduceSumSquare"},
     {{1, {1, 1}}, {18, {2, 1}}}},
    {{"ReduceSum", "Squeeze", "Unsqueeze"}, {{1, {1, 1}}, {13, {2, 1}}}},
    {{"Resize"}, {{10, {2, 1}}, {11, {4, 1}}}},
    {{"Slice"}, {{1, {1, 1}}, {10, {5, 1}}}},
    {{"Split"}, {{1, {1, any}}, {13, {2, any}}}},
    {{"TopK"}, {{1, {1, 2}}, {10, {2, 2}}}},
};

using Table = std::unordered_map<std::string_view, std::vector<Version>>;

Table makeTable() {
  Table table;
  for (const Group &group : groups)
    for (std::string_view name : group.names)
      table[name] = {{1, group.counts}};
  for (const Changed &row : changed)
    for (std::string_view name : row.names)
      table[name] = row.versions;
  return table;
}

/// How many there are up to the last that is not left out.
size_t countOf(const std::vector<std::string_view> &names) {
  size_t count = names.size();
  while (count > 0 && names[count - 1].empty())
    --count;
  return count;
}

std::string overflow(const char *kind, size_t given, const Node &node, size_t most) {
  if (given <= most)
    return "";
  return "has " + counted(static_cast<int64_t>(given), kind) + ", and " + std::string(node.opType) + " has " +
         (most == 0 ? "none" : "at most " + std::to_string(most));
}

} // namespace

std::string excessOf(const Node &node, int64_t opset) {
  static const Table table = makeTable();
  auto found = node.domain.empty() ? table.find(node.opType) : table.end();
  if (found == table.end())
    return "";
  std::string excess;
  for (const Version &version : found->second)
    if (opset >= version.since) {
      excess = overflow("input", countOf(node.inputs), node, version.counts.inputs);
      if (excess.empty())
        excess = overflow("output", countOf(node.outputs), node, version.counts.outputs);
    }
  return excess;
}

} // namespace clika::onnx
