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

TEST(Replay, takesTheTargetDeviceAlong) {
  ModelGraph graph = pageGraph(), again = graph.clone(), other = graph.clone();
  OptimizeOptions options;
  options.record = true;
  options.target_device = ClikaRT::Device("gpu", 1);
  RewriteLog log = *graph.optimize(options).log;
  again.replay(log);
  EXPECT_EQ(again.target_device(), ClikaRT::Device("gpu", 1));
  EXPECT_EQ(again.to_mlir(), graph.to_mlir());
  other.set_target_device(ClikaRT::Device("npu"));
  EXPECT_THAT(refusal([&] { other.replay(log); }),
              StartsWith("INVALID_ARGUMENT | replay: the log is of another graph"));
  EXPECT_EQ(other.target_device(), ClikaRT::Device("npu"));
}

/// The log's text with `from` in place of `to`.
std::string changed(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Replay, refusesLogsThatAreNotWhole) {
  ModelGraph graph = pageGraph();
  std::string text = record(graph).log->text();
  auto says = [](const std::string &log) { return refusal([&] { RewriteLog::from_text(log); }); };
  EXPECT_THAT(says(changed(text, "clika.log_steps = 2", "clika.log_steps = 3")),
              testing::HasSubstr("has 2 of 3 steps"));
  EXPECT_THAT(says(changed(text, "clika.log_version = 1", "clika.log_version = 2")),
              testing::HasSubstr("is of version 2"));
  // A gap, and two steps of one number.
  EXPECT_THAT(says(changed(text, "clika.number = 1", "clika.number = 2")),
              testing::HasSubstr("where step 1 should stand there is step 2"));
  EXPECT_THAT(says(changed(text, "clika.number = 1", "clika.number = 0")),
              testing::HasSubstr("where step 1 should stand there is step 0"));
  EXPECT_THAT(says(changed(text, "clika.iteration = 1", "clika.iteration = 2")),
              testing::HasSubstr("step 1 is of iteration 1, after one of iteration 2"));
  EXPECT_EQ(says(text), "nothing was thrown");
}

TEST(Replay, refusesNodesOfARegion) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    return ops::if_(
        ops::greater(ops::reduce_sum(in[0]), 0), [&]() -> Tensors { return {ops::relu(ops::relu(in[0]))}; },
        [&]() -> Tensors { return {in[0]}; });
  });
  std::string before = everything(graph);
  ModelGraph done = graph.clone();
  std::string text = record(done).log->text();
  std::string wrong = changed(text, "clika.was = [\"if_1\"]", "clika.was = [\"relu_1\"]");
  EXPECT_THAT(
      refusal([&] { graph.replay(RewriteLog::from_text(wrong)); }),
      testing::AllOf(StartsWith("INVALID_ARGUMENT | replay: step 0"),
                     testing::HasSubstr("no node 'relu_1', but for one inside of 'if_1.then'; a step tells of")));
  EXPECT_EQ(everything(graph), before);
  graph.replay(RewriteLog::from_text(text));
  EXPECT_EQ(graph.to_mlir(), done.to_mlir());
}

} // namespace
