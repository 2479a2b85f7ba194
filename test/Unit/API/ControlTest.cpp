// if_ and loop from C++: at once, recorded, and what a graph answers about what they hold.
#include "GraphTesting.h"

using namespace testing_graphs;
using testing::HasSubstr;

namespace {

Tensor count(std::int64_t n) { return Tensor::from_data(&n, {}, DataType::Int64); }
Tensor flag(bool value) { return Tensor::scalar(value, DataType::Bool); }

/// The relu of x + 1, or its double negation.
ModelGraph branching() {
  return traced(
      [](const Tensors &in) -> Tensors {
        Tensor y = ops::add(in[0], 1);
        return ops::if_(
            in[1], [&]() -> Tensors { return {ops::relu(ops::relu(y))}; },
            [&]() -> Tensors { return {ops::neg(ops::neg(y))}; });
      },
      {{"x", DataType::Float32, {2}}, {"c", DataType::Bool, {}}});
}

TEST(Control, aBranchIsChosenWhenItRuns) {
  ModelGraph graph = branching();
  graph.verify();
  graph.finalize();
  EXPECT_EQ(graph.run({floats({-3, 2}, {2}), flag(true)})[0].item_as_vec<float>(), (std::vector<float>{0, 3}));
  EXPECT_EQ(graph.run({floats({-3, 2}, {2}), flag(false)})[0].item_as_vec<float>(), (std::vector<float>{-2, 3}));
}

TEST(Control, aConcreteConditionTakesItsBranchAtOnce) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return ops::if_(
        false, [&]() -> Tensors { return {ops::relu(in[0])}; }, [&]() -> Tensors { return {ops::neg(in[0])}; });
  });
  EXPECT_EQ(formulas(graph), "Neg(x)");
}

ops::LoopResult powers(const Tensor &x, const ops::Operand &trips) {
  return ops::loop(trips, {}, {x}, [](const Tensor &, const Tensors &carried) {
    return ops::LoopStep{{}, {ops::mul(carried[0], 2)}, {carried[0]}};
  });
}

TEST(Control, aLoopCarriesAndKeeps) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        ops::LoopResult result = powers(in[0], in[1]);
        return {result.carried[0], result.scans[0]};
      },
      {{"x", DataType::Float32, {"n"}}, {"k", DataType::Int64, {}}});
  graph.finalize();
  Tensors results = graph.run({floats({1, 3}, {2}), count(2)});
  EXPECT_EQ(results[0].item_as_vec<float>(), (std::vector<float>{4, 12}));
  EXPECT_EQ(results[1].shape(), (ClikaRT::Shape{2, 2}));
  EXPECT_EQ(results[1].item_as_vec<float>(), (std::vector<float>{1, 3, 2, 6}));
  ops::LoopResult atOnce = powers(floats({1, 3}, {2}), 2);
  EXPECT_EQ(atOnce.scans[0].item_as_vec<float>(), results[1].item_as_vec<float>());
  EXPECT_EQ(powers(floats({1, 3}, {2}), 0).scans[0].shape(), (ClikaRT::Shape{0, 2}));
  EXPECT_EQ(graph.run({floats({1, 3}, {2}), count(0)})[1].shape(), (ClikaRT::Shape{0, 2}));
}

TEST(Control, aLoopThatReadsNothingTracedRunsAtOnce) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    ops::LoopResult result = powers(floats({1, 1, 1}, {3}), 3);
    return {ops::add(in[0], result.carried[0])};
  });
  EXPECT_EQ(formulas(graph), "Add(x, c)");
}

TEST(Control, readsInRegionsCount) {
  ModelGraph graph = branching();
  Node add = graph.find_nodes(OpCode::Add)[0], branch = graph.find_nodes(OpCode::If)[0];
  EXPECT_EQ(add.out_degree(), 2U);
  EXPECT_EQ(add.output(0)->users(), std::vector<Node>{branch});
  EXPECT_THAT(refusal([&] { graph.remove_node(add); }), HasSubstr("is read by 'if_1'"));
  EXPECT_THAT(refusal([&] { graph.add_node(OpCode::Loop, {}); }), HasSubstr("insert()"));
  Node relu = *graph.find_node("relu_1");
  EXPECT_THAT(refusal([&] { graph.add_output(*relu.output(0), "stray"); }), HasSubstr("lies in a region of 'if_1'"));
  Value after = graph.add_node(OpCode::Abs, {branch.output(0)}).outputs()[0];
  EXPECT_THAT(refusal([&] { graph.replace_all_uses_with(graph.inputs()[0], after); }), HasSubstr("cycle"));
  graph.verify();
}

TEST(Control, argumentsOfABodyAreValues) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return powers(in[0], in[1]).carried; },
                            {{"x", DataType::Float32, {2}}, {"k", DataType::Int64, {}}});
  Node mul = *graph.find_node("mul_1");
  Value carried = *mul.input(0);
  EXPECT_EQ(carried.name(), "loop_1/carried_0");
  EXPECT_FALSE(carried.producer().has_value());
  EXPECT_FALSE(carried.is_graph_input());
  EXPECT_TRUE(carried.is_valid());
  EXPECT_EQ(carried.users(), std::vector<Node>{mul});
  EXPECT_EQ(carried.to_string(), "loop_1/carried_0: float32[2]");
  graph.insert([](const Tensors &in) -> Tensors { return {ops::neg(in[0])}; }, {carried});
  graph.verify();
}

TEST(Control, aFailedEditLeavesRegionsAsTheyWere) {
  ModelGraph graph = branching();
  std::string before = everything(graph);
  Node relu = *graph.find_node("relu_1"), neg = *graph.find_node("neg_1");
  EXPECT_THAT(refusal([&] {
                graph.replace({*relu.output(0)}, [](const Tensors &in) -> Tensors { return {ops::abs(in[0])}; },
                              {*neg.output(0)});
              }),
              HasSubstr("lies in a region of 'if_1'"));
  EXPECT_EQ(everything(graph), before);
  graph.verify();
}

} // namespace
