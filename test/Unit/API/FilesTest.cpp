#include "GraphTesting.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace testing_graphs;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

std::string scratch(const std::string &name) {
  return (std::filesystem::temp_directory_path() / ("clika_files_test_" + name)).string();
}

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// y = (x + w) + c with a large w and a small c.
ModelGraph weighted() {
  std::vector<float> data(4096, 0.5F);
  data[7] = 3.0F;
  return traced(
      [&](const Tensors &in) -> Tensors { return {ops::add(ops::add(in[0], floats(data, {4096})), floats({1}, {1}))}; },
      {{"x", DataType::Float32, {"n", 1}}});
}

TEST(Files, saveAndLoadKeepGraphAndWeights) {
  ModelGraph graph = weighted();
  graph.remove_node(graph.add_node(OpCode::Relu, {graph.inputs()[0]}));
  std::string path = scratch("saved");
  graph.save(path);
  ModelGraph loaded = ModelGraph::load(path);
  EXPECT_EQ(loaded.to_mlir(), graph.to_mlir());
  EXPECT_EQ(loaded.name(), "test");
  loaded.verify();
  // The counters of names are kept.
  EXPECT_EQ(loaded.add_node(OpCode::Relu, {loaded.inputs()[0]}).name(), "relu_2");
  loaded.finalize();
  std::vector<float> result = loaded.run({floats({1}, {1, 1})})[0].item_as_vec<float>();
  EXPECT_EQ(result[7], 5.0F);
  EXPECT_EQ(result[8], 2.5F);
  std::remove(path.c_str());
}

TEST(Files, damageIsFoundBeforeAnythingIsParsed) {
  std::string path = scratch("damaged");
  weighted().save(path);
  std::string whole = bytesOf(path);
  ASSERT_GT(whole.size(), 16000u);
  for (std::size_t at = 0; at < whole.size(); at += at < 4096 ? 13 : 997) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    write(path, bytes);
    std::string answer = refusal([&] { ModelGraph::load(path); });
    // Padding between sections is covered by nothing and read by nothing.
    if (answer != "nothing was thrown")
      EXPECT_THAT(answer, StartsWith("IO | load: the file '")) << at;
    else
      EXPECT_EQ(whole[at], '\0') << at;
  }
  for (std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{64}, whole.size() / 2, whole.size() - 1}) {
    write(path, whole.substr(0, size));
    EXPECT_THAT(refusal([&] { ModelGraph::load(path); }), StartsWith("IO | load: the file '")) << size;
  }
  std::remove(path.c_str());
  EXPECT_THAT(refusal([&] { ModelGraph::load(path); }), StartsWith("IO | load: "));
  EXPECT_THAT(refusal([&] { weighted().save("/no/such/folder/graph"); }), StartsWith("IO | save: "));
}

TEST(Files, mlirTextGoesBothWays) {
  ModelGraph graph = weighted();
  ModelGraph read = ModelGraph::from_mlir(graph.to_mlir());
  EXPECT_EQ(read.to_mlir(), graph.to_mlir());
  EXPECT_EQ(read.input_names(), std::vector<std::string>{"x"});
  read.verify();
  EXPECT_THAT(refusal([] { ModelGraph::from_mlir("func.func @main("); }),
              StartsWith("INVALID_ARGUMENT | from_mlir: line 1"));
  EXPECT_THAT(refusal([] { ModelGraph::from_mlir("module {}"); }), HasSubstr("no public function"));
  EXPECT_THAT(refusal([] {
                ModelGraph::from_mlir("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = clika.relu %z : "
                                      "tensor<2xf32> return %y : tensor<2xf32> }");
              }),
              HasSubstr("undeclared"));
}

TEST(Files, dotNamesNodesAndOutputs) {
  std::string dot = pageGraph().to_dot();
  EXPECT_THAT(dot, AllOf(StartsWith("digraph \"test\" {"), HasSubstr("\"neg_1\" -> \"add_1\""), HasSubstr("output_0")));
}

} // namespace
