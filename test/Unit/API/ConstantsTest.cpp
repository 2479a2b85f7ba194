// When the memory of a large constant is given back: once nothing reads it, and not before.
#include "GraphTesting.h"

#include <atomic>
#include <numeric>
#include <thread>

using namespace testing_graphs;
using testing::HasSubstr;

namespace {

constexpr std::int64_t kCount = 1024;

/// Memory outside the runtime, 4 KiB of `first`, `first` + 1 …, and whether it has been given back.
struct External {
  std::vector<float> data = std::vector<float>(kCount);
  std::atomic<bool> freed = false;

  explicit External(float first = 0.0f) { std::iota(data.begin(), data.end(), first); }
  Tensor tensor() {
    return Tensor::from_external(data.data(), {kCount}, DataType::Float32, [this](void *) { freed = true; });
  }
};

/// y = x + weights
ModelGraph sumGraph(External &weights) {
  return traced([&](const Tensors &in) -> Tensors { return {ops::add(in[0], weights.tensor())}; },
                {{"x", DataType::Float32, {kCount}}});
}

void dropConstant(ModelGraph &graph) {
  graph.replace({graph.outputs()[0]}, [](const Tensors &in) -> Tensors { return {ops::relu(in[0])}; },
                {graph.inputs()[0]});
}

std::vector<float> runWithOnes(ModelGraph &graph) {
  std::vector<float> ones(kCount, 1.0f);
  return graph.run({floats(ones, {kCount})})[0].item_as_vec<float>();
}

std::vector<float> oneToCount() {
  std::vector<float> values(kCount);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(Constants, anEditThatRemovesOneFreesIt) {
  External weights;
  ModelGraph graph = sumGraph(weights);
  EXPECT_FALSE(weights.freed);
  dropConstant(graph);
  EXPECT_TRUE(weights.freed);
  graph.verify();
}

TEST(Constants, oneOfTwoReadersKeepsIt) {
  External weights;
  ModelGraph graph = traced(
      [&](const Tensors &in) -> Tensors {
        Tensor tensor = weights.tensor();
        return {ops::add(in[0], tensor), ops::mul(in[0], tensor)};
      },
      {{"x", DataType::Float32, {kCount}}});
  dropConstant(graph);
  EXPECT_FALSE(weights.freed);
  graph.replace({graph.outputs()[1]}, [](const Tensors &in) -> Tensors { return {ops::neg(in[0])}; },
                {graph.inputs()[0]});
  EXPECT_TRUE(weights.freed);
}

TEST(Constants, theGraphsDeathFreesThem) {
  External weights, added(7.0f);
  {
    ModelGraph graph = sumGraph(weights);
    graph.add_constant(added.tensor());
    EXPECT_FALSE(added.freed);
  }
  EXPECT_TRUE(weights.freed);
  EXPECT_TRUE(added.freed);
}

TEST(Constants, equalOnesLieInTheFirstsMemory) {
  External weights, same;
  {
    ModelGraph graph = sumGraph(weights);
    Value constant = graph.add_constant(same.tensor());
    EXPECT_TRUE(same.freed);
    EXPECT_EQ(constant.constant()->raw_data(), weights.data.data());
    dropConstant(graph);
    EXPECT_FALSE(weights.freed);
  }
  EXPECT_TRUE(weights.freed);
}

// An undone or dropped constant, made again after its memory was given back.
TEST(Constants, equalOnesComeBack) {
  External weights, again;
  ModelGraph graph = sumGraph(weights);
  dropConstant(graph);
  EXPECT_TRUE(weights.freed);
  Value constant = graph.add_constant(again.tensor());
  EXPECT_FALSE(again.freed);
  EXPECT_EQ(constant.constant()->raw_data(), again.data.data());
}

TEST(Constants, aCloneKeepsThemUntilItDies) {
  External weights;
  ModelGraph graph = sumGraph(weights);
  {
    ModelGraph copy = graph.clone();
    dropConstant(graph);
    EXPECT_FALSE(weights.freed);
    ModelGraph second = copy.clone();
    second.finalize();
    EXPECT_EQ(runWithOnes(second), oneToCount());
    EXPECT_FALSE(weights.freed);
  }
  EXPECT_TRUE(weights.freed);
}

TEST(Constants, aFinalizedGraphKeepsThem) {
  External weights;
  ModelGraph graph = sumGraph(weights);
  {
    ModelGraph served = graph.clone();
    served.finalize();
    dropConstant(graph);
    EXPECT_FALSE(weights.freed);
    EXPECT_EQ(runWithOnes(served), oneToCount());
  }
  EXPECT_TRUE(weights.freed);
}

TEST(Constants, aTensorThatReadsOneKeepsIt) {
  External weights;
  ModelGraph graph = sumGraph(weights);
  Value value = *graph.find_nodes(OpCode::Add)[0].input(1);
  Tensor kept = *value.constant();
  dropConstant(graph);
  EXPECT_FALSE(value.is_valid());
  EXPECT_FALSE(weights.freed);
  EXPECT_EQ(kept.item_as_vec<float>(), weights.data);
  kept = ops::neg(kept);
  EXPECT_TRUE(weights.freed);
}

TEST(Constants, optimizeFreesThemWhenItCommits) {
  External weights;
  ModelGraph graph = sumGraph(weights);
  OptimizeReport report = optimizeWith(graph, {transform("drops", [&](ModelGraph &g) {
                                         if (!g.find_nodes(OpCode::Add).empty())
                                           dropConstant(g);
                                         EXPECT_FALSE(weights.freed);
                                       })});
  EXPECT_EQ(report.iterations, 2);
  EXPECT_TRUE(weights.freed);
}

TEST(Constants, anUndoneRunKeepsThemAndFreesItsOwn) {
  External weights, made;
  ModelGraph graph = sumGraph(weights);
  Value value = *graph.find_nodes(OpCode::Add)[0].input(1);
  std::string before = everything(graph);
  EXPECT_THAT(refusal([&] {
                optimizeWith(graph, {transform("fails", [&](ModelGraph &g) {
                               dropConstant(g);
                               g.add_constant(made.tensor());
                               throw std::runtime_error("over");
                             })});
              }),
              HasSubstr("over"));
  EXPECT_FALSE(weights.freed);
  EXPECT_TRUE(made.freed);
  EXPECT_EQ(everything(graph), before);
  EXPECT_EQ(value.constant()->item_as_vec<float>(), weights.data);
  graph.finalize();
  EXPECT_EQ(runWithOnes(graph), oneToCount());
}

TEST(Constants, rulesAndFoldingFreeWhatTheyReplace) {
  External weights, other;
  ModelGraph graph = traced(
      [&](const Tensors &in) -> Tensors { return {ops::add(in[0], ops::mul(weights.tensor(), other.tensor()))}; },
      {{"x", DataType::Float32, {kCount}}});
  optimizeWith(graph, {transforms::fold_constants()});
  EXPECT_TRUE(weights.freed);
  EXPECT_TRUE(other.freed);
  External more;
  Transform rule = transforms::rewrite(
      "add_to_sub", Pattern::chain(std::vector<OpCode>{OpCode::Add}),
      [&](const RewriteMatch &, const Tensors &in) -> Tensors { return {ops::sub(in[0], more.tensor())}; });
  optimizeWith(graph, {rule});
  EXPECT_FALSE(more.freed);
  dropConstant(graph);
  EXPECT_TRUE(more.freed);
}

TEST(Constants, whatAFailedCallMadeIsFreedAtOnce) {
  External weights;
  ModelGraph graph = pageGraph();
  EXPECT_THAT(refusal([&] {
                graph.insert(
                    [&](const Tensors &) -> Tensors {
                      ops::relu(weights.tensor());
                      Tensor sum = ops::add(floats({1}, {1}), Tensor());
                      return {sum};
                    },
                    {});
              }),
              HasSubstr("undefined"));
  EXPECT_TRUE(weights.freed);
}

TEST(Constants, finalizeFreesWhatNothingReads) {
  External weights;
  ModelGraph graph = pageGraph();
  graph.add_constant(weights.tensor());
  graph.finalize();
  EXPECT_TRUE(weights.freed);
}

// A family's graphs share their constants' memory, also when they are edited at once.
TEST(Constants, holdInManyThreads) {
  External weights;
  ModelGraph graph = sumGraph(weights);
  std::vector<ModelGraph> copies;
  for (int i = 0; i < 4; ++i)
    copies.push_back(graph.clone());
  std::vector<std::thread> threads;
  for (ModelGraph &copy : copies)
    threads.emplace_back([&copy] {
      for (int round = 0; round < 50; ++round) {
        ModelGraph inner = copy.clone();
        std::vector<float> shift(kCount, 1.0f);
        Transform adds = transform("adds", [&](ModelGraph &g) {
          g.replace({g.outputs()[0]},
                    [&](const Tensors &in) -> Tensors { return {ops::add(in[0], floats(shift, {kCount}))}; },
                    {g.outputs()[0]});
          if (round % 2)
            throw std::runtime_error("over");
        });
        OptimizeOptions once;
        once.max_iterations = 1;
        once.transforms = {adds, transforms::fold_constants()};
        try {
          inner.optimize(once);
        } catch (const Error &) {
        }
        dropConstant(inner);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(weights.freed);
  for (ModelGraph &copy : copies)
    EXPECT_EQ(copy.find_nodes(OpCode::Add)[0].input(1)->constant()->item_as_vec<float>(), weights.data);
  copies.clear();
  dropConstant(graph);
  EXPECT_TRUE(weights.freed);
}

} // namespace
