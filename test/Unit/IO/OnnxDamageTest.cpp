// Every truncation and every changed byte of small models: an error of ours or a model, never a crash. The bytes lie in
// a block of exactly their size, so that the sanitizers see any read beyond them.
#include "IO/Onnx/Structure.h"
#include "IO/Onnx/Weights.h"
#include "OnnxWriter.h"

#include <gmock/gmock.h>
#include <cstring>
#include <memory>

namespace {

using namespace clika::onnx;
namespace w = onnx_writer;

void readAll(const Graph &graph, WeightReader &weights) {
  std::vector<std::string_view> known, outputs;
  for (const ValueInfo &input : graph.inputs)
    known.push_back(input.name);
  for (const Tensor &initializer : graph.initializers) {
    known.push_back(initializer.name);
    Weights data = weights.read(initializer, "initializer '" + std::string(initializer.name) + "'");
    volatile char sum = 0;
    for (char byte : data.bytes)
      sum = sum + byte;
  }
  for (const ValueInfo &output : graph.outputs)
    outputs.push_back(output.name);
  orderNodes(graph.nodes, known, outputs, "graph");
}

/// Whether the bytes were read as a model.
bool isRead(const std::string &bytes) {
  std::unique_ptr<char[]> exact(new char[bytes.size()]);
  std::memcpy(exact.get(), bytes.data(), bytes.size());
  try {
    Model model = parseModel({"m.onnx", {exact.get(), bytes.size()}});
    checkModel(model);
    WeightReader weights("m.onnx", nullptr);
    readAll(*model.graph, weights);
    return true;
  } catch (const ClikaRT::Error &error) {
    EXPECT_THAT(error.what(), testing::StartsWith("from_onnx: "));
    return false;
  }
}

std::string richModel() {
  std::vector<int64_t> ints = {1, -1, 1000};
  std::vector<float> floats = {1, 2};
  std::string body = w::graph({{w::node("Neg", {"x"}, {"out"})}, {}, {}, {w::valueInfo("out", 1, {})}, {}});
  std::string constant = w::tensor("", 7, {3}, [&](auto &p) { p.add_packed_int64(7, ints.begin(), ints.end()); });
  std::vector<std::string> attributes = {
      w::attribute("i", 2, [](auto &p) { p.add_int64(3, -1); }),
      w::attribute("f", 1, [](auto &p) { p.add_float(2, 1); }),
      w::attribute("s", 3, [](auto &p) { p.add_bytes(4, "text"); }),
      w::attribute("is", 7, [&](auto &p) { p.add_packed_int64(8, ints.begin(), ints.end()); }),
      w::attribute("fs", 6, [&](auto &p) { p.add_packed_float(7, floats.begin(), floats.end()); }),
      w::attribute("t", 4, [&](auto &p) { p.add_message(5, constant); }),
      w::attribute("g", 5, [&](auto &p) { p.add_message(6, body); }),
  };
  std::string function = w::message([](auto &p) {
    p.add_string(1, "Twice");
    p.add_string(4, "x");
    p.add_string(5, "y");
    p.add_message(7, w::node("Add", {"x", "x"}, {"y"}));
    p.add_message(9, w::opset(17));
    p.add_string(10, "local");
  });
  return w::model(
      {{w::node("Relu", {"x"}, {"a"}, "first", attributes), w::node("Twice", {"a"}, {"y"}, "", {}, "local")},
       {w::tensor("r", 1, {2, 1}, w::raw<float>({1, 2})),
        w::tensor("c", 7, {3}, [&](auto &p) { p.add_packed_int64(7, ints.begin(), ints.end()); })},
       {w::valueInfo("x", 1, {-1, 3})},
       {w::valueInfo("y", 1, {-1, 3})},
       {function}});
}

TEST(OnnxDamage, TheWholeModelIsRead) { EXPECT_TRUE(isRead(richModel())); }

TEST(OnnxDamage, EveryTruncation) {
  std::string file = richModel();
  std::vector<size_t> read;
  for (size_t size = 0; size < file.size(); ++size)
    if (isRead(file.substr(0, size)))
      read.push_back(size);
  // What is complete without its last field: here only the function, which the graph's check does not need.
  EXPECT_EQ(read.size(), 1u);
}

TEST(OnnxDamage, EveryChangedByte) {
  std::string file = richModel();
  size_t refused = 0;
  for (size_t at = 0; at < file.size(); ++at) {
    char old = file[at];
    for (int value = 0; value < 256; ++value) {
      file[at] = static_cast<char>(value);
      refused += !isRead(file);
    }
    file[at] = old;
  }
  EXPECT_GT(refused, file.size() * 64);
}

TEST(OnnxDamage, EveryMissingOrDoubledByte) {
  std::string file = richModel();
  for (size_t at = 0; at < file.size(); ++at) {
    isRead(file.substr(0, at) + file.substr(at + 1));
    isRead(file.substr(0, at) + file[at] + file.substr(at));
  }
}

} // namespace
