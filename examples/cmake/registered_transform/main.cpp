#include <ClikaRT/clika_rt.h>

#include <cstddef>
#include <cstdio>
#include <vector>

#include "doubling.h"

using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::OptimizeOptions;
using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::TransformReport;
namespace ops = ClikaRT::ops;
namespace transforms = ClikaRT::graph::transforms;

int main() {
    doubling::register_transforms();

    // y = x * 2 * 3
    ModelGraph graph = ClikaRT::graph::trace(
        [](const std::vector<Tensor>& in) { return std::vector<Tensor>{ops::mul(ops::mul(in[0], 2.0), 3.0)}; },
        {{"x", ClikaRT::DataType::Float32, {3}}}, "scaled", {"y"});

    OptimizeOptions options;
    options.transforms = transforms::select(graph, {"double_to_add", "remove_unused"});
    options.check = ClikaRT::graph::Check{};
    const OptimizeReport report = graph.optimize(options);
    for (const TransformReport& row : report.transforms) {
        std::printf("%s %lld\n", row.transform.name().c_str(), static_cast<long long>(row.rewrites));
        for (const auto& reason : row.reasons)
            std::printf("  %s: %s, line %d\n", reason.nodes.front().c_str(), reason.reason.c_str(), reason.line);
    }
    // What is for a GPU is chosen for one alone.
    const std::size_t gpu = transforms::select(graph, ClikaRT::Device{"gpu", 0}).size();
    const std::size_t cpu = transforms::select(graph, ClikaRT::Device{"cpu", 0}).size();
    std::printf("%zu more for a GPU\n", gpu - cpu);

    graph.finalize();
    const float x[] = {1.0F, -2.5F, 4.0F};
    for (float y : graph.run({Tensor::from_data(x, {3}, ClikaRT::DataType::Float32)})[0].item_as_vec<float>())
        std::printf("%g\n", y);
    return 0;
}
