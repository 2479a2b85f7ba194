// What a call of run() costs beside the graph's work, and what a second thread brings. Take medians:
// bench_run --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
#include <ClikaRT/clika_rt.h>

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

using ClikaRT::DataType;
using ClikaRT::Shape;
using ClikaRT::Tensor;
using ClikaRT::graph::FinalizeOptions;
using ClikaRT::graph::ModelGraph;
using ClikaRT::spec::TensorSpec;
namespace ops = ClikaRT::ops;
using Tensors = std::vector<Tensor>;

namespace {

Tensor numbers(const Shape &shape) {
  std::size_t count = 1;
  for (std::int64_t size : shape)
    count *= static_cast<std::size_t>(size);
  std::vector<float> values(count);
  for (std::size_t i = 0; i != count; ++i)
    values[i] = static_cast<float>(i % 13) - 6;
  return Tensor::from_data(values.data(), shape, DataType::Float32);
}

ModelGraph finalized(const ClikaRT::graph::TraceFunction &fn, const Shape &shape, int threads) {
  TensorSpec spec{"x", DataType::Float32, {}};
  for (std::int64_t size : shape)
    spec.shape.push_back(size);
  ModelGraph graph = ClikaRT::graph::trace(fn, {spec}, "measured");
  FinalizeOptions options;
  options.threads = threads;
  graph.finalize(options);
  return graph;
}

Tensors relu(const Tensors &x) { return {ops::relu(x[0])}; }

void run(benchmark::State &state) {
  ModelGraph graph = finalized(relu, {4}, static_cast<int>(state.range(0)));
  Tensors inputs = {numbers({4})};
  for (auto _ : state)
    benchmark::DoNotOptimize(graph.run(inputs));
}

void runInto(benchmark::State &state) {
  ModelGraph graph = finalized(relu, {4}, static_cast<int>(state.range(0)));
  Tensors inputs = {numbers({4})}, outputs = {Tensor::empty({4}, DataType::Float32)};
  for (auto _ : state)
    graph.run_into(inputs, outputs);
}

void measure(benchmark::State &state, const ClikaRT::graph::TraceFunction &fn, const Shape &shape) {
  ModelGraph graph = finalized(fn, shape, static_cast<int>(state.range(0)));
  Tensors inputs = {numbers(shape)}, outputs = graph.run(inputs);
  for (auto _ : state)
    graph.run_into(inputs, outputs);
}

void matmul(benchmark::State &state) {
  Tensor weights = numbers({1024, 1024});
  measure(state, [=](const Tensors &x) { return Tensors{ops::matmul(x[0], weights)}; }, {1024, 1024});
}

void conv(benchmark::State &state) {
  Tensor weights = numbers({128, 128, 3, 3});
  measure(state, [=](const Tensors &x) { return Tensors{ops::conv(x[0], weights)}; }, {1, 128, 58, 58});
}

void softmax(benchmark::State &state) {
  measure(state, [](const Tensors &x) { return Tensors{ops::softmax(x[0], -1)}; }, {1536, 128});
}

void exponential(benchmark::State &state) {
  measure(state, [](const Tensors &x) { return Tensors{ops::exp(x[0])}; }, {98304});
}

BENCHMARK(run)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(runInto)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(matmul)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(conv)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(softmax)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(exponential)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
