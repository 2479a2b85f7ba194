// Sizes that no memory holds: what says so, and with which name.
#include "GraphTesting.h"

#include <ClikaRT/error.h>

using namespace testing_graphs;
using testing::HasSubstr;
using testing::Not;

namespace {

Tensor ints(const std::vector<std::int64_t> &values) {
  return Tensor::from_data(values.data(), {static_cast<std::int64_t>(values.size())}, DataType::Int64);
}

std::string mlir(const std::string &type, const std::string &body, const std::string &result) {
  return "func.func @main(%x: " + type + ") -> " + result + " {\n" + body + "}\n";
}

TEST(Sizes, constantsWithoutMemoryAreNamed) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizers' operator new ends the program where there is no memory";
#endif
  auto constant = [](const std::string &type) {
    return mlir("tensor<f32>", "%c = clika.constant dense<1.0> : " + type + "\nreturn %c : " + type + "\n", type);
  };
  // 2^48 bytes: a legal type that no process has the addresses for.
  ModelGraph graph = ModelGraph::from_mlir(constant("tensor<70368744177664xf32>"));
  Value value = graph.outputs()[0];
  EXPECT_EQ(value.constant_scalar()->to_string(), "1.0");
  EXPECT_EQ(refusal([&] { (void)value.constant(); }),
            "OUT_OF_MEMORY | constant: no memory for a constant of float32[70368744177664]");
  EXPECT_EQ(refusal([&] { graph.finalize(); }),
            "OUT_OF_MEMORY | finalize: no memory for the constant 'c', float32[70368744177664]");
}

TEST(Sizes, runNamesTheOutputWithoutMemory) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::expand(in[0], in[1])}; },
                            {{"x", DataType::Float32, {1}}, {"to", DataType::Int64, {1}}});
  graph.finalize();
  std::vector<Tensor> inputs = {floats({1}, {1}), ints({std::int64_t{1} << 46})};
  EXPECT_EQ(
      refusal([&] { graph.run(inputs); }),
      "OUT_OF_MEMORY | run: the output 'output_0': no memory for a tensor of 281474976710656 bytes; free some, or give "
      "smaller sizes");
  EXPECT_EQ(
      refusal([&] { ops::expand(inputs[0], inputs[1]); }),
      "OUT_OF_MEMORY | expand: no memory for a tensor of 281474976710656 bytes; free some, or give smaller sizes");
  EXPECT_EQ(graph.run({floats({2}, {1}), ints({3})})[0].item_as_vec<float>(), (std::vector<float>{2, 2, 2}));
}

TEST(Sizes, expressionsDoNotWrap) {
  // What inference cannot say without wrapping is a size of its own.
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensor once = ops::tile(in[0], std::vector<std::int64_t>{std::int64_t{1} << 40});
        return {once, ops::tile(once, std::vector<std::int64_t>{std::int64_t{1} << 40})};
      },
      {{"x", DataType::UInt8, {"b"}}});
  EXPECT_EQ(graph.outputs()[0].shape()[0].name(), "b * 1099511627776");
  EXPECT_THAT(graph.outputs()[1].shape()[0].name(), Not(HasSubstr("b")));
  graph.verify();
}

} // namespace
