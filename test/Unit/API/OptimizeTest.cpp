#include "GraphTesting.h"

#include <thread>

using namespace testing_graphs;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

void dropRepeatedRelu(ModelGraph &graph) {
  for (const Node &relu : graph.find_nodes(OpCode::Relu)) {
    std::optional<Node> producer = relu.input(0)->producer();
    if (producer && producer->op_code() == OpCode::Relu)
      graph.bypass_node(relu);
  }
}

Transform reads(const std::string &name) {
  return transform(name, [](ModelGraph &graph) { graph.nodes(); });
}

TEST(Optimize, countsTheIterationsThatChanged) {
  ModelGraph graph = pageGraph();
  OptimizeReport report = optimizeWith(graph, {reads("looks"), transform("drops", dropRepeatedRelu)});
  EXPECT_EQ(report.iterations, 2);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.transforms[0].applications, 0);
  EXPECT_EQ(report.transforms[1].applications, 1);
  EXPECT_EQ(report.nodes_before, 5);
  EXPECT_EQ(report.nodes_after, 4);
  EXPECT_THAT(report.to_string(), HasSubstr("5 -> 4 nodes"));
}

TEST(Optimize, theReportTellsAttemptsPhasesReasonsAndTheLog) {
  ModelGraph graph = pageGraph();
  Pattern relu;
  relu.add_node(OpCode::Relu);
  Transform declines = transforms::rewrite(
      "declines", relu, [](const RewriteMatch &, const std::vector<Tensor> &in) { return in; },
      [](const RewriteMatch &) { return ClikaRT::graph::Declined("not today"); });
  OptimizeOptions options;
  options.transforms = {{declines, transforms::remove_redundant_relu()}};
  options.record = true;
  OptimizeReport report = graph.optimize(options);
  std::string text = report.to_string(), json = report.to_json();
  EXPECT_THAT(text, testing::ContainsRegex("^transform +applications +rewrites +attempts "));
  EXPECT_THAT(text,
              testing::ContainsRegex(
                  "\nms by phase: match [0-9.]+, rewrite [0-9.]+, cleanup 0.000, fold 0.000, in regions 0.000\n"));
  EXPECT_THAT(text, HasSubstr("\nwhat declines left alone:\n  3 times: not today (relu_1, relu_2)\n"));
  EXPECT_THAT(json, HasSubstr("\"reason\": \"not today\""));
  EXPECT_THAT(json, HasSubstr("\"transform\": \"remove_redundant_relu\""));
  EXPECT_THAT(json, HasSubstr("\"removed\": [\n"));
  OptimizeOptions unrecorded;
  unrecorded.transforms.emplace();
  EXPECT_THAT(graph.optimize(unrecorded).to_json(), HasSubstr("\"log\": null"));
}

TEST(Optimize, anEmptyListRunsNothing) {
  ModelGraph graph = pageGraph();
  OptimizeReport report = optimizeWith(graph, {});
  EXPECT_EQ(report.iterations, 1);
  EXPECT_TRUE(report.transforms.empty());
  EXPECT_EQ(formulas(graph), "Add(Relu(Relu(x)), Neg(x))");
}

TEST(Optimize, theListIsCheckedFirst) {
  ModelGraph graph = pageGraph();
  Transform first = reads("first"),
            second = Transform::from_function("second", [](ModelGraph &) -> Result<void> { return {}; }, {first});
  EXPECT_EQ(refusal([&] { optimizeWith(graph, {second, first}); }),
            "INVALID_ARGUMENT | optimize: transforms[0] (second) must run after first, which the list places later, at "
            "transforms[1]; list first ahead of it");
  // Every position of the one must come after every position of the other.
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {first, second, first}); }), HasSubstr("at transforms[2]"));
  EXPECT_EQ(optimizeWith(graph, {first, first, second, second}).transforms.size(), 4u);
  EXPECT_EQ(optimizeWith(graph, {second}).iterations, 1);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {first, reads("first")}); }),
              HasSubstr("different transforms of one name"));
  EXPECT_THAT(refusal([] { reads(""); }), StartsWith("INVALID_ARGUMENT | from_function: "));
  EXPECT_THAT(refusal([] { reads("remove_unused"); }), HasSubstr("one of the runtime's transforms"));
}

TEST(Optimize, handlesOfOneRuntimeTransformAreEqual) {
  EXPECT_EQ(transforms::clamp_to_relu(), transforms::get("clamp_to_relu"));
  EXPECT_NE(transforms::clamp_to_relu(), transforms::remove_double_neg());
  Transform mine = reads("mine");
  EXPECT_EQ(mine, Transform(mine));
  EXPECT_NE(mine, reads("mine"));
  EXPECT_THAT(refusal([] { transforms::get("clamp"); }), AllOf(StartsWith("NOT_FOUND"), HasSubstr("clamp_to_relu")));
  for (const Transform &runtime : transforms::runtime_transforms())
    EXPECT_FALSE(runtime.summary().empty()) << runtime.name();
}

TEST(Optimize, aFailureUndoesTheRun) {
  ModelGraph graph = pageGraph();
  graph.add_constant(floats({1}, {1}), "k");
  std::vector<Node> nodes = graph.nodes();
  std::string before = everything(graph);
  Transform everyEdit = transform("edits", [](ModelGraph &g) {
    dropRepeatedRelu(g);
    g.add_output(g.inputs()[0], "echo");
    g.rename_output("output_0", "y");
    g.rename_input("x", "z");
    g.add_input({"w", DataType::Float32, {1}});
    g.rename_node(g.find_nodes(OpCode::Neg)[0], "minus");
    g.add_constant(floats({2}, {1}), "k2");
  });
  Transform fails = Transform::from_function(
      "fails", [](ModelGraph &) { return Result<void>(ClikaRT::Status::Unsupported, "no", "WHY"); });
  EXPECT_EQ(refusal([&] { optimizeWith(graph, {everyEdit, fails}); }),
            "WHY | optimize: transforms[1] (fails) failed: no");
  EXPECT_EQ(everything(graph), before);
  for (const Node &node : nodes)
    EXPECT_TRUE(node.is_valid());
  EXPECT_EQ(graph.nodes(), nodes);
  graph.verify();
  // Names made during the run are not made again.
  EXPECT_EQ(refusal([&] {
              optimizeWith(graph, {transform("adds", [](ModelGraph &g) {
                             EXPECT_EQ(g.add_node(OpCode::Relu, {g.inputs()[0]}).name(), "relu_3");
                             throw std::runtime_error("stop");
                           })});
            }),
            "INTERNAL | optimize: transforms[0] (adds) failed: stop");
  EXPECT_EQ(graph.add_node(OpCode::Relu, {graph.inputs()[0]}).name(), "relu_4");
}

TEST(Optimize, whatATransformThrowsIsMapped) {
  ModelGraph graph = pageGraph();
  EXPECT_EQ(refusal([&] { optimizeWith(graph, {transform("t", [](ModelGraph &) { throw std::bad_alloc(); })}); }),
            "OUT_OF_MEMORY | optimize: transforms[0] (t) failed: there is no memory left");
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {transform("t", [](ModelGraph &) { throw 7; })}); }),
              StartsWith("INTERNAL | optimize: transforms[0] (t) failed: "));
  Transform reaches = transforms::rewrite("reaches", Pattern::chain({OpCode::Neg}),
                                          [](const RewriteMatch &, const Tensors &in) { return Tensors{in.at(3)}; });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {reaches}); }),
              StartsWith("INTERNAL | optimize: transforms[0] (reaches) failed: vector"));
  EXPECT_EQ(refusal([&] {
              optimizeWith(graph, {transform("t", [](ModelGraph &) { throw std::invalid_argument("no such mode"); })});
            }),
            "INTERNAL | optimize: transforms[0] (t) failed: no such mode");
  struct Foreign {};
  EXPECT_THROW(optimizeWith(graph, {transform("t",
                                              [](ModelGraph &) {
                                                throw ClikaRT::detail::PassThrough{std::make_exception_ptr(Foreign{})};
                                              })}),
               Foreign);
  EXPECT_EQ(formulas(graph), "Add(Relu(Relu(x)), Neg(x))");
}

TEST(Optimize, aTransformMayNotDoEverything) {
  ModelGraph graph = pageGraph();
  auto inside = [&](std::function<void(ModelGraph &)> fn) {
    return refusal([&] { optimizeWith(graph, {transform("t", fn)}); });
  };
  EXPECT_EQ(inside([](ModelGraph &g) { g.finalize(); }),
            "FAILED_PRECONDITION | optimize: transforms[0] (t) failed: finalize: the transform 't' is running on this "
            "graph inside optimize(); call finalize() after optimize() returns");
  EXPECT_THAT(inside([](ModelGraph &g) { g.optimize(); }), HasSubstr("failed: optimize: the transform 't' is running"));
  EXPECT_THAT(inside([](ModelGraph &g) { g.to(ClikaRT::Device{}); }), HasSubstr("failed: to: the transform 't'"));
  EXPECT_THAT(inside([](ModelGraph &g) { ModelGraph moved = std::move(g); }), StartsWith("FAILED_PRECONDITION"));
  EXPECT_THAT(inside([](ModelGraph &g) { g = pageGraph(); }), StartsWith("FAILED_PRECONDITION"));
  EXPECT_THAT(inside([](ModelGraph &g) {
                ModelGraph other = pageGraph();
                other = std::move(g);
              }),
              StartsWith("FAILED_PRECONDITION"));
  std::string elsewhere;
  optimizeWith(graph, {transform("t", [&](ModelGraph &g) {
                 std::thread([&] {
                   g.nodes();
                   elsewhere = refusal([&] { g.rename_output("output_0", "y"); });
                 }).join();
               })});
  EXPECT_THAT(elsewhere,
              StartsWith("FAILED_PRECONDITION | rename_output: optimize() is running on this graph in another "
                         "thread"));
  EXPECT_EQ(formulas(graph), "Add(Relu(Relu(x)), Neg(x))");
}

TEST(Optimize, aTransformMayWorkOnOtherGraphs) {
  ModelGraph graph = pageGraph(), other = pageGraph();
  optimizeWith(graph, {transform("t", [&](ModelGraph &) {
                 optimizeWith(other, {transform("drops", dropRepeatedRelu)});
                 ModelGraph third = pageGraph();
               })});
  EXPECT_EQ(formulas(other), "Add(Relu(x), Neg(x))");
}

TEST(Optimize, anEditThatChangesNothingIsNoChange) {
  ModelGraph graph = pageGraph();
  OptimizeReport report = optimizeWith(graph, {transform("same", [](ModelGraph &g) {
                                         Node add = g.find_nodes(OpCode::Add)[0];
                                         g.set_input(add, 0, add.input(0));
                                         g.set_attribute(add, "alpha", 1.0);
                                         g.rename_node(add, add.name());
                                         g.replace_all_uses_with(*add.input(0), *add.input(0));
                                       })});
  EXPECT_EQ(report.transforms[0].applications, 0);
  // A change that is reversed at once is a change.
  OptimizeOptions once;
  once.max_iterations = 1;
  once.transforms = std::vector<Transform>{
      transform("back", [](ModelGraph &g) { g.remove_node(g.add_node(OpCode::Relu, {g.inputs()[0]})); })};
  EXPECT_EQ(graph.optimize(once).transforms[0].applications, 1);
}

TEST(Optimize, itStopsWhatDoesNotEnd) {
  ModelGraph graph = pageGraph();
  Transform grows = transform("grows", [](ModelGraph &g) { g.add_node(OpCode::Relu, {g.inputs()[0]}); });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {grows}); }),
              AllOf(StartsWith("NOT_CONVERGED | optimize: "), HasSubstr("'grows'")));
  EXPECT_EQ(graph.nodes().size(), 5u);
  OptimizeOptions budget;
  budget.transforms = std::vector<Transform>{grows};
  budget.max_iterations = 3;
  OptimizeReport report = graph.optimize(budget);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_FALSE(report.converged);
  budget.max_iterations = -1;
  EXPECT_THAT(refusal([&] { graph.optimize(budget); }), HasSubstr("max_iterations is -1"));
}

TEST(Optimize, anInterruptionUndoesTheRun) {
  ModelGraph graph = pageGraph();
  int asked = 0;
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{transform("drops", dropRepeatedRelu)};
  options.interrupted = [&] { return ++asked == 2; };
  EXPECT_THAT(refusal([&] { graph.optimize(options); }), StartsWith("INTERRUPTED | optimize: "));
  EXPECT_EQ(formulas(graph), "Add(Relu(Relu(x)), Neg(x))");
}

TEST(Optimize, runtimeEntriesDoOnlyWhatTheyAreNamedFor) {
  // An unused Neg and an Add of constants.
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    ops::neg(in[0]);
    return {ops::relu(ops::relu(in[0]))};
  });
  Value one = graph.add_constant(floats({1}, {1}));
  Node sum = graph.add_node(OpCode::Add, {one, one});
  graph.add_output(*sum.output(0), "two");
  std::size_t before = graph.nodes().size();
  OptimizeReport report = optimizeWith(graph, {transforms::remove_redundant_relu()});
  EXPECT_EQ(report.transforms[0].applications, 1);
  EXPECT_EQ(graph.nodes().size(), before - 1);
  EXPECT_EQ(optimizeWith(graph, {transforms::remove_redundant_relu()}).transforms[0].applications, 0);
}

TEST(Optimize, aRuntimeRewriteHandsNameAndHandleOn) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::clamp(in[0], 0.0)}; });
  Node clamp = graph.find_nodes(OpCode::Clamp)[0];
  std::string before = everything(graph);
  Transform fails = transform("fails", [](ModelGraph &) { throw std::runtime_error("no"); });
  refusal([&] { optimizeWith(graph, {transforms::clamp_to_relu(), fails}); });
  EXPECT_EQ(everything(graph), before);
  EXPECT_EQ(clamp.op_code(), OpCode::Clamp);
  optimizeWith(graph, {transforms::clamp_to_relu()});
  EXPECT_EQ(clamp.name(), "clamp_1");
  EXPECT_EQ(clamp.op_code(), OpCode::Relu);
  graph.verify();
}

TEST(Optimize, aFoldedNodeIsAValueAndNoNode) {
  ModelGraph graph = pageGraph();
  Value one = graph.add_constant(floats({1}, {1}));
  Node sum = graph.add_node(OpCode::Add, {one, one});
  Value two = *sum.output(0);
  graph.add_output(two, "two");
  optimizeWith(graph, {transforms::fold_constants()});
  EXPECT_TRUE(graph.find_nodes(OpCode::Add).size() == 1u);
  EXPECT_FALSE(sum.is_valid());
  EXPECT_THAT(refusal([&] { sum.op_code(); }), StartsWith("NOT_FOUND | op_code: the node 'add_2'"));
  EXPECT_EQ(two.constant()->item_as_vec<float>(), std::vector<float>{2});
  EXPECT_FALSE(graph.find_node("add_2").has_value());
  graph.verify();
}

TEST(Optimize, theDefaultListComputesTheSame) {
  ModelGraph graph = pageGraph();
  OptimizeOptions options;
  options.check = ClikaRT::graph::Check{};
  OptimizeReport report = graph.optimize(options);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.transforms.size(), graph.default_transforms().size());
}

TEST(Optimize, aTransformThatDestroysItsGraphIsNamed) {
  auto graph = std::make_unique<ModelGraph>(pageGraph());
  Value output = graph->outputs()[0];
  Transform destroys = transform("destroys", [&](ModelGraph &) { graph.reset(); });
  Transform after = transform("after", [](ModelGraph &) { FAIL() << "there is no graph to run on"; });
  EXPECT_THAT(refusal([&] { optimizeWith(*graph, {destroys, after}); }),
              AllOf(StartsWith("FAILED_PRECONDITION | optimize: transforms[0] (destroys) failed: "),
                    HasSubstr("destroyed the graph")));
  EXPECT_EQ(output.producer()->op_code(), OpCode::Add);
}

TEST(Optimize, checkTakesWhatRunTakes) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(ops::add(in[0], in[1]))}; },
                            {{"x", DataType::Float32, {"n", 3}}, {"y", DataType::Float32, {"n", 3}}});
  Transform wrong =
      transforms::rewrite("wrong", Pattern::chain(std::vector<OpCode>{OpCode::Neg}),
                          [](const RewriteMatch &, const Tensors &in) -> Tensors { return {ops::relu(in[0])}; });
  OptimizeOptions options;
  options.transforms = std::vector<Transform>{wrong};
  auto refused = [&](Tensors inputs) {
    options.check = ClikaRT::graph::Check{.inputs = std::move(inputs), .ranges = {}};
    return refusal([&] { graph.optimize(options); });
  };
  Tensor ones = floats(std::vector<float>(6, 1), {2, 3});
  EXPECT_THAT(refused({ones}), StartsWith("INVALID_ARGUMENT | optimize: check: 1 input was given; the graph has 2"));
  EXPECT_THAT(refused({ones, floats({1, 1, 1}, {1, 3})}), HasSubstr("and n is 2 in the input 'x'"));
  EXPECT_THAT(refused({ones, floats({1, 1}, {2, 1})}), HasSubstr("the input 'y' has the shape [2, 1]"));
  EXPECT_THAT(refused({ones, Tensor::full({2, 3}, 1.0, DataType::Float64)}), HasSubstr("the input 'y' is float64"));
  EXPECT_THAT(refused({ones, floats({}, {0, 3})}), HasSubstr("the input 'y' has the shape [0, 3]"));
  EXPECT_THAT(refused({ones, ones}), StartsWith("CHECK_FAILED | "));
  EXPECT_EQ(formulas(graph), "Neg(Add(x, y))");
}

TEST(Optimize, checkMakesInputsThatTheGraphTakes) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::relu(ops::relu(ops::add(in[0], in[1])))}; },
                            {{"x", DataType::Float32, {2, 3}}, {"y", DataType::Float32, {"b", 3}}});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ModelGraph copy = graph.clone();
    OptimizeOptions options;
    options.check = ClikaRT::graph::Check{.inputs = {}, .seed = seed, .ranges = {}};
    options.transforms = std::vector<Transform>{transforms::remove_redundant_relu()};
    EXPECT_EQ(copy.optimize(options).transforms[0].applications, 1);
  }
  ModelGraph never = traced([](const Tensors &in) -> Tensors { return {ops::reshape(in[0], {77})}; },
                            {{"x", DataType::Float32, {"a", "b"}}});
  OptimizeOptions options;
  options.check = ClikaRT::graph::Check{};
  EXPECT_THAT(refusal([&] { never.optimize(options); }),
              AllOf(StartsWith("INVALID_ARGUMENT | optimize: check: none of the inputs"), HasSubstr("give inputs")));
}

} // namespace
