// Cases people reported about systems that do this job, re-expressed for this one.
#include "GraphTesting.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace testing_graphs;
using testing::HasSubstr;
using testing::StartsWith;
using Ints = std::vector<std::int64_t>;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

/// Bits, so that NaN equals NaN and -0 differs from +0.
std::vector<std::uint32_t> bits(const Tensor &tensor) {
  std::vector<std::uint32_t> result;
  for (float value : tensor.item_as_vec<float>()) {
    std::uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    result.push_back(std::isnan(value) ? 0x7fc00000u : word);
  }
  return result;
}

/// The outputs of the graph optimized with the default list equal, bit for bit, those of the graph as it is.
void expectSameBits(ModelGraph &graph, const Tensors &inputs) {
  ModelGraph plain = graph.clone();
  plain.finalize();
  graph.optimize();
  ModelGraph optimized = graph.clone();
  optimized.finalize();
  Tensors before = plain.run(inputs), after = optimized.run(inputs);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].shape(), after[i].shape());
    EXPECT_EQ(bits(before[i]), bits(after[i])) << "output " << i;
  }
}

// A3
TEST(FieldCases, aBypassedOutputIsStillTwoOutputs) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor r = ops::relu(in[0]);
    return {r, ops::concat({r}, 0)};
  });
  graph.bypass_node(graph.find_nodes(OpCode::Concat)[0]);
  EXPECT_EQ(formulas(graph), "Relu(x); Relu(x)");
  EXPECT_EQ(graph.output_names(), (std::vector<std::string>{"output_0", "output_1"}));
  EXPECT_THAT(refusal([&] { graph.remove_node(graph.find_nodes(OpCode::Relu)[0]); }), HasSubstr("the graph's outputs"));
  expectSameBits(graph, {floats({1, -1, 0, 2, -3, 4}, {2, 3})});
}

// A5
TEST(FieldCases, aConstantOrInputMayBeAnOutput) {
  Tensor k = floats({0.5F, -1, 2}, {3});
  ModelGraph graph = traced(
      [&](const Tensors &in) -> Tensors {
        return {ops::minimum(in[0], k), k, ops::relu(in[0]), in[0], floats({0.5F, -1, 2}, {3})};
      },
      {{"x", DataType::Float32, {2, 3}}});
  std::vector<std::string> names = graph.output_names();
  Tensor x = floats({1, -1, 0, 2, -3, 4}, {2, 3});
  expectSameBits(graph, {x});
  EXPECT_EQ(graph.output_names(), names);
  graph.finalize();
  Tensors results = graph.run({x});
  EXPECT_EQ(results[1].item_as_vec<float>(), k.item_as_vec<float>());
  EXPECT_EQ(results[3].item_as_vec<float>(), x.item_as_vec<float>());
  EXPECT_EQ(results[4].item_as_vec<float>(), k.item_as_vec<float>());
}

// A7
TEST(FieldCases, aMatchedValueWithAnotherReaderIsSeen) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensor m = ops::matmul(in[0], in[1]);
        return {ops::mul(m, 2.0), ops::relu(m)};
      },
      {{"a", DataType::Float32, {2, 2}}, {"b", DataType::Float32, {2, 2}}});
  std::vector<RewriteMatch> matches = graph.find_occurrences(Pattern::chain({OpCode::Matmul, OpCode::Mul}));
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].outputs.size(), 2u);
  expectSameBits(graph, {floats({1, 2, 3, 4}, {2, 2}), floats({5, 6, 7, 8}, {2, 2})});
  EXPECT_EQ(graph.find_nodes(OpCode::Matmul).size() + graph.find_nodes(OpCode::Linear).size(), 1u);
}

// A13
TEST(FieldCases, anIdentityTransposeIsNotTheOther) {
  for (bool swap : {false, true}) {
    ModelGraph graph = traced(
        [swap](const Tensors &in) -> Tensors {
          return {ops::matmul(in[0], ops::transpose(in[1], swap ? Ints{1, 0} : Ints{0, 1}))};
        },
        {{"a", DataType::Float32, {2, 2}}, {"b", DataType::Float32, {2, 2}}});
    graph.optimize();
    graph.finalize();
    Tensors results = graph.run({floats({1, 2, 3, 4}, {2, 2}), floats({5, 6, 7, 8}, {2, 2})});
    EXPECT_EQ(results[0].item_as_vec<float>(),
              (swap ? std::vector<float>{17, 23, 39, 53} : std::vector<float>{19, 22, 43, 50}));
  }
}

// A15
TEST(FieldCases, aDefaultGivenAndLeftOutAreOne) {
  ModelGraph graph("test");
  Value x = graph.add_input({"x", DataType::Float32, {2, 3}});
  Node given = graph.add_node(OpCode::LayerNorm, {x, std::nullopt, std::nullopt}, {{"epsilon", 1e-5}});
  Node left = graph.add_node(OpCode::LayerNorm, {x});
  EXPECT_EQ(given.attribute("epsilon"), left.attribute("epsilon"));
  EXPECT_EQ(given.inputs(), left.inputs());
  EXPECT_FALSE(left.input(1).has_value());
  EXPECT_FALSE(given.input(2).has_value());
}

// A17
TEST(FieldCases, aFloorOfMinusZeroIsNoRelu) {
  ModelGraph graph =
      traced([](const Tensors &in) -> Tensors { return {ops::clamp(in[0], -0.0), ops::clamp(in[0], 0)}; },
             {{"x", DataType::Float32, {2}}});
  expectSameBits(graph, {floats({-1, -0.0F}, {2})});
  EXPECT_EQ(formulas(graph), "Clamp(x); Relu(x)");
  ModelGraph nan = traced([](const Tensors &in) -> Tensors { return {ops::clamp(in[0], std::nan(""))}; });
  EXPECT_EQ(optimizeWith(nan, {transforms::clamp_to_relu()}).transforms[0].applications, 0);
}

// A19
TEST(FieldCases, equalNodesOfSeveralOutputsBecomeOne) {
  ModelGraph graph =
      traced([](const Tensors &in) -> Tensors { return {ops::topk(in[0], 2)[0], ops::topk(in[0], 2)[1]}; },
             {{"x", DataType::Float32, {4}}});
  ModelGraph plain = graph.clone();
  optimizeWith(graph, {transforms::remove_duplicates()});
  EXPECT_EQ(graph.find_nodes(OpCode::Topk).size(), 1u);
  graph.finalize();
  Tensors results = graph.run({floats({3, 9, 1, 7}, {4})});
  EXPECT_EQ(results[0].item_as_vec<float>(), (std::vector<float>{9, 7}));
  EXPECT_EQ(results[1].item_as_vec<std::int64_t>(), (Ints{1, 3}));
  ModelGraph different = traced([](const Tensors &in) -> Tensors {
    return {ops::add(in[0], in[0], 1.0, ops::Activation::Relu), ops::add(in[0], in[0], 1.0, ops::Activation::Tanh)};
  });
  EXPECT_EQ(optimizeWith(different, {transforms::remove_duplicates()}).transforms[0].applications, 0);
}

// A21
TEST(FieldCases, aBiasThatGrowsTheResultIsNoLinear) {
  auto body = [](const Tensors &in) -> Tensors {
    return {ops::add(ops::matmul(in[0], floats({1, 2, 3}, {3, 1})), floats({1, 2, 3, 4}, {1, 4}))};
  };
  ModelGraph graph = traced(body, {{"x", DataType::Float32, {3, 3}}});
  ModelGraph ruled = graph.clone();
  expectSameBits(graph, {floats({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3})});
  EXPECT_TRUE(graph.find_nodes(OpCode::Linear).empty());
  Transform fuse = transforms::rewrite("fuse", Pattern::chain({OpCode::Matmul, OpCode::Add}),
                                       [](const RewriteMatch &, const Tensors &in) {
                                         return Tensors{ops::linear(in[0], ops::transpose(in[1]), in[2])};
                                       });
  std::string before = everything(ruled);
  EXPECT_THAT(refusal([&] { optimizeWith(ruled, {fuse}); }),
              StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (fuse) failed: linear: "));
  EXPECT_EQ(everything(ruled), before);
}

// A23
TEST(FieldCases, aScaleThatBroadcastsUpStays) {
  ModelGraph graph =
      traced([](const Tensors &in) -> Tensors { return {ops::mul(ops::layer_norm(in[0]), floats({0, 0}, {2}))}; },
             {{"x", DataType::Float32, {1, 1}}});
  graph.optimize();
  graph.finalize();
  Tensor y = graph.run({floats({3}, {1, 1})})[0];
  EXPECT_EQ(y.shape(), (ClikaRT::Shape{1, 2}));
  EXPECT_EQ(y.item_as_vec<float>(), (std::vector<float>{0, 0}));
}

// A25
TEST(FieldCases, aConstantPerNewChannelIsNoScale) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        return {ops::mul(ops::conv(in[0], floats({2}, {1, 1, 1, 1})), floats({1, 3}, {1, 2, 1, 1}))};
      },
      {{"x", DataType::Float32, {1, 1, 2, 2}}});
  graph.optimize();
  graph.finalize();
  Tensor y = graph.run({floats({1, 2, 3, 4}, {1, 1, 2, 2})})[0];
  EXPECT_EQ(y.shape(), (ClikaRT::Shape{1, 2, 2, 2}));
  EXPECT_EQ(y.item_as_vec<float>(), (std::vector<float>{2, 4, 6, 8, 6, 12, 18, 24}));
}

// A27
TEST(FieldCases, batchNormAfterAGroupedConvTranspose) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensor weight = floats({1, 2}, {2, 1, 1, 1});
        Tensor y = ops::conv_transpose(in[0], weight, std::nullopt, {}, {}, {}, {}, 2);
        return {ops::batch_norm(y, floats({0, 0}, {2}), floats({1, 1}, {2}), floats({10, 100}, {2}),
                                floats({0, 0}, {2}), 0.0)};
      },
      {{"x", DataType::Float32, {1, 2, 1, 1}}});
  graph.optimize();
  graph.finalize();
  EXPECT_EQ(graph.run({floats({1, 1}, {1, 2, 1, 1})})[0].item_as_vec<float>(), (std::vector<float>{10, 200}));
}

// A29
TEST(FieldCases, float64IsKept) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        return {ops::mul(in[0], ops::sigmoid(ops::mul(in[0], 1.702))), ops::clamp(ops::relu(in[0]), -1.0, 1.0)};
      },
      {{"x", DataType::Float64, {3}}});
  graph.optimize();
  graph.finalize();
  const double x[] = {-2, 0.5, 3};
  Tensors results = graph.run({Tensor::from_data(x, {3}, DataType::Float64)});
  EXPECT_EQ(results[1].item_as_vec<double>(), (std::vector<double>{0, 0.5, 1}));
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(results[0].item_as_vec<double>()[i], x[i] / (1 + std::exp(-1.702 * x[i])), 1e-14);
}

// A31
TEST(FieldCases, zeroNaNAndInfinity) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        return {ops::mul(in[0], 0.0), ops::add(in[0], 0.0), ops::add(in[0], -0.0), ops::sub(in[0], in[0]),
                ops::sub(in[0], 0.0), ops::div(1.0, in[0]), ops::mul(in[0], 1.0)};
      },
      {{"x", DataType::Float32, {3}}});
  Tensor x = floats({kNaN, kInf, -0.0F}, {3});
  expectSameBits(graph, {x});
  graph.finalize();
  Tensors y = graph.run({x});
  EXPECT_EQ(bits(y[0]), bits(floats({kNaN, kNaN, -0.0F}, {3})));
  EXPECT_EQ(bits(y[1]), bits(floats({kNaN, kInf, 0.0F}, {3})));
  EXPECT_EQ(bits(y[2]), bits(x));
  EXPECT_EQ(bits(y[3]), bits(floats({kNaN, kNaN, 0.0F}, {3})));
  EXPECT_EQ(bits(y[5]), bits(floats({kNaN, 0.0F, -kInf}, {3})));
}

// A33
TEST(FieldCases, algebraOfRealNumbersIsTheUsersOwn) {
  auto body = [](const Tensors &in) -> Tensors { return {ops::sub(in[0], ops::add(in[0], in[1]))}; };
  std::vector<TensorSpec> two = {{"a", DataType::Float32, {1}}, {"b", DataType::Float32, {1}}};
  ModelGraph graph = traced(body, two), ruled = traced(body, two);
  expectSameBits(graph, {floats({1e8F}, {1}), floats({1}, {1})});
  Pattern pattern;
  Pattern::NodeId sub = pattern.add_node(OpCode::Sub), add = pattern.add_node(OpCode::Add);
  pattern.add_edge(add, sub, 0, 1);
  Transform rule = transforms::rewrite(
      "to_neg", pattern, [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::neg(in[1])}; },
      [](const RewriteMatch &match) { return match.nodes[0]->input(0) == match.nodes[1]->input(0); });
  optimizeWith(ruled, {rule});
  EXPECT_EQ(formulas(ruled), "Neg(b)");
  ModelGraph other =
      traced([](const Tensors &in) -> Tensors { return {ops::sub(ops::add(in[0], in[1]), in[0])}; }, two);
  EXPECT_EQ(optimizeWith(other, {rule}).transforms[0].occurrences, 0);
}

// A39
TEST(FieldCases, searchCostsTheGraph) {
  auto attempts = [](int count) {
    ModelGraph graph = traced([count](const Tensors &in) -> Tensors {
      Tensor value = in[0];
      for (int i = 0; i < count / 2; ++i)
        value = ops::neg(ops::relu(value));
      return {value};
    });
    std::int64_t asked = 0;
    ClikaRT::graph::PatternNodeOptions counted;
    counted.where = [&](const Node &) { return ++asked > 0; };
    Pattern pattern;
    Pattern::NodeId relu = pattern.add_node(OpCode::Relu, counted), neg = pattern.add_node(OpCode::Neg, counted);
    pattern.add_edge(relu, neg);
    optimizeWith(graph, {transforms::rewrite("pairs", pattern, [](const RewriteMatch &, const Tensors &in) {
                   return Tensors{ops::exp(in[0])};
                 })});
    return asked;
  };
  std::int64_t half = attempts(10000), whole = attempts(20000);
  EXPECT_GT(half, 10000);
  EXPECT_LE(static_cast<double>(whole), 2.2 * static_cast<double>(half));
}

TEST(FieldCases, foldingDoesNotBlowUp) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::relu(in[0])}; });
  Value c = graph.add_constant(floats({2}, {1}));
  Node wide = graph.add_node(OpCode::Expand, {c}, {{"shape", Ints{4096, 4096}}});
  graph.add_output(*graph.add_node(OpCode::Add, {wide.output(0), wide.output(0)}).output(0), "wide");
  graph.optimize();
  std::string path = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + "/clika_folding_test";
  graph.save(path);
  std::FILE *file = std::fopen(path.c_str(), "rb");
  std::fseek(file, 0, SEEK_END);
  EXPECT_LT(std::ftell(file), 1 << 20);
  std::fclose(file);
  std::remove(path.c_str());
}

// B21
TEST(FieldCases, staticAndDynamicBatchesAgree) {
  auto body = [](const Tensors &in) -> Tensors {
    return {ops::softmax(ops::linear(in[0], floats({1, 2, 3, 4, 5, 6}, {2, 3}), floats({0.1F, 0.2F}, {2})))};
  };
  ModelGraph fixed = traced(body, {{"x", DataType::Float32, {4, 3}}}),
             open = traced(body, {{"x", DataType::Float32, {"n", 3}}});
  fixed.finalize();
  open.finalize();
  Tensor x = floats({0.1F, 0.2F, 0.3F, -1, 2, -3, 4, 5, 6, 7, -8, 9}, {4, 3});
  EXPECT_EQ(bits(fixed.run({x})[0]), bits(open.run({x})[0]));
}

} // namespace
