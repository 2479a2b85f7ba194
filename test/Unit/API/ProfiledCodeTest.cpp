// The code that profile() measures, beside that of run().
#include "API/CompiledGraph.h"
#include "API/Core.h"
#include "GraphTesting.h"
#include "Runtime/Program.h"

using namespace testing_graphs;

namespace {

TEST(ProfiledCode, readsTheConstantsOfTheOther) {
  std::vector<float> weights(64 * 128);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<float>(i % 13) - 6.0F;
  ModelGraph graph =
      traced([&](const Tensors &in) -> Tensors { return {ops::exp(ops::matmul(in[0], floats(weights, {64, 128})))}; },
             {{"x", DataType::Float32, {3, 64}}});
  ClikaRT::graph::FinalizeOptions options;
  options.threads = 1;
  graph.finalize(options);
  clika::Query query(graph.core(), "test");
  std::shared_ptr<clika::CompiledGraph> compiled = clika::CompiledGraph::of(query);
  std::shared_ptr<const clika::CompiledGraph> marked = compiled->profiled(query);
  EXPECT_EQ(marked, compiled->profiled(query));
  const auto &own = marked->compiledProgram().parts(), &other = compiled->compiledProgram().parts();
  EXPECT_EQ(own.constants, other.constants);
  EXPECT_FALSE(own.constants.empty());
  EXPECT_EQ(own.plannedBytes, other.plannedBytes);
  EXPECT_EQ(own.threads, other.threads);
  EXPECT_NE(own.entry, other.entry);
  EXPECT_TRUE(other.kernels.empty());
  ASSERT_EQ(own.kernels.size(), 1U);
  EXPECT_EQ(own.kernels[0].nodes, (std::vector<std::string>{"matmul_1", "exp_1"}));
}

} // namespace
