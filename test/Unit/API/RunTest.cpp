#include "GraphTesting.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <unistd.h>

using namespace testing_graphs;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

TEST(Eager, computesAtOnce) {
  Tensor x = floats({1, -2, 3, -4}, {2, 2});
  EXPECT_EQ(ops::relu(x).item_as_vec<float>(), (std::vector<float>{1, 0, 3, 0}));
  EXPECT_EQ(ops::add(x, floats({10, 20}, {2}), 2.0).item_as_vec<float>(), (std::vector<float>{21, 38, 23, 36}));
  EXPECT_EQ(ops::sub(x, 1.0).item_as_vec<float>(), (std::vector<float>{0, -3, 2, -5}));
  EXPECT_EQ(ops::relu(floats({}, {0, 3})).shape(), (ClikaRT::Shape{0, 3}));
  EXPECT_EQ(ops::neg(Tensor::scalar(2.0, DataType::Float64)).item<double>(), -2.0);
  EXPECT_THAT(refusal([&] { ops::add(x, floats({1, 2, 3}, {3})); }),
              "INVALID_ARGUMENT | add: shapes [2, 2] and [3] do not broadcast");
  EXPECT_THAT(refusal([&] { ops::add(x, Tensor::scalar(1.0, DataType::Float64)); }),
              AllOf(StartsWith("INVALID_ARGUMENT | add: "), HasSubstr("float32"), HasSubstr("float64")));
  EXPECT_THAT(refusal([&] { ops::add(2.0, 3.0); }), HasSubstr("no operand is a tensor"));
  EXPECT_THAT(refusal([&] { ops::add(Tensor::full({2}, 1, DataType::Int32), 2.5); }),
              StartsWith("INVALID_ARGUMENT | add: "));
}

TEST(Run, computesTheGraph) {
  ModelGraph graph = pageGraph();
  EXPECT_THAT(refusal([&] { graph.run({}); }),
              StartsWith("FAILED_PRECONDITION | run: the graph has not been finalized"));
  graph.finalize();
  Tensor x = floats({1, -2, 3, -4, 5, -6}, {2, 3});
  EXPECT_EQ(graph.run({x})[0].item_as_vec<float>(), (std::vector<float>{0, 2, 0, 4, 0, 6}));
  EXPECT_EQ(graph.run_named({{"x", x}}).at("output_0").item_as_vec<float>(), (std::vector<float>{0, 2, 0, 4, 0, 6}));
  Tensor out = Tensor::empty({2, 3}, DataType::Float32);
  graph.run_into({x}, {out});
  EXPECT_EQ(out.item_as_vec<float>(), (std::vector<float>{0, 2, 0, 4, 0, 6}));
  EXPECT_THAT(refusal([&] { graph.run_into({out}, {out}); }), HasSubstr("shares memory"));
  EXPECT_THAT(refusal([&] { graph.run_into({x}, {x}); }), HasSubstr("Tensor::empty did not make it"));
  EXPECT_THAT(refusal([&] { graph.run_into({x}, {Tensor::empty({3, 2}, DataType::Float32)}); }), HasSubstr("[2, 3]"));
}

TEST(Run, checksItsInputs) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::add(in[0], in[1])}; },
                            {{"a", DataType::Float32, {"n", 2}}, {"b", DataType::Float32, {"n", 2}}});
  graph.finalize();
  Tensor one = floats({1, 2}, {1, 2}), three = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(graph.run({three, three})[0].item_as_vec<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(graph.run({one, one})[0].shape(), (ClikaRT::Shape{1, 2}));
  EXPECT_THAT(refusal([&] { graph.run({one}); }), HasSubstr("1 input was given; the graph has 2: 'a', 'b'"));
  EXPECT_THAT(refusal([&] { graph.run({three, one}); }), AllOf(HasSubstr("n is 3"), HasSubstr("'a'")));
  EXPECT_THAT(refusal([&] { graph.run({three, Tensor::full({3, 2}, 1.0, DataType::Float64)}); }), HasSubstr("float64"));
  EXPECT_THAT(refusal([&] { graph.run({three, floats({1, 2, 3}, {3})}); }), HasSubstr("[n, 2]"));
  EXPECT_THAT(refusal([&] { graph.run({three, floats({1, 2, 3}, {3, 1})}); }), HasSubstr("[n, 2]"));
  EXPECT_THAT(refusal([&] { graph.run_named({{"a", one}}); }), HasSubstr("'b' is missing"));
  EXPECT_THAT(refusal([&] { graph.run_named({{"a", one}, {"b", one}, {"c", one}}); }), HasSubstr("no input 'c'"));
  EXPECT_THAT(refusal([&] { graph.run_named({{"a", one}, {"B", one}}); }),
              HasSubstr("no input 'B'; its inputs are: 'a'"));
  EXPECT_THAT(refusal([&] { graph.run({one, Tensor()}); }), HasSubstr("undefined"));
}

TEST(Run, largeConstantsAreNotCopied) {
  std::vector<float> data(4096);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>(i);
  Tensor weight = floats(data, {4096});
  ModelGraph graph = traced([&](const Tensors &in) -> Tensors { return {ops::add(in[0], weight), ops::relu(weight)}; },
                            {{"x", DataType::Float32, {1}}});
  graph.finalize();
  std::vector<Tensor> results = graph.run({floats({1}, {1})});
  EXPECT_EQ(results[0].item_as_vec<float>()[4095], 4096.0F);
  EXPECT_EQ(results[1].item_as_vec<float>(), data);
}

TEST(Run, outputsMayBeInputsAndConstants) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {in[0], floats({7}, {1}), in[0]}; });
  graph.finalize();
  Tensor x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  std::vector<Tensor> results = graph.run({x});
  EXPECT_EQ(results[0].item_as_vec<float>(), x.item_as_vec<float>());
  EXPECT_NE(results[0].raw_data(), x.raw_data());
  EXPECT_EQ(results[1].item_as_vec<float>(), std::vector<float>{7});
}

TEST(Finalize, freezes) {
  ModelGraph graph = traced([](const Tensors &in) -> Tensors {
    ops::neg(in[0]);
    return {ops::relu(in[0])};
  });
  graph.finalize();
  EXPECT_TRUE(graph.is_finalized());
  EXPECT_EQ(graph.nodes().size(), 2u);
  for (const std::string &message :
       {refusal([&] { graph.finalize(); }), refusal([&] { graph.optimize(); }),
        refusal([&] { graph.rename_output("output_0", "y"); }), refusal([&] { graph.add_node(OpCode::Relu, {}); })})
    EXPECT_THAT(message, AllOf(StartsWith("FAILED_PRECONDITION"), HasSubstr("has been finalized")));
  ModelGraph copy = graph.clone();
  EXPECT_FALSE(copy.is_finalized());
  copy.rename_output("output_0", "y");
  EXPECT_THAT(refusal([&] { graph.to(ClikaRT::Device{"gpu", 0}); }),
              StartsWith("UNSUPPORTED | to: the device 'gpu' is not served; 'cpu' is"));
}

TEST(Finalize, optionsAreChecked) {
  ModelGraph graph = pageGraph();
  ClikaRT::graph::FinalizeOptions options;
  options.threads = 0;
  EXPECT_THAT(refusal([&] { graph.finalize(options); }), HasSubstr("threads is 0"));
  options.threads = 257;
  EXPECT_THAT(refusal([&] { graph.finalize(options); }), HasSubstr("threads is 257; give a number from 1 to 256"));
  options.threads = 1;
  options.precision = "fast";
  EXPECT_THAT(refusal([&] { graph.finalize(options); }), HasSubstr("'full' or 'relaxed'"));
  options.precision = "full";
  options.target_cpu = "no-such-cpu";
  EXPECT_THAT(refusal([&] { graph.finalize(options); }),
              AllOf(StartsWith("INVALID_ARGUMENT | finalize: target_cpu is 'no-such-cpu', "), HasSubstr("'host'")));
  options.target_cpu = "host";
  options.cache_dir = "/dev/null/folder";
  EXPECT_THAT(refusal([&] { graph.finalize(options); }),
              AllOf(StartsWith("IO | finalize: "), HasSubstr("cache_dir '/dev/null/folder'")));
  options.cache_dir.clear();
  std::vector<std::string> stages;
  std::vector<double> done;
  options.progress = [&](const ClikaRT::graph::FinalizeStage &stage) { done.push_back(stage.done); };
  graph.clone().finalize(options);
  EXPECT_TRUE(done.front() == 0.0 && done.back() < 1.0 && std::ranges::is_sorted(done));
  options.progress =
      std::function<void(const std::string &)>([&](const std::string &stage) { stages.push_back(stage); });
  graph.finalize(options);
  EXPECT_GT(stages.size(), 3u);
  EXPECT_EQ(stages.size(), done.size());
}

TEST(Finalize, codeIsKeptOnDisk) {
  std::string folder = testing::TempDir() + "/clika_code_" + std::to_string(getpid());
  std::vector<std::size_t> stages;
  for (int round = 0; round != 2; ++round) {
    ModelGraph graph = pageGraph();
    ClikaRT::graph::FinalizeOptions options;
    options.cache_dir = folder;
    std::size_t count = 0;
    options.progress = [&](const std::string &) { ++count; };
    graph.finalize(options);
    stages.push_back(count);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()), 1);
  }
  EXPECT_LT(stages[1], stages[0]);
  std::filesystem::remove_all(folder);
}

TEST(Finalize, anErrorInProgressLeavesTheGraph) {
  ModelGraph graph = pageGraph();
  std::string before = graph.to_string();
  ClikaRT::graph::FinalizeOptions options;
  for (int stop = 0; stop != 5; ++stop) {
    int stage = 0;
    options.progress = [&](const std::string &) {
      if (stage++ == stop)
        throw std::out_of_range("enough");
    };
    EXPECT_THROW(graph.finalize(options), std::out_of_range);
    EXPECT_FALSE(graph.is_finalized());
    EXPECT_EQ(graph.to_string(), before);
  }
  graph.finalize();
}

TEST(Run, manyThreadsMayRun) {
  ModelGraph graph = pageGraph();
  graph.finalize();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        auto value = static_cast<float>(-t - i);
        Tensor x = floats(std::vector<float>(6, value), {2, 3});
        wrong[static_cast<std::size_t>(t)] += graph.run({x})[0].item_as_vec<float>() != std::vector<float>(6, -value);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

} // namespace
