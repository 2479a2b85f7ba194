// What optimize() costs against the size of the graph: the default list, a C++ rule and a function transform, on a
// chain (each node reads the one before) and on a wide graph (every block reads the input). `ns_per_node` is the figure
// to look at: it should not grow with the size. search/ is the search for a pattern alone, up to a million nodes.
#include "graphs.h"

#include <benchmark/benchmark.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

using ClikaRT::Result;
using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::OptimizeOptions;
using ClikaRT::graph::Pattern;
using ClikaRT::graph::RewriteMatch;
using ClikaRT::graph::Transform;
namespace ops = ClikaRT::ops;
namespace transforms = ClikaRT::graph::transforms;

namespace {

Transform relu_pair_rule() {
  return transforms::rewrite(
      "relu_pair", Pattern::chain(std::vector<OpCode>{OpCode::Relu, OpCode::Relu}),
      [](const RewriteMatch &, const std::vector<Tensor> &in) { return std::vector<Tensor>{ops::relu(in[0])}; });
}

/// A line of eight commutative Adds: each may read the one below it at either port.
Pattern commutative_line() {
  Pattern pattern;
  for (std::size_t i = 0; i < 8; ++i)
    if (const Pattern::NodeId node = pattern.add_node(OpCode::Add, {false, true, {}}); node > 0)
      pattern.add_edge(node - 1, node);
  return pattern;
}

/// Its occurrences are found once, and none is rewritten.
void search(benchmark::State &state, ModelGraph (*build)(std::int64_t), const Pattern &pattern) {
  const ModelGraph graph = build(state.range(0));
  const auto nodes = static_cast<double>(graph.nodes().size());
  for (auto _ : state)
    benchmark::DoNotOptimize(graph.find_occurrences(pattern).size());
  state.counters["ns_per_node"] =
      benchmark::Counter(nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void register_searches() {
  const std::tuple<const char *, ModelGraph (*)(std::int64_t), Pattern> searches[] = {
      {"search/relu_pair_in_chain", chain, Pattern::chain({OpCode::Relu, OpCode::Relu})},
      {"search/no_match_in_chain", chain, Pattern::chain({OpCode::Exp, OpCode::Neg, OpCode::Relu})},
      {"search/commutative_line_in_comb", comb, commutative_line()}};
  for (const auto &[name, build, pattern] : searches)
    benchmark::RegisterBenchmark(
        name, [build = build, pattern = pattern](benchmark::State &state) { search(state, build, pattern); })
        ->RangeMultiplier(10)
        ->Range(1000, 1000000)
        ->Unit(benchmark::kMillisecond);
}

Transform reading_function() {
  return Transform::from_function("count_relus", [](ModelGraph &graph) -> Result<void> {
    benchmark::DoNotOptimize(graph.find_nodes(OpCode::Relu).size());
    return {};
  });
}

OptimizeOptions listing(std::vector<Transform> list) {
  OptimizeOptions options;
  options.transforms = std::move(list);
  return options;
}

void run(benchmark::State &state, ModelGraph (*build)(std::int64_t), const OptimizeOptions &options) {
  const ModelGraph original = build(state.range(0));
  const auto nodes = static_cast<double>(original.nodes().size());
  for (auto _ : state) {
    state.PauseTiming();
    ModelGraph graph = original.clone();
    state.ResumeTiming();
    graph.optimize(options);
  }
  state.counters["ns_per_node"] =
      benchmark::Counter(nodes * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void register_all() {
  const std::pair<const char *, ModelGraph (*)(std::int64_t)> graphs[] = {{"chain", chain}, {"wide", wide}};
  for (const auto &[name, build] : graphs) {
    const std::pair<const char *, OptimizeOptions> lists[] = {{"default_list", {}},
                                                              {"cpp_rule", listing({relu_pair_rule()})},
                                                              {"cpp_function", listing({reading_function()})}};
    for (const auto &[what, options] : lists)
      benchmark::RegisterBenchmark(
          (std::string("optimize/") + name + "/" + what).c_str(),
          [build = build, options = options](benchmark::State &state) { run(state, build, options); })
          ->Arg(1000)
          ->Arg(10000)
          ->Arg(100000)
          ->Unit(benchmark::kMillisecond)
          ->Repetitions(5)
          ->ReportAggregatesOnly();
  }
  register_searches();
  register_edits();
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
