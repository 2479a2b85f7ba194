#include "graphs.h"

#include <vector>

using ClikaRT::Tensor;
using ClikaRT::graph::ModelGraph;
namespace ops = ClikaRT::ops;

namespace {

Tensor block(const Tensor &x) { return ops::neg(ops::relu(ops::relu(ops::exp(x)))); }

ModelGraph traced(const ClikaRT::graph::TraceFunction &fn) {
  return ClikaRT::graph::trace(fn, {{"x", ClikaRT::DataType::Float32, {8}}}, "benchmark", {"y"});
}

} // namespace

ModelGraph chain(std::int64_t nodes) {
  return traced([nodes](const std::vector<Tensor> &in) {
    Tensor value = in[0];
    for (std::int64_t i = 0; i + 4 <= nodes; i += 4)
      value = block(value);
    return std::vector<Tensor>{value};
  });
}

// Each block has a factor of its own, so that none is a duplicate; concat reads them all.
ModelGraph wide(std::int64_t nodes) {
  return traced([nodes](const std::vector<Tensor> &in) {
    std::vector<Tensor> values;
    for (std::int64_t i = 0; i + 5 <= nodes; i += 5)
      values.push_back(block(ops::add(in[0], in[0], static_cast<double>(i + 2))));
    return std::vector<Tensor>{ops::concat(values)};
  });
}

ModelGraph comb(std::int64_t nodes) {
  return traced([nodes](const std::vector<Tensor> &in) {
    Tensor value = in[0];
    for (std::int64_t i = 0; i + 2 <= nodes; i += 2)
      value = ops::add(value, ops::neg(in[0]));
    return std::vector<Tensor>{value};
  });
}
