// Many threads run the same graph, and different ones, at once: each run has the numbers of a run alone.
#include "GraphTesting.h"

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

using namespace testing_graphs;

namespace {

constexpr int kThreads = 8, kRuns = 1000;

Tensor random(const ClikaRT::Shape &shape, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> values(static_cast<std::size_t>(ClikaRT::element_count(shape, "random")));
  for (float &value : values)
    value = uniform(engine);
  return floats(values, shape);
}

/// A finalized graph with what it makes of each of some inputs when nothing else runs.
class Expected {
public:
  Expected(ModelGraph finalized, const std::vector<ClikaRT::Shape> &shapes) : graph(std::move(finalized)) {
    for (unsigned seed = 1; seed <= shapes.size(); ++seed) {
      inputs.push_back(random(shapes[seed - 1], seed));
      results.push_back(bytes(graph.run({inputs.back()})));
    }
  }

  /// How many of so many runs differ from those alone.
  int differences(int first, int runs) {
    int count = 0;
    for (int run = first; run != first + runs; ++run) {
      const std::size_t which = static_cast<std::size_t>(run) % inputs.size();
      count += bytes(graph.run({inputs[which]})) != results[which];
    }
    return count;
  }

private:
  static std::string bytes(const Tensors &tensors) {
    std::string all;
    for (const Tensor &tensor : tensors)
      all.append(static_cast<const char *>(tensor.raw_data()),
                 static_cast<std::size_t>(tensor.size()) * ClikaRT::item_size(tensor.dtype()));
    return all;
  }

  ModelGraph graph;
  Tensors inputs;
  std::vector<std::string> results;
};

ModelGraph finalized(const TraceFunction &fn, const std::vector<ClikaRT::spec::Dim> &dims, int threads) {
  ModelGraph graph = traced(fn, {{"x", DataType::Float32, dims}});
  ClikaRT::graph::FinalizeOptions options;
  options.threads = threads;
  graph.finalize(options);
  return graph;
}

/// Planned temporaries, and parts on several threads where there may be any.
Expected convolutions(int threads) {
  Tensor w = random({6, 3, 3, 3}, 11), v = random({5, 6, 3, 3}, 12);
  return {finalized(
              [=](const Tensors &in) -> Tensors {
                Tensor x = ops::max_pool(ops::relu(ops::conv(in[0], w, std::nullopt, {}, {1, 1})), {2, 2}, {2, 2});
                return {ops::softmax(ops::conv(x, v, std::nullopt, {}, {1, 1}), 1)};
              },
              {1, 3, 12, 12}, threads),
          {{1, 3, 12, 12}, {1, 3, 12, 12}, {1, 3, 12, 12}}};
}

/// Temporaries of sizes that each run brings.
Expected products(int threads) {
  Tensor w = random({16, 24}, 13), v = random({24, 8}, 14);
  return {finalized(
              [=](const Tensors &in) -> Tensors {
                Tensor x = ops::tanh(ops::matmul(in[0], w));
                return {ops::softmax(ops::matmul(x, v)), ops::reduce_sum(x, {0})};
              },
              {"n", 16}, threads),
          {{1, 16}, {7, 16}, {19, 16}, {64, 16}}};
}

void runOnAllThreads(const std::vector<Expected *> &graphs) {
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != kThreads; ++thread)
    threads.emplace_back([&, thread] {
      Expected &own = *graphs[static_cast<std::size_t>(thread) % graphs.size()];
      different += own.differences(thread, kRuns);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(different, 0);
}

TEST(Concurrency, oneGraphOnManyThreads) {
  for (int threads : {1, 4}) {
    Expected planned = convolutions(threads), dynamic = products(threads);
    runOnAllThreads({&planned});
    runOnAllThreads({&dynamic});
  }
}

TEST(Concurrency, differentGraphsAtOnce) {
  Expected first = convolutions(1), second = products(1), third = convolutions(4), fourth = products(3);
  runOnAllThreads({&first, &second, &third, &fourth});
}

// Compiling beside running: what finalize shares with runs is the pool of threads and the eager operators' code.
TEST(Concurrency, finalizeBesideRuns) {
  Expected graph = products(2);
  std::atomic<int> different = 0;
  std::thread runs([&] { different += graph.differences(0, kRuns); });
  for (int times = 0; times != 3; ++times)
    EXPECT_EQ(products(2).differences(0, 8), 0);
  runs.join();
  EXPECT_EQ(different, 0);
}

} // namespace
