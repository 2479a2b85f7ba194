// why_not names the first thing that keeps a rule from an occurrence.
#include "GraphTesting.h"

using namespace testing_graphs;
using ClikaRT::graph::Decision;
using ClikaRT::graph::Declined;
using ClikaRT::graph::PatternNodeOptions;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

namespace {

Transform ruleOf(Pattern pattern, transforms::Condition condition = {}) {
  return transforms::rewrite(
      "rule", std::move(pattern), [](const RewriteMatch &, const Tensors &in) { return in; }, std::move(condition));
}

/// Add(a, Neg(b))
Pattern addOfNeg(PatternNodeOptions negOptions = {}) {
  Pattern pattern;
  Pattern::NodeId add = pattern.add_node(OpCode::Add);
  pattern.add_edge(pattern.add_node(OpCode::Neg, negOptions), add, 0, 1);
  return pattern;
}

Node only(const ModelGraph &graph, OpCode code) { return graph.find_nodes(code).at(0); }

TEST(WhyNot, nothingStopsWhatWouldBeReplaced) {
  ModelGraph graph = pageGraph();
  EXPECT_EQ(graph.why_not(ruleOf(addOfNeg()), only(graph, OpCode::Add)), std::nullopt);
  EXPECT_EQ(graph.why_not(ruleOf(addOfNeg()), only(graph, OpCode::Neg)), std::nullopt);
}

TEST(WhyNot, anotherOperatorAtThePort) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return {ops::add(ops::neg(in[0]), ops::relu(in[0])), ops::add(in[0], in[0]), ops::add(in[0], floats({1}, {1}))};
  });
  std::vector<Node> adds = graph.find_nodes(OpCode::Add);
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), adds[0]),
              Optional(std::string("input 1 of Add 'add_1' is Relu 'relu_1', and not pattern node 1 (Neg)")));
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), adds[1]),
              Optional(std::string("input 1 of Add 'add_2' is the graph input 'x', and not pattern node 1 (Neg)")));
  EXPECT_THAT(
      graph.why_not(ruleOf(addOfNeg()), adds[2]),
      Optional(std::string("input 1 of Add 'add_3' is the constant 'constant_1', and not pattern node 1 (Neg)")));
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), only(graph, OpCode::Relu)),
              Optional(std::string("Relu 'relu_1' is none of the pattern's nodes: pattern node 0 (Add), pattern node 1 "
                                   "(Neg)")));
  // The Neg is read by an Add, but at its other port.
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), only(graph, OpCode::Neg)),
              Optional(std::string("input 1 of Add 'add_1' is Relu 'relu_1', and not pattern node 1 (Neg)")));
}

TEST(WhyNot, noRootIsNear) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::neg(in[0])}; });
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), only(graph, OpCode::Neg)),
              Optional(std::string("no pattern node 0 (Add) is 1 or fewer edges away from Neg 'neg_1'")));
}

TEST(WhyNot, anotherOutput) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensors parts = ops::split(in[0], {}, 2);
        return {ops::relu(parts[1]), parts[0]};
      },
      {{"x", DataType::Float32, {4}}});
  EXPECT_THAT(graph.why_not(ruleOf(Pattern::chain({OpCode::Split, OpCode::Relu})), only(graph, OpCode::Relu)),
              Optional(std::string("input 0 of Relu 'relu_1' is output 1 of Split 'split_1', and not pattern node 0 "
                                   "(Split)")));
}

TEST(WhyNot, itsWhere) {
  PatternNodeOptions named;
  named.where = [](const Node &node) { return node.name() == "other"; };
  ModelGraph graph = pageGraph();
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg(named)), only(graph, OpCode::Add)),
              Optional(std::string("the `where` of pattern node 1 (Neg) refuses Neg 'neg_1'")));
}

TEST(WhyNot, oneNodeForTwo) {
  Pattern twice;
  Pattern::NodeId add = twice.add_node(OpCode::Add);
  twice.add_edge(twice.add_node(OpCode::Relu), add, 0, 0);
  twice.add_edge(twice.add_node(OpCode::Relu), add, 0, 1);
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor r = ops::relu(in[0]);
    return {ops::add(r, r)};
  });
  EXPECT_THAT(graph.why_not(ruleOf(twice), only(graph, OpCode::Add)),
              Optional(HasSubstr("Relu 'relu_1' would be pattern node 2 (Relu), and is another node")));
}

TEST(WhyNot, notConvex) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor n = ops::neg(in[0]);
    return {ops::add(ops::relu(n), n)};
  });
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), only(graph, OpCode::Add)),
              Optional(std::string("it is not convex: a path leaves it at Neg 'neg_1', passes Relu 'relu_1' and comes "
                                   "back to Add 'add_1'")));
}

TEST(WhyNot, nothingReadsIt) {
  ModelGraph graph = pageGraph();
  Node neg = graph.add_node(OpCode::Neg, {graph.inputs()[0]});
  graph.add_node(OpCode::Add, {graph.inputs()[0], neg.output(0)}, {}, "idle");
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), *graph.find_node("idle")),
              Optional(std::string("nothing outside the occurrence reads a value that it makes")));
}

TEST(WhyNot, theConditionsOwnReason) {
  ModelGraph graph = pageGraph();
  auto reason = [](const RewriteMatch &match) -> Decision { return Declined{"it is " + match.nodes[0]->name()}; };
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg(), reason), only(graph, OpCode::Add)),
              Optional(std::string("the condition declined it: it is add_1")));
  graph.add_output(*only(graph, OpCode::Neg).output(0), "n");
  EXPECT_THAT(
      graph.why_not(ruleOf(addOfNeg(), [](const RewriteMatch &) { return false; }), only(graph, OpCode::Add)),
      Optional(std::string("the condition declined it (outside it, Neg 'neg_1' is read by the graph's output); a "
                           "condition that returns Declined with a reason says why")));
}

TEST(WhyNot, readersThatAreNotThere) {
  Pattern pattern;
  Pattern::NodeId neg = pattern.add_node(OpCode::Neg);
  pattern.add_edge(neg, pattern.add_node(OpCode::Relu));
  pattern.add_edge(neg, pattern.add_node(OpCode::Exp));
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::relu(ops::neg(in[0]))}; });
  EXPECT_THAT(graph.why_not(ruleOf(pattern), only(graph, OpCode::Relu)),
              Optional(std::string("no reader of Neg 'neg_1' is pattern node 2 (Exp)")));
}

TEST(WhyNot, settingsAndNumbersOfTracedPatterns) {
  Pattern pattern =
      Pattern::trace([](const Tensors &in) -> Tensors { return {ops::mul(ops::add(in[0], in[1]), 0.5)}; }, 2);
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensor scaled = ops::add(in[0], in[1], 2.0), plain = ops::add(in[0], in[1]);
        return {ops::mul(scaled, 0.5), ops::mul(plain, 0.25), ops::mul(plain, in[0])};
      },
      {{"x", DataType::Float32, {2}}, {"z", DataType::Float32, {2}}});
  std::vector<Node> muls = graph.find_nodes(OpCode::Mul);
  EXPECT_THAT(graph.why_not(ruleOf(pattern), muls[0]),
              Optional(std::string("the alpha of Add 'add_1' is 2.0 and not 1.0, as pattern node 0 (Add) asks")));
  EXPECT_THAT(graph.why_not(ruleOf(pattern), muls[1]),
              Optional(std::string("input 1 of Mul 'mul_2' is 0.25 and not 0.5")));
  EXPECT_THAT(graph.why_not(ruleOf(pattern), muls[2]), Optional(std::string("input 1 of Mul 'mul_3' is no constant")));
}

TEST(WhyNot, theRuntimesTransforms) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return {ops::clamp(in[0], 0.0), ops::clamp(in[0], 0.0, 6.0), ops::relu(in[0])};
  });
  std::string before = everything(graph);
  std::vector<Node> clamps = graph.find_nodes(OpCode::Clamp);
  EXPECT_EQ(graph.why_not(transforms::clamp_to_relu(), clamps[0]), std::nullopt);
  EXPECT_THAT(graph.why_not(transforms::clamp_to_relu(), clamps[1]), Optional(std::string("it has a ceiling")));
  EXPECT_THAT(graph.why_not(transforms::clamp_to_relu(), only(graph, OpCode::Relu)),
              Optional(std::string("Relu 'relu_1' is not what 'clamp_to_relu' looks at")));
  EXPECT_EQ(everything(graph), before);
}

// Sub(x, Neg(x), alpha 2) of float32[2, 3]
const std::string kScaled = R"(pdl.pattern @scaled : benefit(1) {
  %x = operand
  %t = type : tensor<2x3xf32>
  %two = attribute = 2.0 : f64
  %neg = operation "clika.neg"(%x : !pdl.value) -> (%t : !pdl.type)
  %value = result 0 of %neg
  %sub = operation "clika.sub"(%x, %value : !pdl.value, !pdl.value) {"alpha" = %two} -> (%t : !pdl.type)
  rewrite %sub {
    replace %sub with (%x : !pdl.value)
  }
})";

using Pair = std::function<Tensor(const Tensor &, const Tensor &)>;

/// What keeps kScaled from the first node of that code.
std::optional<std::string> whyNotScaled(OpCode code, const Pair &fn, ClikaRT::Shape shape = {2, 3}) {
  std::vector<ClikaRT::spec::Dim> dims(shape.begin(), shape.end());
  ModelGraph graph = traced([&](const Tensors &in) -> Tensors { return {fn(in[0], in[1])}; },
                            {{"x", DataType::Float32, dims}, {"y", DataType::Float32, dims}});
  std::string before = everything(graph);
  std::optional<std::string> reason = graph.why_not(Transform::from_pdl("rule", kScaled), only(graph, code));
  EXPECT_EQ(everything(graph), before);
  bool applies = optimizeWith(graph, {Transform::from_pdl("rule", kScaled)}).transforms[0].rewrites > 0;
  EXPECT_EQ(applies, !reason.has_value());
  return reason;
}

TEST(WhyNot, patternsOfPdl) {
  auto is = [](const char *text) { return Optional(std::string(text)); };
  Pair right = [](const Tensor &x, const Tensor &) { return ops::sub(x, ops::neg(x), 2.0); };
  EXPECT_EQ(whyNotScaled(OpCode::Sub, right), std::nullopt);
  EXPECT_EQ(whyNotScaled(OpCode::Neg, right), std::nullopt);
  // A type, a setting, an operand, a value that stands twice, a number of operands.
  EXPECT_THAT(whyNotScaled(OpCode::Sub, right, {4}),
              is("output 0 of Neg 'neg_1' is float32[4], and not float32[2, 3]"));
  EXPECT_THAT(whyNotScaled(OpCode::Neg, [](const Tensor &x, const Tensor &) { return ops::sub(x, ops::neg(x), 3.0); }),
              is("the alpha of Sub 'sub_1' is 3.0, and not 2.0"));
  EXPECT_THAT(whyNotScaled(OpCode::Sub, [](const Tensor &x, const Tensor &) { return ops::sub(x, ops::relu(x), 2.0); }),
              is("input 1 of Sub 'sub_1' is Relu 'relu_1', and not %neg (Neg)"));
  EXPECT_THAT(whyNotScaled(OpCode::Sub, [](const Tensor &x, const Tensor &y) { return ops::sub(x, y, 2.0); }),
              is("input 1 of Sub 'sub_1' is the graph input 'y', and not %neg (Neg)"));
  EXPECT_THAT(whyNotScaled(OpCode::Neg, [](const Tensor &x, const Tensor &y) { return ops::sub(y, ops::neg(x), 2.0); }),
              is("input 0 of Neg 'neg_1' is the graph input 'x', and not the graph input 'y', which is %x"));
  // What is no node of the pattern, or far from any.
  EXPECT_THAT(whyNotScaled(OpCode::Relu, [](const Tensor &x, const Tensor &) { return ops::relu(x); }),
              is("Relu 'relu_1' is none of the pattern's nodes: %neg (Neg), %sub (Sub)"));
  EXPECT_THAT(whyNotScaled(OpCode::Neg, [](const Tensor &x, const Tensor &) { return ops::neg(x); }),
              is("no operator that the pattern can begin at is near Neg 'neg_1'"));
}

TEST(WhyNot, theReportCountsWhyPatternsOfPdlDoNotMatch) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    const Tensor &x = in[0];
    return {ops::sub(x, ops::neg(x), 3.0), ops::sub(x, ops::neg(x), 4.0), ops::sub(x, x, 2.0),
            ops::sub(x, ops::neg(x), 2.0)};
  });
  OptimizeOptions options;
  options.transforms = {{Transform::from_pdl("rule", kScaled)}};
  options.max_iterations = 1;
  EXPECT_TRUE(graph.clone().optimize(options).transforms[0].reasons.empty());
  options.explain = true;
  OptimizeReport report = graph.optimize(options);
  EXPECT_EQ(report.transforms[0].rewrites, 1);
  const auto &reasons = report.transforms[0].reasons;
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].reason, "the alpha of %sub (Sub) is not 2.0");
  EXPECT_EQ(reasons[0].count, 2);
  EXPECT_EQ(reasons[0].nodes, (std::vector<std::string>{"sub_1", "sub_2"}));
  EXPECT_EQ(reasons[0].file, "<pdl>");
  EXPECT_EQ(reasons[0].line, 7);
  EXPECT_EQ(reasons[1].reason, "input 1 of %sub (Sub) is not %neg (Neg)");
  EXPECT_EQ(reasons[1].nodes, std::vector<std::string>{"sub_3"});
}

TEST(WhyNot, isAskedOfRulesAndOperators) {
  ModelGraph graph = pageGraph(), other = pageGraph();
  EXPECT_THAT(refusal([&] { graph.why_not(transform("fn", [](ModelGraph &) {}), only(graph, OpCode::Add)); }),
              StartsWith("UNSUPPORTED | why_not: 'fn' is a function or a pipeline, which give no reasons; rules"));
  EXPECT_THAT(refusal([&] { graph.why_not(ruleOf(addOfNeg()), only(other, OpCode::Add)); }),
              StartsWith("INVALID_ARGUMENT | why_not: the node given is of another graph"));
  EXPECT_THAT(graph.why_not(ruleOf(addOfNeg()), graph.nodes()[0]), Optional(HasSubstr("'x' is an input of the graph")));
  EXPECT_THAT(refusal([&] {
                graph.why_not(ruleOf(addOfNeg(),
                                     [&](const RewriteMatch &) {
                                       graph.rename_output("output_0", "y");
                                       return true;
                                     }),
                              only(graph, OpCode::Add));
              }),
              StartsWith("FAILED_PRECONDITION"));
}

} // namespace
