#include "GraphTesting.h"

using namespace testing_graphs;
using ClikaRT::graph::PatternNodeOptions;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const OpCode kPair[] = {OpCode::Relu, OpCode::Relu};

Transform collapse(int *calls = nullptr) {
  return transforms::rewrite("collapse", Pattern::chain(kPair), [calls](const RewriteMatch &, const Tensors &in) {
    if (calls)
      ++*calls;
    return Tensors{ops::relu(in[0])};
  });
}

/// A chain of `count` Relus.
ModelGraph relus(int count) {
  return traced([count](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (int i = 0; i < count; ++i)
      value = ops::relu(value);
    return {value};
  });
}

TEST(Rules, overlappingOccurrencesAreSkippedUnasked) {
  ModelGraph graph = relus(3);
  int asked = 0;
  Transform rule = transforms::rewrite(
      "collapse", Pattern::chain(kPair),
      [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::relu(in[0])}; },
      [&](const RewriteMatch &) { return ++asked > 0; });
  OptimizeReport report = optimizeWith(graph, {rule});
  EXPECT_EQ(formulas(graph), "Relu(x)");
  EXPECT_EQ(report.transforms[0].applications, 2);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(report.transforms[0].skipped, 1);
  graph.verify();
}

TEST(Rules, aLongChainEnds) {
  ModelGraph graph = relus(1000);
  OptimizeReport report = optimizeWith(graph, {collapse()});
  EXPECT_EQ(formulas(graph), "Relu(x)");
  EXPECT_TRUE(report.converged);
}

TEST(Rules, aReplacementMayReturnItsInput) {
  ModelGraph graph = relus(4000);
  Transform drop = transforms::rewrite("drop", Pattern::chain(kPair),
                                       [](const RewriteMatch &, const Tensors &in) { return Tensors{in[0]}; });
  EXPECT_EQ(optimizeWith(graph, {drop}).transforms[0].rewrites, 2000);
  EXPECT_EQ(formulas(graph), "x");
}

// A rule builds one operator after the other alike, which is not done twice over.
TEST(Rules, operatorsMadeAlikeHaveSettingsAndTypesOfTheirOwn) {
  const std::vector<TensorSpec> signature = {{"a", DataType::Float32, {2, 3}},
                                             {"b", DataType::Float64, {2, 3}},
                                             {"c", DataType::Float32, {3, 2, 4}},
                                             {"n", DataType::Float32, {"rows", 3}}};
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensors results;
        for (const Tensor &tensor : in)
          for (int i = 0; i < 4; ++i)
            results.push_back(ops::neg(tensor));
        return results;
      },
      signature);
  int64_t count = 0;
  auto next = [&](const RewriteMatch &, const Tensors &in) -> Tensors {
    int64_t axis = ++count % 4 / 2;
    return {ops::softmax(ops::softmax(in[0], axis), 1 - axis)};
  };
  EXPECT_EQ(optimizeWith(graph, {transforms::rewrite("soften", Pattern::chain({OpCode::Neg}), next)}).rewrites, 16);
  std::vector<int64_t> axes, expected;
  for (const Node &node : graph.find_nodes(OpCode::Softmax))
    axes.push_back(std::get<int64_t>(node.attribute("axis")->value));
  for (int64_t i = 1; i <= 16; ++i)
    for (int64_t axis : {i % 4 / 2, 1 - i % 4 / 2})
      expected.push_back(axis);
  EXPECT_EQ(axes, expected);
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(graph.outputs()[i].dtype(), signature[i / 4].dtype);
    EXPECT_EQ(graph.outputs()[i].shape(), signature[i / 4].shape);
  }
  graph.verify();
}

// What a size without a name is called is asked for anew.
TEST(Rules, freshSizesAreTheirOwn) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(in[0]), ops::neg(in[0])}; },
                            {{"x", DataType::Float32, {"n"}}});
  auto counted = [](const RewriteMatch &, const Tensors &in) -> Tensors {
    Tensor found = ops::cast(ops::non_zero(in[0]), DataType::Float32);
    return {ops::add(in[0], ops::reduce_sum(found, {0, 1}, false))};
  };
  EXPECT_EQ(optimizeWith(graph, {transforms::rewrite("count", Pattern::chain({OpCode::Neg}), counted)}).rewrites, 2);
  std::vector<Node> found = graph.find_nodes(OpCode::NonZero);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(found[0].output(0)->shape(), found[1].output(0)->shape());
  graph.verify();
}

TEST(Rules, everyValueReadOutsideIsAnOutput) {
  auto silu = [](const Tensors &in) -> Tensors {
    Tensor a = ops::sub(in[0], in[1]), s = ops::relu(a), y = ops::add(in[0], s);
    return {a, s, y};
  };
  ModelGraph graph = traced(silu, {{"x", DataType::Float32, {2}}, {"k", DataType::Float32, {2}}});
  Pattern pattern = Pattern::chain({OpCode::Sub, OpCode::Relu});
  pattern.add_edge(1, pattern.add_node(OpCode::Add), 0, 1);
  int asked = 0;
  auto keeps = [&](const RewriteMatch &match) {
    ++asked;
    EXPECT_EQ(match.outputs.size(), 3u);
    EXPECT_EQ(match.inputs.size(), 2u);
    return match.outputs.size() == 1;
  };
  auto first = [](const RewriteMatch &, const Tensors &in) { return Tensors{in[0]}; };
  OptimizeReport report = optimizeWith(graph, {transforms::rewrite("fuse", pattern, first, keeps)});
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(report.transforms[0].applications, 0);
  EXPECT_EQ(report.transforms[0].declined, 1);
  std::string before = everything(graph);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {transforms::rewrite("fuse", pattern, first)}); }),
              AllOf(StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (fuse) failed: "),
                    HasSubstr("'fuse' stands for 3 outputs, 1 value returned")));
  EXPECT_EQ(everything(graph), before);
}

TEST(Rules, portsAndOneNodePerPatternNode) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::add(ops::relu(in[0]), ops::neg(in[0]))}; });
  Pattern swapped;
  Pattern::NodeId add = swapped.add_node(OpCode::Add);
  swapped.add_edge(swapped.add_node(OpCode::Neg), add, 0, 0);
  EXPECT_TRUE(graph.find_occurrences(swapped).empty());
  Pattern twice;
  add = twice.add_node(OpCode::Add);
  twice.add_edge(twice.add_node(OpCode::Relu), add, 0, 0);
  twice.add_edge(twice.add_node(OpCode::Relu), add, 0, 1);
  ModelGraph same = traced([](const Tensors &in) -> Tensors {
    Tensor r = ops::relu(in[0]);
    return {ops::add(r, r)};
  });
  EXPECT_TRUE(same.find_occurrences(twice).empty());
  EXPECT_EQ(traced([](const Tensors &in) -> Tensors { return {ops::add(ops::relu(in[0]), ops::relu(in[0]))}; })
                .find_occurrences(twice)
                .size(),
            1u);
}

TEST(Rules, commutativeOperandsAreTriedLazily) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::add(ops::neg(in[0]), ops::neg(in[1]))}; },
                            {{"x", DataType::Float32, {2}}, {"z", DataType::Float32, {2}}});
  PatternNodeOptions commutative;
  commutative.commutative = true;
  Pattern pattern;
  Pattern::NodeId add = pattern.add_node(OpCode::Add, commutative);
  pattern.add_edge(pattern.add_node(OpCode::Neg), add);
  std::vector<std::string> seen;
  auto ask = [&](const RewriteMatch &match) {
    seen.push_back(match.nodes[1]->name());
    return seen.size() == 2;
  };
  auto make = [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::sub(in[0], in[1])}; };
  OptimizeOptions once;
  once.max_iterations = 1;
  once.transforms = std::vector<Transform>{transforms::rewrite("fold", pattern, make, ask)};
  graph.optimize(once);
  EXPECT_EQ(seen, (std::vector<std::string>{"neg_1", "neg_2"}));
  EXPECT_EQ(formulas(graph), "Sub(Neg(x), z)");
}

TEST(Rules, optionalNodesMayLack) {
  PatternNodeOptions optional;
  optional.optional = true;
  Pattern pattern;
  Pattern::NodeId neg = pattern.add_node(OpCode::Neg), relu = pattern.add_node(OpCode::Relu, optional),
                  abs = pattern.add_node(OpCode::Abs);
  pattern.add_edge(neg, relu);
  pattern.add_edge(relu, abs);
  ModelGraph with = traced([](const Tensors &in) -> Tensors { return {ops::abs(ops::relu(ops::neg(in[0])))}; });
  ModelGraph without = traced([](const Tensors &in) -> Tensors { return {ops::abs(ops::neg(in[0]))}; });
  ModelGraph other = traced([](const Tensors &in) -> Tensors { return {ops::abs(ops::exp(ops::neg(in[0])))}; });
  EXPECT_TRUE(with.find_occurrences(pattern).at(0).nodes[relu].has_value());
  EXPECT_FALSE(without.find_occurrences(pattern).at(0).nodes[relu].has_value());
  EXPECT_TRUE(other.find_occurrences(pattern).empty());
  EXPECT_EQ(without.find_occurrences(pattern).at(0).inputs.size(), 1u);
}

TEST(Rules, anyOfAndWhere) {
  PatternNodeOptions named;
  named.where = [](const Node &node) { return node.name() == "relu_1"; };
  Pattern pattern;
  Pattern::NodeId any = pattern.add_node(ClikaRT::graph::any_op),
                  one = pattern.add_node({OpCode::Relu, OpCode::Neg}, named);
  pattern.add_edge(one, any);
  EXPECT_EQ(pageGraph().find_occurrences(pattern).size(), 1u);
}

TEST(Rules, severalRoots) {
  // Two readers of one Neg.
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor n = ops::neg(in[0]);
    return {ops::relu(n), ops::exp(n)};
  });
  Pattern pattern;
  Pattern::NodeId neg = pattern.add_node(OpCode::Neg), relu = pattern.add_node(OpCode::Relu),
                  exp = pattern.add_node(OpCode::Exp);
  pattern.add_edge(neg, relu);
  pattern.add_edge(neg, exp);
  std::vector<RewriteMatch> matches = graph.find_occurrences(pattern);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].outputs.size(), 2u);
  auto swap = [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::exp(in[0]), ops::relu(in[0])}; };
  optimizeWith(graph, {transforms::rewrite("swap", pattern, swap)});
  EXPECT_EQ(formulas(graph), "Exp(x); Relu(x)");
}

TEST(Rules, nonConvexOccurrencesAreSkipped) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor n = ops::neg(in[0]);
    return {ops::add(ops::relu(n), n)};
  });
  Node neg = graph.find_nodes(OpCode::Neg)[0], add = graph.find_nodes(OpCode::Add)[0],
       relu = graph.find_nodes(OpCode::Relu)[0];
  EXPECT_FALSE(graph.is_convex({neg, add}));
  EXPECT_TRUE(graph.is_convex({neg, relu, add}));
  EXPECT_TRUE(graph.is_convex({neg, relu}));
}

TEST(Rules, patternsAreChecked) {
  auto make = [](const Pattern &pattern) {
    return refusal(
        [&] { transforms::rewrite("rule", pattern, [](const RewriteMatch &, const Tensors &in) { return in; }); });
  };
  EXPECT_THAT(make(Pattern()), HasSubstr("the pattern of 'rule': it has no nodes"));
  Pattern pieces;
  pieces.add_node(OpCode::Relu);
  pieces.add_node(OpCode::Neg);
  EXPECT_THAT(make(pieces), HasSubstr("not connected"));
  Pattern cyclic = pieces;
  cyclic.add_edge(0, 1);
  cyclic.add_edge(1, 0);
  EXPECT_THAT(make(cyclic), HasSubstr("cycle"));
  Pattern loose;
  EXPECT_THAT(refusal([&] { loose.add_node(OpCode::Input); }), HasSubstr("add_node: Input"));
  EXPECT_THAT(refusal([&] { loose.add_edge(0, 1); }), HasSubstr("there is no pattern node 0"));
}

TEST(Rules, callbacksMayNotEdit) {
  ModelGraph graph = pageGraph();
  Transform rule = transforms::rewrite(
      "nosy", Pattern::chain(kPair), [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::relu(in[0])}; },
      [&](const RewriteMatch &) {
        graph.rename_output("output_0", "y");
        return true;
      });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {rule}); }),
              AllOf(StartsWith("FAILED_PRECONDITION"), HasSubstr("the condition of 'nosy' is running")));
}

TEST(Patterns, portsAndCodesThatNoNodeHasAreRefused) {
  Pattern pattern;
  Pattern::NodeId relu = pattern.add_node(OpCode::Relu), any = pattern.add_node(ClikaRT::graph::any_op),
                  either = pattern.add_node(std::vector<OpCode>{OpCode::Relu, OpCode::Add}),
                  concat = pattern.add_node(OpCode::Concat);
  EXPECT_THAT(
      refusal([&] { pattern.add_edge(relu, either, 0, 2); }),
      StartsWith("INVALID_ARGUMENT | add_edge: pattern node 2 (Relu or Add) has 2 inputs, counted from 0; port 2"));
  EXPECT_THAT(refusal([&] { pattern.add_edge(relu, either, 1, 0); }), HasSubstr("pattern node 0 (Relu) has 1 output"));
  EXPECT_THAT(refusal([&] { pattern.add_node(OpCode::Constant); }), HasSubstr("are values and no nodes"));
  EXPECT_THAT(refusal([&] { Pattern::chain({OpCode::Relu, OpCode::Input}); }),
              StartsWith("INVALID_ARGUMENT | chain: Input is the code of the graph's inputs"));
  pattern.add_edge(relu, either, 0, 1);
  pattern.add_edge(relu, concat, 0, 9);
  pattern.add_edge(any, concat, 5, 1);
}

/// A rule over `pattern` that declines all it is asked about; how often that was, and how often a `where` was asked.
struct Declined {
  int asked = 0, where = 0;

  ClikaRT::graph::PatternNodeOptions commutative() {
    return {false, true, [this](const Node &) { return ++where > 0; }};
  }
  void run(ModelGraph &graph, const Pattern &pattern) {
    optimizeWith(graph, {transforms::rewrite(
                            "declines", pattern, [](const RewriteMatch &, const Tensors &in) { return in; },
                            [this](const RewriteMatch &) { return ++asked < 0; })});
  }
};

// To swap operands that are one value makes no other assignment: here that would be 2^40 of them.
TEST(Rules, equalOperandsAreTriedOnce) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (int i = 0; i < 41; ++i)
      value = ops::add(value, value);
    return {value};
  });
  Declined declined;
  Pattern pattern;
  for (std::size_t i = 0; i < 40; ++i)
    if (Pattern::NodeId node = pattern.add_node(OpCode::Add, declined.commutative()); node > 0)
      pattern.add_edge(node - 1, node);
  declined.run(graph, pattern);
  EXPECT_EQ(declined.asked, 2);
}

// 2^30 paths lead down, and none ends in what the pattern asks for.
TEST(Rules, aSearchThatFailsAsksOfEachOperatorOnce) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor left = in[0], right = ops::neg(in[0]);
    for (int i = 0; i < 30; ++i)
      std::tie(left, right) = std::pair(ops::add(left, right), ops::add(left, right, 2.0));
    return {ops::add(left, right)};
  });
  Declined declined;
  Pattern pattern;
  pattern.add_node(OpCode::Relu);
  for (std::size_t i = 1; i < 20; ++i)
    pattern.add_edge(i - 1, pattern.add_node(OpCode::Add, declined.commutative()));
  declined.run(graph, pattern);
  EXPECT_EQ(declined.asked, 0);
  EXPECT_LE(declined.where, 19 * 61);
}

TEST(Rules, readersOfOneValueAreListedOnce) {
  constexpr int kReaders = 120;
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor shared = ops::exp(in[0]);
    Tensors readers;
    for (int i = 0; i < kReaders; ++i)
      readers.push_back(ops::relu(shared));
    return readers;
  });
  Declined declined;
  Pattern pattern;
  Pattern::NodeId shared = pattern.add_node(OpCode::Exp),
                  first = pattern.add_node(OpCode::Relu, declined.commutative());
  pattern.add_edge(shared, first);
  pattern.add_edge(shared, pattern.add_node(OpCode::Relu, declined.commutative()));
  declined.run(graph, pattern);
  EXPECT_EQ(declined.asked, kReaders * (kReaders - 1));
  EXPECT_LE(declined.where, 2 * kReaders);
}

// Each reader is rewritten once, with whichever other one is left at its turn.
TEST(Rules, pairsOfReadersAreRewrittenWhileThereAreAny) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor shared = ops::exp(in[0]);
    return {ops::relu(shared), ops::relu(shared), ops::relu(shared), ops::relu(shared), ops::relu(shared)};
  });
  Pattern pattern;
  Pattern::NodeId shared = pattern.add_node(OpCode::Exp), first = pattern.add_node(OpCode::Relu);
  pattern.add_edge(shared, first);
  pattern.add_edge(shared, pattern.add_node(OpCode::Relu));
  OptimizeReport report =
      optimizeWith(graph, {transforms::rewrite("pairs", pattern, [](const RewriteMatch &match, const Tensors &in) {
                     Tensors made(match.outputs.size(), ops::abs(in[0]));
                     made[0] = match.outputs.size() == 3 ? ops::exp(in[0]) : made[0];
                     return made;
                   })});
  EXPECT_EQ(report.transforms[0].rewrites, 2);
  EXPECT_EQ(graph.find_nodes(OpCode::Relu).size(), 1u);
  graph.verify();
}

TEST(Rules, thatNeverEndAreNamed) {
  auto first = [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::relu(in[0])}; };
  ModelGraph graph = relus(1);
  EXPECT_THAT(
      refusal([&] { optimizeWith(graph, {transforms::rewrite("same", Pattern::chain({OpCode::Relu}), first)}); }),
      AllOf(StartsWith("NOT_CONVERGED"), HasSubstr("'same'"), HasSubstr("cycle")));
  Transform toExp =
      transforms::rewrite("to_abs", Pattern::chain({OpCode::Relu}),
                          [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::abs(in[0])}; });
  Transform toRelu = transforms::rewrite("to_relu", Pattern::chain({OpCode::Abs}), first);
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {toExp, toRelu}); }),
              AllOf(StartsWith("NOT_CONVERGED"), HasSubstr("'to_abs'"), HasSubstr("'to_relu'")));
  Transform wraps =
      transforms::rewrite("wraps", Pattern::chain({OpCode::Relu}), [](const RewriteMatch &, const Tensors &in) {
        return Tensors{ops::neg(ops::neg(ops::relu(in[0])))};
      });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {wraps}); }), AllOf(StartsWith("NOT_CONVERGED"), HasSubstr("'wraps'")));
  EXPECT_EQ(formulas(graph), "Relu(x)");
}

// Constants are compared by content: each round makes new ones, too large to be held in the graph's text.
TEST(Rules, thatNeverEndAreNamedThoughTheyMakeNewConstants) {
  auto weights = [](float value) { return floats(std::vector<float>(1000, value), {1000}); };
  auto toggles = [&](const std::string &name, OpCode from, auto op, std::function<float()> value) {
    return transforms::rewrite(name, Pattern::chain({from}), [=](const RewriteMatch &, const Tensors &in) {
      return Tensors{op(in[0], weights(value()))};
    });
  };
  auto sub = [](const Tensor &a, const Tensor &b) { return ops::sub(a, b); };
  auto mul = [](const Tensor &a, const Tensor &b) { return ops::mul(a, b); };
  auto make = [&] {
    return traced([&](const Tensors &in) -> Tensors { return {ops::sub(in[0], weights(1))}; },
                  {{"x", DataType::Float32, {1000}}});
  };
  ModelGraph graph = make();
  std::string before = everything(graph);
  EXPECT_THAT(refusal([&] {
                optimizeWith(graph, {toggles("to_mul", OpCode::Sub, mul, [] { return 2.0f; }),
                                     toggles("to_sub", OpCode::Mul, sub, [] { return 3.0f; })});
              }),
              AllOf(StartsWith("NOT_CONVERGED | optimize: the graph after iteration 4 is that after iteration 3 again"),
                    HasSubstr("'to_mul'"), HasSubstr("'to_sub'")));
  EXPECT_EQ(everything(graph), before);
  // A constant that differs each time makes another graph each time: the limit stops that.
  float next = 0;
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {toggles("again", OpCode::Sub, sub, [&] { return next += 1; })}); }),
              AllOf(StartsWith("NOT_CONVERGED | optimize: after 1020 iterations"), HasSubstr("'again'")));
  // One that settles on a value converges only where nothing changes any more; four changes are no cycle.
  next = 0;
  int left = 4;
  Transform settles = transforms::rewrite(
      "settles", Pattern::chain({OpCode::Sub}),
      [&](const RewriteMatch &, const Tensors &in) { return Tensors{sub(in[0], weights(next += 1))}; },
      [&](const RewriteMatch &) { return left-- > 0; });
  EXPECT_EQ(optimizeWith(graph, {settles}).iterations, 5);
}

TEST(Rules, theReplacementsOwnErrorsUndo) {
  ModelGraph graph = pageGraph();
  Transform wrong = transforms::rewrite("wrong", Pattern::chain(kPair), [](const RewriteMatch &, const Tensors &in) {
    return Tensors{ops::add(in[0], floats({1, 2}, {2}))};
  });
  EXPECT_THAT(refusal([&] { optimizeWith(graph, {wrong}); }),
              AllOf(StartsWith("INVALID_ARGUMENT | optimize: transforms[0] (wrong) failed: add: "),
                    HasSubstr("do not broadcast")));
  EXPECT_EQ(formulas(graph), "Add(Relu(Relu(x)), Neg(x))");
}

} // namespace
