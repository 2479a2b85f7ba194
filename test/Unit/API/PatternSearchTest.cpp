// What a search for a pattern costs, and what it does not miss for that.
#include "GraphTesting.h"

using namespace testing_graphs;
using ClikaRT::graph::any_operand;
using ClikaRT::graph::Decision;
using ClikaRT::graph::Declined;
using ClikaRT::graph::PatternNodeOptions;
using ClikaRT::graph::TransformReport;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

PatternNodeOptions commutative() { return {false, true, {}}; }

/// `levels` pairs of Adds, each of which reads both of the pair before.
ModelGraph ladder(int levels, bool withReader = false) {
  return traced(
      [&](const Tensors &in) -> Tensors {
        Tensor left = in[0], right = in[1], read;
        for (int i = 0; i < levels; ++i) {
          std::tie(left, right) = std::pair(ops::add(left, right), ops::add(left, right, 2.0));
          if (i == 0)
            read = ops::relu(left);
        }
        Tensor top = ops::add(left, right);
        return {withReader ? ops::add(top, read) : top};
      },
      {{"x", DataType::Float32, {2}}, {"z", DataType::Float32, {2}}});
}

/// A line of commutative Adds.
Pattern adds(std::size_t count) {
  Pattern pattern;
  for (std::size_t i = 0; i < count; ++i)
    if (Pattern::NodeId node = pattern.add_node(OpCode::Add, commutative()); node > 0)
      pattern.add_edge(node - 1, node);
  return pattern;
}

/// What stands in ladder(levels), every Add of it.
Pattern wholeLadder(std::size_t levels) {
  Pattern pattern;
  Pattern::NodeId left = pattern.add_node(OpCode::Add, commutative()),
                  right = pattern.add_node(OpCode::Add, commutative());
  for (std::size_t i = 1; i < levels; ++i) {
    Pattern::NodeId nextLeft = pattern.add_node(OpCode::Add, commutative()),
                    nextRight = pattern.add_node(OpCode::Add, commutative());
    for (Pattern::NodeId next : {nextLeft, nextRight}) {
      pattern.add_edge(left, next, 0, 0);
      pattern.add_edge(right, next, 0, 1);
    }
    std::tie(left, right) = std::pair(nextLeft, nextRight);
  }
  Pattern::NodeId top = pattern.add_node(OpCode::Add, commutative());
  pattern.add_edge(left, top, 0, 0);
  pattern.add_edge(right, top, 0, 1);
  return pattern;
}

Transform declining(const Pattern &pattern, int *asked) {
  return transforms::rewrite(
      "declines", pattern, [](const RewriteMatch &, const Tensors &in) { return in; },
      [asked](const RewriteMatch &) -> Decision {
        ++*asked;
        return Declined{"not now"};
      });
}

// 2^23 lines lead down the ladder, and every one leaves the pair's other node outside.
TEST(PatternSearch, aLadderOfLinesThatAreNotConvexIsGivenUpEarly) {
  ModelGraph graph = ladder(40);
  EXPECT_THAT(graph.find_occurrences(adds(24)), IsEmpty());
  int asked = 0;
  OptimizeReport report = optimizeWith(graph, {declining(adds(24), &asked)});
  EXPECT_EQ(asked, 0);
  // From each of 81 Adds that stands high enough.
  EXPECT_EQ(report.transforms[0].skipped, 35);
  EXPECT_EQ(graph.find_occurrences(adds(1)).size(), 81u);
}

// At each level left and right can be swapped, and only the lowest shows that a path comes back from outside.
TEST(PatternSearch, whatFailsForAllOrdersOfAPairFailsOnce) {
  ModelGraph graph = ladder(24, true);
  EXPECT_THAT(graph.find_occurrences([&] {
    Pattern pattern = wholeLadder(24);
    pattern.add_edge(pattern.nodes().size() - 1, pattern.add_node(OpCode::Add), 0, 0);
    return pattern;
  }()),
              IsEmpty());
  EXPECT_EQ(graph.find_occurrences(wholeLadder(24)).size(), 1u);
}

TEST(PatternSearch, ofWhatIsConvexTheFirstOrderIsTaken) {
  std::vector<RewriteMatch> matches = ladder(24).find_occurrences(wholeLadder(24));
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].nodes.size(), 49u);
  EXPECT_EQ(matches[0].inputs.size(), 2u);
  EXPECT_EQ(matches[0].nodes[0]->name(), "add_1");
  EXPECT_EQ(matches[0].nodes[1]->name(), "add_2");
}

// 2^24 orders would be asked about.
TEST(PatternSearch, theWorkPerRootIsBounded) {
  ModelGraph graph = ladder(24);
  int asked = 0;
  OptimizeReport report = optimizeWith(graph, {declining(wholeLadder(24), &asked)});
  EXPECT_GT(asked, 100);
  EXPECT_LT(asked, 200000);
  EXPECT_EQ(report.transforms[0].declined, asked);
  ASSERT_EQ(report.transforms[0].reasons.size(), 2u);
  EXPECT_EQ(report.transforms[0].reasons[0].reason, "not now");
  EXPECT_EQ(report.transforms[0].reasons[0].count, asked);
  EXPECT_THAT(report.transforms[0].reasons[1].reason, HasSubstr("the search from this root was ended after"));
  // A few orders are all tried.
  asked = 0;
  ModelGraph small = ladder(4);
  optimizeWith(small, {declining(wholeLadder(4), &asked)});
  EXPECT_EQ(asked, 16);
}

TEST(PatternSearch, aLineOfCommutativeAddsIsLinear) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (int i = 0; i < 20000; ++i)
      value = i % 2 ? ops::add(value, in[0]) : ops::add(in[0], value);
    return {value};
  });
  std::vector<RewriteMatch> matches = graph.find_occurrences(adds(8));
  EXPECT_EQ(matches.size(), 20000u - 7);
  EXPECT_EQ(matches[0].inputs.size(), 1u);
}

TEST(PatternSearch, anyOperandTakesAPortThatNoOtherEdgeNames) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        return {ops::concat({in[0], ops::neg(in[0]), ops::relu(in[0]), ops::neg(in[0])}),
                ops::concat({ops::neg(in[0]), in[0], in[0]})};
      },
      {{"x", DataType::Float32, {2}}});
  auto concatOf = [](std::size_t negs, std::optional<std::size_t> reluPort) {
    Pattern pattern;
    Pattern::NodeId concat = pattern.add_node(OpCode::Concat);
    for (std::size_t i = 0; i < negs; ++i)
      pattern.add_edge(pattern.add_node(OpCode::Neg), concat, 0, any_operand);
    if (reluPort)
      pattern.add_edge(pattern.add_node(OpCode::Relu), concat, 0, *reluPort);
    return pattern;
  };
  EXPECT_EQ(graph.find_occurrences(concatOf(1, {})).size(), 2u);
  std::vector<RewriteMatch> both = graph.find_occurrences(concatOf(2, {}));
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].nodes[1]->name(), "neg_1");
  EXPECT_EQ(both[0].nodes[2]->name(), "neg_2");
  EXPECT_THAT(graph.find_occurrences(concatOf(3, {})), IsEmpty());
  EXPECT_EQ(graph.find_occurrences(concatOf(2, any_operand)).size(), 1u);
  EXPECT_EQ(graph.find_occurrences(concatOf(2, 2)).size(), 1u);
  EXPECT_THAT(graph.find_occurrences(concatOf(2, 1)), IsEmpty());
  // The port an edge names is not there for another: both Negs are wanted, and one reads port 3.
  Pattern named;
  Pattern::NodeId concat = named.add_node(OpCode::Concat);
  named.add_edge(named.add_node(OpCode::Neg), concat, 0, any_operand);
  named.add_edge(named.add_node(OpCode::Neg), concat, 0, 1);
  std::vector<RewriteMatch> matches = graph.find_occurrences(named);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].nodes[1]->name(), "neg_2");
}

TEST(PatternSearch, edgesNameTheOutputTheyComeFrom) {
  ModelGraph graph = traced(
      [](const Tensors &in) -> Tensors {
        Tensors parts = ops::split(in[0], {}, 2);
        return {ops::relu(parts[0]), ops::neg(parts[1])};
      },
      {{"x", DataType::Float32, {4}}});
  auto splitInto = [](std::size_t reluFrom, std::size_t negFrom) {
    Pattern pattern;
    Pattern::NodeId split = pattern.add_node(OpCode::Split);
    pattern.add_edge(split, pattern.add_node(OpCode::Relu), reluFrom);
    pattern.add_edge(split, pattern.add_node(OpCode::Neg), negFrom);
    return pattern;
  };
  std::vector<RewriteMatch> matches = graph.find_occurrences(splitInto(0, 1));
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].outputs.size(), 2u);
  EXPECT_THAT(graph.find_occurrences(splitInto(1, 0)), IsEmpty());
  EXPECT_THAT(graph.find_occurrences(splitInto(0, 7)), IsEmpty());
}

TEST(PatternSearch, reasonsAreCountedWithTheirFirstNode) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return {ops::neg(ops::relu(in[0])), ops::abs(ops::relu(in[0])), ops::neg(ops::exp(in[0]))};
  });
  Transform rule = transforms::rewrite(
      "reasoned", Pattern::chain({OpCode::Relu}), [](const RewriteMatch &, const Tensors &in) { return in; },
      [](const RewriteMatch &match) -> Decision {
        if (match.outputs[0].users()[0].op_code() == OpCode::Abs)
          return false;
        return Declined{"a Neg reads it"};
      });
  TransformReport row = optimizeWith(graph, {rule, rule}).transforms[1];
  EXPECT_EQ(row.declined, 2);
  ASSERT_EQ(row.reasons.size(), 1u);
  EXPECT_EQ(row.reasons[0].reason, "a Neg reads it");
  EXPECT_EQ(row.reasons[0].count, 1);
  EXPECT_THAT(row.reasons[0].nodes, ElementsAre("relu_1"));
}

/// A condition that is a std::function<bool>, or none, as before there was Declined.
TEST(PatternSearch, conditionsMayBeFunctionsToBool) {
  std::function<bool(const RewriteMatch &)> none, no = [](const RewriteMatch &) { return false; };
  auto relu = [](const RewriteMatch &, const Tensors &in) { return Tensors{ops::relu(in[0])}; };
  ModelGraph graph = pageGraph();
  const OpCode pair[] = {OpCode::Relu, OpCode::Relu};
  EXPECT_EQ(optimizeWith(graph, {transforms::rewrite("no", Pattern::chain(pair), relu, no)}).transforms[0].declined, 1);
  EXPECT_EQ(optimizeWith(graph, {transforms::rewrite("yes", Pattern::chain(pair), relu, none)}).transforms[0].rewrites,
            1);
}

TEST(PatternSearch, patternsOfTooManyNodesAreRefused) {
  EXPECT_THAT(refusal([] { pageGraph().find_occurrences(adds(1001)); }),
              HasSubstr("find_occurrences: the pattern: it has 1001 nodes, and 1000 are the most"));
  EXPECT_THAT(pageGraph().find_occurrences(adds(1000)), IsEmpty());
  EXPECT_EQ(ladder(0).find_occurrences(adds(1)).size(), 1u);
}

} // namespace
