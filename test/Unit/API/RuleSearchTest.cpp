// What a rule's search costs after an edit, counted in roots searched.
#include "GraphTesting.h"

#include "API/RuleSearch.h"

using namespace testing_graphs;

namespace {

/// A search as optimize() makes it, iteration by iteration.
struct Iterations {
  explicit Iterations(ModelGraph &graph, Pattern pattern)
      : graph(graph), pattern(std::move(pattern)), search(this->pattern, false) {
    graph.core()->index.touchLog.start();
  }
  ~Iterations() { graph.core()->index.touchLog.stop(); }

  /// The occurrences, and how many roots were searched for that.
  std::pair<size_t, uint64_t> next() {
    clika::Query query(graph.core(), "test");
    clika::Matcher matcher(query, search.plan, query->index.nextId(), "the pattern");
    uint64_t before = search.searched;
    size_t found = search.search(matcher, *query, index, query->index.nextId(), regions).size();
    return {found, search.searched - before};
  }

  ModelGraph &graph;
  Pattern pattern;
  clika::RootIndex index;
  clika::RegionTally regions;
  clika::RuleSearch search;
};

using Counts = std::pair<size_t, uint64_t>;

TEST(RuleSearch, onlyWhatWasTouchedIsSearchedAgain) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (int i = 0; i < 1000; ++i)
      value = ops::neg(ops::relu(value));
    return {value};
  });
  Iterations iterations(graph, Pattern::chain({OpCode::Relu, OpCode::Neg}));
  EXPECT_EQ(iterations.next(), Counts(1000, 1000));
  EXPECT_EQ(iterations.next(), Counts(1000, 0));
  std::vector<Node> relus = graph.find_nodes(OpCode::Relu);
  graph.bypass_node(relus[500]);
  auto [found, searched] = iterations.next();
  EXPECT_EQ(found, 999u);
  EXPECT_GE(searched, 1u);
  EXPECT_LE(searched, 3u);
  // One that is put in is found; nothing else is looked at.
  Value value = *relus[200].output(0);
  graph.replace({value}, [](const Tensors &in) -> Tensors { return {ops::relu(ops::neg(ops::relu(in[0])))}; },
                {*relus[200].input(0)});
  std::tie(found, searched) = iterations.next();
  EXPECT_EQ(found, 1000u);
  EXPECT_LE(searched, 5u);
}

TEST(RuleSearch, nodesOfOtherCodesAreNotLookedAt) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor value = in[0];
    for (int i = 0; i < 100; ++i)
      value = i == 50 ? ops::abs(value) : ops::relu(value);
    return {value};
  });
  Iterations iterations(graph, Pattern::chain({OpCode::Relu, OpCode::Abs}));
  EXPECT_EQ(iterations.next(), Counts(1, 1));
  graph.set_input(graph.find_nodes(OpCode::Abs)[0], 0, graph.inputs()[0]);
  EXPECT_EQ(iterations.next(), Counts(0, 1));
}

TEST(RuleSearch, aReaderThatComesOrGoesIsSeen) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    Tensor value = ops::neg(in[0]);
    return {ops::relu(value), ops::exp(value), ops::abs(in[0])};
  });
  Pattern pattern;
  Pattern::NodeId neg = pattern.add_node(OpCode::Neg);
  pattern.add_edge(neg, pattern.add_node(OpCode::Relu));
  pattern.add_edge(neg, pattern.add_node(OpCode::Exp));
  Iterations iterations(graph, pattern);
  EXPECT_EQ(iterations.next().first, 1u);
  Node exp = graph.find_nodes(OpCode::Exp)[0];
  Value negated = *exp.input(0);
  graph.set_input(exp, 0, graph.inputs()[0]);
  EXPECT_EQ(iterations.next().first, 0u);
  graph.set_input(exp, 0, negated);
  EXPECT_EQ(iterations.next().first, 1u);
}

} // namespace
