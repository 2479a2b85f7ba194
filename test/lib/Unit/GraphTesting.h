// What the tests of graphs share.
#pragma once

#include <ClikaRT/clika_rt.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace testing_graphs {

namespace ops = ClikaRT::ops;
namespace transforms = ClikaRT::graph::transforms;
using ClikaRT::DataType;
using ClikaRT::Error;
using ClikaRT::Result;
using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Node;
using ClikaRT::graph::NodeKind;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::OptimizeOptions;
using ClikaRT::graph::OptimizeReport;
using ClikaRT::graph::Pattern;
using ClikaRT::graph::RewriteMatch;
using ClikaRT::graph::TraceFunction;
using ClikaRT::graph::Transform;
using ClikaRT::graph::Value;
using ClikaRT::spec::TensorSpec;

using Tensors = std::vector<Tensor>;

inline std::string formula(const Value &value) {
  std::optional<Node> producer = value.producer();
  if (!producer)
    return "c";
  if (producer->kind() == NodeKind::Input)
    return producer->name();
  std::string reads;
  for (const Value &read : producer->inputs())
    reads += (reads.empty() ? "" : ", ") + formula(read);
  return std::string(op_code_name(producer->op_code())) + "(" + reads + ")";
}

/// The formulas of the outputs, separated by "; ".
inline std::string formulas(const ModelGraph &graph) {
  std::string text;
  for (const Value &output : graph.outputs())
    text += (text.empty() ? "" : "; ") + formula(output);
  return text;
}

inline ModelGraph traced(const TraceFunction &fn,
                         std::vector<TensorSpec> signature = {{"x", DataType::Float32, {2, 3}}}) {
  return ClikaRT::graph::trace(fn, signature, "test");
}

/// y = Relu(Relu(x)) + Neg(x)
inline ModelGraph pageGraph() {
  return traced([](const Tensors &in) -> Tensors { return {ops::add(ops::relu(ops::relu(in[0])), ops::neg(in[0]))}; });
}

inline OptimizeReport optimizeWith(ModelGraph &graph, std::vector<Transform> list) {
  OptimizeOptions options;
  options.transforms = std::move(list);
  return graph.optimize(options);
}

inline Transform transform(const std::string &name, std::function<void(ModelGraph &)> fn) {
  return Transform::from_function(name, [fn](ModelGraph &graph) -> Result<void> {
    fn(graph);
    return {};
  });
}

/// "CODE | message" of the Error that `call` throws.
inline std::string refusal(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error.code_name() + " | " + error.what();
  } catch (const std::exception &error) {
    return std::string("not an Error: ") + error.what();
  }
  return "nothing was thrown";
}

/// Everything of a graph that an undone run must leave as it was.
inline std::string everything(const ModelGraph &graph) {
  std::string text = graph.to_mlir();
  for (const Node &node : graph.nodes())
    text += node.to_string() + " #" + std::to_string(node.id()) + "\n";
  return text;
}

inline Tensor floats(std::vector<float> values, ClikaRT::Shape shape) {
  return Tensor::from_data(values.data(), shape, DataType::Float32);
}

} // namespace testing_graphs
