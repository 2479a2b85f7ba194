// Private functions from C++: made, called, asked, rewritten, inlined.
#include "GraphTesting.h"

#include <ClikaRT/control.h>
#include <ClikaRT/pattern_transform.h>

using namespace testing_graphs;
using ClikaRT::graph::MatchResult;
using ClikaRT::graph::PatternTransform;
using ClikaRT::graph::RewriteMatch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

Tensors doubleNegation(const Tensors &in) { return {ops::neg(ops::neg(ops::relu(in[0])))}; }

/// Two calls in a row of a function over rows and columns of any number.
ModelGraph calling() {
  ModelGraph graph("calling");
  graph.add_function("block", doubleNegation, {{"x", DataType::Float32, {"m", "n"}}});
  Value x = graph.add_input({"x", DataType::Float32, {"batch", 2}});
  Value y = graph.insert([](const Tensors &in) { return ops::call("block", ops::call("block", in)); }, {x})[0];
  graph.add_output(y, "y");
  return graph;
}

std::vector<float> ran(const ModelGraph &graph) {
  ModelGraph copy = graph.clone();
  copy.finalize();
  return copy.run({floats({-1, 2, 3, -4}, {2, 2})})[0].item_as_vec<float>();
}

TEST(Functions, areMadeAskedAndRun) {
  ModelGraph graph = calling();
  graph.verify();
  EXPECT_THAT(graph.function_names(), ElementsAre("block"));
  std::vector<Node> nodes = graph.function_nodes("block");
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].function(), "block");
  EXPECT_FALSE(graph.nodes()[1].function().has_value());
  EXPECT_EQ(graph.function_inputs("block")[0].to_string(), "@block/x: float32[m, n]");
  EXPECT_EQ(graph.function_outputs("block"), nodes[2].outputs());
  EXPECT_EQ(graph.outputs()[0].to_string(), "call_2: float32[batch, 2]");
  EXPECT_EQ(ran(graph), (std::vector<float>{0, 2, 3, 0}));
  EXPECT_EQ(ModelGraph::from_mlir(graph.to_mlir()).to_mlir(), graph.to_mlir());
}

TEST(Functions, areRewrittenOnceAndUndone) {
  ModelGraph graph = calling();
  std::string before = everything(graph);
  Node neg = graph.function_nodes("block")[2];
  OptimizeOptions options;
  options.check.emplace();
  options.transforms = std::vector<Transform>{transforms::remove_double_neg(), transform("fails", [](ModelGraph &g) {
                                                g.inline_functions();
                                                throw std::runtime_error("mine");
                                              })};
  EXPECT_THAT(refusal([&] { graph.optimize(options); }), HasSubstr("mine"));
  EXPECT_EQ(everything(graph), before);
  EXPECT_TRUE(neg.is_valid());
  options.transforms->pop_back();
  OptimizeReport report = graph.optimize(options);
  EXPECT_EQ(report.rewrites, 1);
  ASSERT_EQ(report.regions.size(), 1U);
  EXPECT_EQ(report.regions[0].path, "@block");
  EXPECT_EQ(report.regions[0].nodes_after, 1);
  EXPECT_EQ(ran(graph), (std::vector<float>{0, 2, 3, 0}));
}

TEST(Functions, mayBeAddedByAPatternClass) {
  struct Outline : PatternTransform {
    Outline() : PatternTransform("outline") {}
    std::vector<OpCode> root_op_codes() const override { return {OpCode::Exp}; }
    MatchResult match(const ModelGraph &, const Node &node) const override {
      return node.function() ? no_match(node, "it is in a function") : result({node});
    }
    Tensors apply(ModelGraph &graph, const RewriteMatch &, const Tensors &in) const override {
      graph.add_function("exp", [](const Tensors &t) -> Tensors { return {ops::exp(t[0])}; },
                         {{"x", DataType::Float32, {"n"}}});
      return ops::call("exp", in);
    }
  };
  ModelGraph graph =
      traced([](const Tensors &in) -> Tensors { return {ops::exp(in[0])}; }, {{"x", DataType::Float32, {3}}});
  OptimizeReport report = optimizeWith(graph, {std::make_shared<Outline>()});
  EXPECT_EQ(report.rewrites, 1);
  EXPECT_EQ(formulas(graph), "Call(x)");
  EXPECT_THAT(graph.function_names(), ElementsAre("exp"));
  graph.verify();
}

TEST(Functions, areInlinedAndRemoved) {
  ModelGraph graph = calling();
  EXPECT_THAT(refusal([&] { graph.remove_function("block"); }), HasSubstr("is called by 'call_1'"));
  graph.inline_functions();
  graph.verify();
  EXPECT_TRUE(graph.function_names().empty());
  EXPECT_EQ(formulas(graph), "Neg(Neg(Relu(Neg(Neg(Relu(x))))))");
  EXPECT_EQ(ran(graph), (std::vector<float>{0, 2, 3, 0}));
  EXPECT_THAT(refusal([&] { graph.function_nodes("block"); }), HasSubstr("no private function 'block'; it has none"));
}

TEST(Functions, whatDoesNotFitIsRefused) {
  ModelGraph graph = calling();
  std::string before = everything(graph);
  Value x = graph.inputs()[0];
  Node relu = graph.function_nodes("block")[0];
  EXPECT_THAT(refusal([&] { ops::call("block", {floats({1}, {1})}); }), StartsWith("FAILED_PRECONDITION | call: "));
  EXPECT_THAT(refusal([&] { graph.insert([](const Tensors &in) { return ops::call("block", {in[0], in[0]}); }, {x}); }),
              HasSubstr("call: the function 'block': the call has 2 inputs, and the function takes 1"));
  EXPECT_THAT(refusal([&] {
                graph.replace(relu.outputs(), [](const Tensors &in) { return ops::call("block", in); }, relu.inputs());
              }),
              HasSubstr("the function 'block' would call itself"));
  EXPECT_THAT(refusal([&] { graph.add_function("main", doubleNegation, {}); }), HasSubstr("is the graph's own"));
  EXPECT_THAT(refusal([&] { graph.add_function("none", nullptr, {}); }), HasSubstr("the function given is empty"));
  EXPECT_EQ(everything(graph), before);
}

} // namespace
