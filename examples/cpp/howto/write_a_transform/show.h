// What the programs of this folder share: a graph as text, a report as text, and the graph most of them rewrite.
#pragma once

#include <ClikaRT/clika_rt.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace show {

using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;

/// How a value is computed, as nested calls: "Mul(Abs(x), gain)". A constant that is one number shows as it.
inline std::string expression(const ClikaRT::graph::Value& value) {
    const auto node = value.producer();
    if (!node) return value.constant_scalar()->to_string();
    if (node->kind() == ClikaRT::graph::NodeKind::Input) return node->name();
    std::string text(ClikaRT::graph::op_code_name(node->op_code()));
    const char* before = "(";
    for (const ClikaRT::graph::Value& read : node->inputs()) text += std::exchange(before, ", ") + expression(read);
    return text + ")";
}

inline std::string text(const ModelGraph& graph) {
    std::string all;
    for (const ClikaRT::graph::Value& value : graph.outputs()) all += (all.empty() ? "" : "; ") + expression(value);
    return all;
}

inline std::string applied(const ClikaRT::graph::OptimizeReport& report) {
    std::string all;
    for (const ClikaRT::graph::TransformReport& row : report.transforms) {
        all += (all.empty() ? "" : ", ") + row.transform.name() + ": " + std::to_string(row.applications);
    }
    return all;
}

inline ClikaRT::graph::OptimizeReport optimize(ModelGraph& graph, std::vector<ClikaRT::graph::Transform> list) {
    ClikaRT::graph::OptimizeOptions options;
    options.transforms = std::move(list);
    return graph.optimize(options);
}

/// A graph over vectors of four floats, with one output.
inline ModelGraph trace(const ClikaRT::graph::TraceFunction& function, const std::vector<std::string>& inputs) {
    std::vector<ClikaRT::spec::TensorSpec> signature;
    for (const std::string& name : inputs) signature.push_back({name, ClikaRT::DataType::Float32, {4}});
    return ClikaRT::graph::trace(function, signature, "example", {"y"});
}

/// A small mixer: y = |-(-signal)| * gain + |-signal|.
inline ModelGraph mixer() {
    namespace ops = ClikaRT::ops;
    const auto mix = [](const std::vector<Tensor>& in) {
        const Tensor loud = ops::mul(ops::abs(ops::neg(ops::neg(in[0]))), in[1]);
        return std::vector<Tensor>{ops::add(loud, ops::abs(ops::neg(in[0])))};
    };
    return trace(mix, {"signal", "gain"});
}

}  // namespace show
