// OptimizeOptions::check: what it blames, and on what inputs.
#include "GraphTesting.h"

using namespace testing_graphs;
using ClikaRT::graph::Check;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

OptimizeOptions checked(std::vector<Transform> list, Check check = {}) {
  OptimizeOptions options;
  options.transforms = std::move(list);
  options.check = std::move(check);
  return options;
}

/// What the check says; the graph is as it was.
std::string blame(ModelGraph &graph, const OptimizeOptions &options) {
  std::string before = graph.to_mlir();
  std::vector<Node> nodes = graph.nodes();
  std::string message = refusal([&] { graph.optimize(options); });
  EXPECT_EQ(graph.to_mlir(), before);
  for (const Node &node : nodes)
    EXPECT_FALSE(node.name().empty());
  graph.verify();
  return message;
}

/// tanh(tanh(… abs(x) …)), `count` of them: each one that is gone changes the numbers.
ModelGraph tanhs(int count) {
  return traced([=](const Tensors &in) -> Tensors {
    Tensor value = ops::abs(in[0]);
    for (int i = 0; i < count; ++i)
      value = ops::tanh(value);
    return {value};
  });
}

/// Takes an Abs more, which changes nothing, but at the node of that name it leaves the tanh out.
Transform wrongAt(const std::string &name) {
  return transforms::rewrite("wrong_once", Pattern::chain({OpCode::Tanh}),
                             [=](const RewriteMatch &match, const Tensors &in) -> Tensors {
                               return {match.nodes[0]->name() == name ? ops::abs(in[0]) : ops::tanh(ops::abs(in[0]))};
                             });
}

Check onOnes() {
  Check check;
  check.inputs = {Tensor::full({2, 3}, 1.0, DataType::Float32)};
  return check;
}

// A batch norm folded into a linear may differ in its last bits; the exact entry after it is not blamed for that.
TEST(Check, holdsEachEntryToItsOwn) {
  auto values = [](size_t count, float start) {
    std::vector<float> data(count);
    for (size_t i = 0; i < count; ++i)
      data[i] = start + 0.37f * static_cast<float>(i % 11);
    return data;
  };
  auto make = [&] {
    return traced(
        [&](const Tensors &in) -> Tensors {
          Tensor out = ops::linear(in[0], floats(values(24, -1), {4, 6}), floats(values(4, 0.1f), {4}));
          Tensor one = floats(values(4, 0.3f), {4});
          return {ops::relu(ops::relu(ops::batch_norm(out, one, one, one, one)))};
        },
        {{"x", DataType::Float32, {5, 6}}});
  };
  ModelGraph graph = make();
  OptimizeOptions options;
  options.check = Check{};
  options.transforms = std::vector<Transform>{transforms::fold_batch_norm(), transforms::remove_redundant_relu()};
  OptimizeReport report = graph.optimize(options);
  EXPECT_EQ(report.transforms[0].applications, 1);
  EXPECT_EQ(report.transforms[1].applications, 1);
}

TEST(Check, namesTheGuiltyFunctionAndItsNodes) {
  ModelGraph graph = pageGraph();
  Transform good = transform("good", [](ModelGraph &g) { g.bypass_node(g.find_nodes(OpCode::Relu).back()); });
  Transform bad = transform("bad", [](ModelGraph &g) {
    for (const Node &add : g.find_nodes(OpCode::Add))
      g.set_attribute(add, "alpha", 2.0);
  });
  OptimizeOptions options = checked({good, bad}, onOnes());
  options.max_iterations = 1;
  EXPECT_EQ(blame(graph, options),
            "CHECK_FAILED | optimize: the check failed after transforms[1] (bad) in iteration 1: the output 'output_0' "
            "differs in 6 of 6 elements, most at [0, 0]: -1.0, which was 0.0; it changes 'add_1'");
}

TEST(Check, namesTheOneRewriteOfMany) {
  for (int guilty : {1, 2, 7, 12}) {
    ModelGraph graph = tanhs(12);
    std::string name = "tanh_" + std::to_string(guilty);
    OptimizeOptions options = checked({wrongAt(name)}, onOnes());
    EXPECT_THAT(blame(graph, options),
                AllOf(StartsWith("CHECK_FAILED | optimize: the check failed after transforms[0] (wrong_once) in "
                                 "iteration 1: the output 'output_0' differs in 6 of 6 elements, most at [0, 0]: "),
                      HasSubstr("; rewrite " + std::to_string(guilty) + " of 12 does it, which "),
                      EndsWith("removes '" + name + "'"), Not(HasSubstr("tanh_" + std::to_string(guilty + 2) + "'"))));
  }
}

TEST(Check, namesTheRewriteOfPdl) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(ops::neg(ops::neg(in[0])))}; });
  Transform pdl = Transform::from_pdl("negs", "pdl.pattern @p : benefit(1) {\n%x = operand\n%t = type\n"
                                              "%n = operation \"clika.neg\"(%x : !pdl.value) -> (%t : !pdl.type)\n"
                                              "rewrite %n {\nreplace %n with (%x : !pdl.value)\n}\n}");
  EXPECT_THAT(blame(graph, checked({pdl}, onOnes())),
              EndsWith("[0, 0]: 1.0, which was -1.0; rewrite 1 of 3 does it, which changes 'neg_2', removes 'neg_1'"));
}

// Exp in the place of Relu(Relu(…)).
Transform toExp() {
  return transforms::rewrite("to_exp", Pattern::chain({OpCode::Relu, OpCode::Relu}),
                             [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::exp(in[0])}; });
}

TEST(Check, namesTheNodeInsideOfARegion) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return ops::loop(2, {}, {in[0]},
                     [](const Tensor &i, const Tensors &carried) {
                       Tensor next = ops::if_(
                           ops::greater(i, 0),
                           [&]() -> Tensors { return {ops::neg(ops::relu(ops::relu(carried[0])))}; },
                           [&]() -> Tensors { return {carried[0]}; })[0];
                       return ops::LoopStep{{}, {next}, {}};
                     })
        .carried;
  });
  EXPECT_THAT(blame(graph, checked({toExp()}, onOnes())),
              EndsWith("; its one rewrite does it, which changes 'loop_1'; in 'loop_1.body/if_1.then' it changes "
                       "'neg_1', adds 1 node, removes 'relu_1', 'relu_2'"));
  // A function's edits, too.
  Transform edits = transform("edits", [](ModelGraph &g) {
    if (std::optional<Node> neg = g.find_node("neg_1"))
      g.bypass_node(*neg);
  });
  EXPECT_THAT(blame(graph, checked({edits}, onOnes())),
              EndsWith("; it changes 'loop_1'; in 'loop_1.body/if_1.then' it removes 'neg_1'"));
}

TEST(Check, namesTheNodeInsideOfAFunction) {
  ModelGraph graph("calling");
  graph.add_function("block", [](const Tensors &in) -> Tensors { return {ops::relu(ops::relu(in[0]))}; },
                     {{"a", DataType::Float32, {"m", "n"}}});
  Value x = graph.add_input({"x", DataType::Float32, {2, 3}});
  graph.add_output(graph.insert([](const Tensors &in) { return ops::call("block", in); }, {x})[0], "y");
  EXPECT_THAT(
      blame(graph, checked({toExp()}, onOnes())),
      EndsWith("; its one rewrite does it, which changes the function 'block'; in '@block' it adds 1 node, removes "
               "'relu_1', 'relu_2'"));
}

TEST(Check, namesNoRewriteWhereTheEntryDoesNotRepeatIt) {
  ModelGraph graph = tanhs(4);
  auto calls = std::make_shared<int>(0);
  Transform fickle = transforms::rewrite("fickle", Pattern::chain({OpCode::Tanh}),
                                         [calls](const RewriteMatch &, const Tensors &in) -> Tensors {
                                           return {++*calls == 2 ? ops::abs(in[0]) : ops::tanh(ops::abs(in[0]))};
                                         });
  EXPECT_THAT(blame(graph, checked({fickle}, onOnes())),
              AllOf(HasSubstr("after transforms[0] (fickle) in iteration 1"), Not(HasSubstr("rewrite"))));
  EXPECT_GT(*calls, 4);
  auto throws = std::make_shared<int>(0);
  Transform failing = transforms::rewrite("failing", Pattern::chain({OpCode::Tanh}),
                                          [throws](const RewriteMatch &, const Tensors &in) -> Tensors {
                                            if (++*throws > 4)
                                              throw std::runtime_error("not again");
                                            return {ops::abs(in[0])};
                                          });
  EXPECT_THAT(blame(graph, checked({failing}, onOnes())),
              AllOf(StartsWith("CHECK_FAILED"), Not(HasSubstr("not again")), Not(HasSubstr("rewrite"))));
}

TEST(Check, saysWhereTheLargestDifferenceIs) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(in[0]), ops::neg(in[1])}; },
                            {{"x", DataType::Float32, {2, 2}}, {"n", DataType::Int64, {}}});
  Transform wrong =
      transforms::rewrite("wrong", Pattern::chain({OpCode::Neg}),
                          [](const RewriteMatch &, const Tensors &in) -> Tensors { return {ops::abs(in[0])}; });
  std::vector<float> x = {0.0f, 1.0f, 3.0f, -2.0f};
  int64_t n = (int64_t(1) << 53) + 1;
  Check check;
  check.inputs = {Tensor::from_data(x.data(), {2, 2}, DataType::Float32), Tensor::from_data(&n, {}, DataType::Int64)};
  OptimizeOptions options = checked({wrong}, check);
  EXPECT_THAT(blame(graph, options),
              HasSubstr("the output 'output_1' is 9007199254740993, which was -9007199254740993 (and 1 more of the "
                        "outputs differs)"));
  n = 0;
  options.check->inputs[1] = Tensor::from_data(&n, {}, DataType::Int64);
  // A zero's sign counts.
  EXPECT_THAT(blame(graph, options),
              HasSubstr("the output 'output_0' differs in 3 of 4 elements, most at [1, 0]: 3.0, which was -3.0;"));
}

TEST(Check, rangesDecideWhatIsTriedOut) {
  Transform drop =
      transforms::rewrite("drop_abs", Pattern::chain({OpCode::Abs}),
                          [](const RewriteMatch &, const Tensors &in) -> Tensors { return {ops::identity(in[0])}; });
  for (DataType dtype : {DataType::Float16, DataType::BFloat16, DataType::Float32, DataType::Float64, DataType::Int8,
                         DataType::Int16, DataType::Int32, DataType::Int64}) {
    auto make = [&] {
      return traced([](const Tensors &in) -> Tensors { return {ops::abs(in[0])}; }, {{"x", dtype, {64}}});
    };
    ModelGraph positive = make(), both = make();
    Check check;
    check.ranges["x"] = {0.0, 100.0};
    EXPECT_EQ(positive.optimize(checked({drop}, check)).rewrites, 1);
    check.ranges["x"] = {-100.0, -1.0};
    EXPECT_THAT(refusal([&] { both.optimize(checked({drop}, check)); }), HasSubstr("differs in 64 of 64 elements"));
  }
}

TEST(Check, rangesThatNoInputCanHaveAreRefused) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::cast(in[0], DataType::Float32), in[1]}; },
                            {{"n", DataType::UInt8, {2}}, {"x", DataType::Float16, {2}}});
  auto with = [&](const std::string &name, double low, double high) {
    Check check;
    check.ranges[name] = {low, high};
    return refusal([&] { graph.optimize(checked({}, check)); });
  };
  EXPECT_EQ(with("y", 0, 1), "INVALID_ARGUMENT | optimize: check: ranges name the input 'y', which the graph has not; "
                             "name its inputs");
  EXPECT_THAT(with("n", 2, 1), HasSubstr("the range of the input 'n', [2.0, 1.0], has its low end above"));
  EXPECT_THAT(with("x", std::nan(""), 1), HasSubstr("or an end that is NaN"));
  EXPECT_THAT(with("n", 0.25, 0.75), HasSubstr("holds no integer, and the input is uint8"));
  EXPECT_THAT(with("n", -1, 1), HasSubstr("reaches beyond what uint8 holds, [0.0, 255.0]"));
  EXPECT_THAT(with("x", 0, 1e6), HasSubstr("reaches beyond what float16 holds"));
  Check both = onOnes();
  both.ranges["x"] = {0, 1};
  EXPECT_THAT(refusal([&] { graph.optimize(checked({}, both)); }), HasSubstr("there are both inputs and ranges"));
  EXPECT_EQ(with("x", 3, 3), "nothing was thrown");
}

} // namespace
