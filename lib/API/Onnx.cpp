// from_onnx: a model file as a graph.
#include "IO/Onnx/Import.h"

#include "API/Core.h"

using namespace clika;

namespace ClikaRT::graph {

ModelGraph ModelGraph::from_onnx(const std::string &path) { return from_onnx(path, OnnxOptions()); }

ModelGraph ModelGraph::from_onnx(const std::string &path, const OnnxOptions &options) {
  auto core = std::make_shared<GraphCore>(GraphContext::create(), "graph");
  clika::OnnxOptions reading;
  reading.allowUnknown = options.allow_unknown;
  core->adopt(importOnnx(path, *core->mlir(), reading), "from_onnx: '" + path + "'");
  return ModelGraph(std::move(core));
}

} // namespace ClikaRT::graph
