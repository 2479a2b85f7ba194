// What one edit costs against the size of the graph: it should not grow with it. Each kind is made over and over, at
// the graph's middle and at its front, where insertions are dense.
#include "graphs.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Node;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::Value;
namespace ops = ClikaRT::ops;

namespace {

/// A graph under edit: nodes of its middle that each read one value, in order, and where the edits have come to.
struct Site {
  explicit Site(ModelGraph made) : graph(std::move(made)), input(graph.inputs()[0]) {
    std::vector<Node> nodes = graph.nodes();
    for (std::size_t i = nodes.size() / 3; i < nodes.size() && readers.size() < 2000; ++i)
      if (nodes[i].in_degree() == 1)
        readers.push_back(nodes[i]);
  }
  Node &next() { return readers[at++ % readers.size()]; }
  std::string name() { return "n" + std::to_string(at++); }

  ModelGraph graph;
  Value input;
  std::vector<Node> readers;
  std::size_t at = 0;
};

std::vector<Tensor> negated(const std::vector<Tensor> &in) { return {ops::neg(in[0])}; }

using Step = std::function<void(Site &)>;

void set_input_of_new(Site &s) { s.graph.set_input(s.next(), 0, s.graph.add_node(OpCode::Abs, {s.input}).output(0)); }
void replace_uses_by_new(Site &s) {
  Value old = *s.next().output(0);
  s.graph.replace_all_uses_with(old, *s.graph.add_node(OpCode::Abs, {s.input}).output(0));
}
void set_input_back(Site &s) {
  Node &reader = s.next();
  Value before = *reader.input(0);
  s.graph.set_input(reader, 0, s.input);
  s.graph.set_input(reader, 0, before);
}
void add_then_remove(Site &s) { s.graph.remove_node(s.graph.add_node(OpCode::Abs, {s.next().input(0)})); }
void set_attribute(Site &s) {
  Node made = s.graph.add_node(OpCode::Add, {s.input, s.input});
  s.graph.set_attribute(made, "alpha", static_cast<double>(s.at++));
}
void wrap_then_bypass(Site &s) {
  Node &reader = s.next();
  Node made = s.graph.add_node(OpCode::Abs, {reader.input(0)});
  s.graph.set_input(reader, 0, made.output(0));
  s.graph.bypass_node(made);
}
void rename_node(Site &s) { s.graph.rename_node(s.next(), s.name()); }
void add_constant(Site &s) {
  static const float zeros[1000] = {};
  s.graph.add_constant(Tensor::from_data(zeros, {1000}, ClikaRT::DataType::Float32));
}
void insert_function(Site &s) { s.graph.insert(negated, {*s.next().input(0)}); }
void replace_by_function(Site &s) {
  Node &reader = s.next();
  std::vector<Value> made = s.graph.replace({*reader.output(0)}, negated, {*reader.input(0)});
  reader = *made[0].producer();
}
void add_then_remove_output(Site &s) {
  s.graph.add_output(*s.next().output(0), "more");
  s.graph.remove_output("more");
}
void add_then_remove_input(Site &s) {
  s.graph.add_input({"more", ClikaRT::DataType::Float32, {8}});
  s.graph.rename_input("more", "other");
  s.graph.remove_input("other");
}
void query_users(Site &s) { benchmark::DoNotOptimize(s.next().output(0)->users()); }

void run(benchmark::State &state, ModelGraph (*build)(std::int64_t), const Step &step) {
  Site site(build(state.range(0)));
  for (auto _ : state)
    step(site);
}

} // namespace

void register_edits() {
  const std::pair<const char *, ModelGraph (*)(std::int64_t)> graphs[] = {
      {"chain", chain}, {"wide", wide}, {"comb", comb}};
  const std::pair<const char *, Step> steps[] = {{"set_input_of_new", set_input_of_new},
                                                 {"replace_uses_by_new", replace_uses_by_new},
                                                 {"set_input_back", set_input_back},
                                                 {"add_then_remove", add_then_remove},
                                                 {"set_attribute", set_attribute},
                                                 {"wrap_then_bypass", wrap_then_bypass},
                                                 {"rename", rename_node},
                                                 {"add_constant", add_constant},
                                                 {"insert", insert_function},
                                                 {"replace", replace_by_function},
                                                 {"add_then_remove_output", add_then_remove_output},
                                                 {"add_then_remove_input", add_then_remove_input},
                                                 {"users", query_users}};
  for (const auto &[what, step] : steps)
    for (const auto &[name, build] : graphs)
      benchmark::RegisterBenchmark((std::string("edit/") + what + "/" + name).c_str(),
                                   [build = build, step = step](benchmark::State &state) { run(state, build, step); })
          ->Arg(1000)
          ->Arg(100000)
          ->Iterations(2000)
          ->Unit(benchmark::kMicrosecond);
}
