// RewriteLog and ModelGraph::replay.
#include "GraphTesting.h"

#include <ClikaRT/rewrite_log.h>

using namespace testing_graphs;
using ClikaRT::graph::RewriteLog;
using testing::ElementsAre;
using testing::StartsWith;

namespace {

OptimizeReport record(ModelGraph &graph) {
  OptimizeOptions options;
  options.record = true;
  return graph.optimize(options);
}

TEST(Replay, doesWhatWasRecorded) {
  ModelGraph graph = pageGraph(), again = graph.clone();
  std::vector<Node> nodes = again.nodes();
  OptimizeReport report = record(graph);
  ASSERT_TRUE(report.log.has_value());
  EXPECT_THAT(report.log->steps().front().removed, ElementsAre("relu_2"));
  again.replay(*report.log);
  EXPECT_EQ(again.to_mlir(), graph.to_mlir());
  for (const Node &node : nodes)
    EXPECT_EQ(node.is_valid(), again.find_node(node.is_valid() ? node.name() : "").has_value());
}

// As Python writes it: a file is the same for both.
TEST(Replay, readsTextOfAnotherProcess) {
  ModelGraph graph = pageGraph(), again = ModelGraph::from_mlir(graph.to_mlir());
  std::string text = record(graph).log->text();
  again.replay(RewriteLog::from_text(text));
  EXPECT_EQ(again.to_mlir(), graph.to_mlir());
}

TEST(Replay, refusesAnotherGraphAndChangesNothing) {
  ModelGraph graph = pageGraph();
  OptimizeReport report = record(graph);
  std::string before = graph.to_mlir();
  EXPECT_THAT(refusal([&] { graph.replay(*report.log); }),
              StartsWith("INVALID_ARGUMENT | replay: the log is of another graph"));
  EXPECT_EQ(graph.to_mlir(), before);
}

TEST(Replay, nothingIsRecordedUnasked) {
  ModelGraph graph = pageGraph();
  EXPECT_FALSE(graph.optimize().log.has_value());
}

TEST(Replay, refusesWhatIsNoLog) {
  EXPECT_THAT(refusal([] { RewriteLog::from_text("module {}"); }),
              StartsWith("INVALID_ARGUMENT | RewriteLog: the text is no log of rewrites"));
  EXPECT_THAT(refusal([] { RewriteLog::load("/no/such/file"); }), StartsWith("IO | RewriteLog.load: "));
}

} // namespace
