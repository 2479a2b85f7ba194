// Conversions of the graph's values, shared by the bindings of graph.h, pattern.h, transform.h and transforms.h.
#pragma once

#include "Bindings.h"

#include <ClikaRT/graph.h>
#include <ClikaRT/pattern.h>
#include <ClikaRT/transform.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clika::python {

ClikaRT::graph::OpCode toOpCode(py::handle value, std::string_view call);
py::object fromOpCode(ClikaRT::graph::OpCode code);

/// A setting's value as a plain Python value, and back (None, bool, int, float, str, ints, an element type).
py::object fromAttrValue(const ClikaRT::graph::AttrValue &value);
ClikaRT::graph::AttrValue toAttrValue(py::handle value, std::string_view call, const std::string &name);
py::dict fromAttrs(const std::vector<ClikaRT::graph::Attr> &attrs);
std::vector<ClikaRT::graph::Attr> toAttrs(py::handle value, std::string_view call);

const ClikaRT::graph::Node &toNode(py::handle value, std::string_view call);
const ClikaRT::graph::Value &toValue(py::handle value, std::string_view call);
std::vector<ClikaRT::graph::Value> toValues(py::handle value, std::string_view call, const char *what);

void bindRewriteLog(py::module_ &module);
void bindCheck(py::module_ &module);
std::vector<ClikaRT::spec::TensorSpec> toSpecs(py::handle specs, std::string_view call);

/// The Python object of a graph that the engine hands to a callback.
py::object fromGraph(ClikaRT::graph::ModelGraph &graph);
std::vector<ClikaRT::graph::Transform> toTransforms(py::handle value, std::string_view call, const char *what);
/// The transform that a Transform or an object of a pattern class stands for; none of anything else.
std::optional<ClikaRT::graph::Transform> asTransform(py::handle value);
/// One entry of a list; `place` as in "the transforms hold".
ClikaRT::graph::Transform toTransform(py::handle value, std::string_view call, const std::string &place);
/// What asTransform makes of an object of the class PatternTransform; none of anything else.
std::optional<ClikaRT::graph::Transform> asPatternTransform(py::handle value);
/// The list that `what` chooses: False, a Device, a regular expression, or names and transforms.
std::vector<ClikaRT::graph::Transform> selectTransforms(const ClikaRT::graph::ModelGraph &graph, py::handle what,
                                                        std::string_view call);
ClikaRT::Device toDevice(py::handle value, std::string_view call);
std::vector<ClikaRT::graph::OpCode> toOpCodes(py::handle value, std::string_view call);

using NamedObjects = std::vector<std::pair<std::string, py::object>>;
/// The tensors that a run is given, in the inputs' order or by name. With `share` a plain array's lies over its memory,
/// which `values` must keep until the run has ended.
std::vector<ClikaRT::Tensor> toInputs(const ClikaRT::graph::ModelGraph &graph, const py::tuple &values,
                                      std::string_view call, const char *what, bool share = false);
std::map<std::string, ClikaRT::Tensor> toInputs(const ClikaRT::graph::ModelGraph &graph, const NamedObjects &values,
                                                std::string_view call, const char *what, bool share = false);

/// True, inputs as run() takes them, or a clika_runtime.graph.Check.
ClikaRT::graph::Check toCheck(const ClikaRT::graph::ModelGraph &graph, py::handle value);

template <class T>
py::list toList(const std::vector<T> &values) {
  py::list out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    out[i] = py::cast(values[i]);
  return out;
}
template <class T>
py::object orNone(const std::optional<T> &value) {
  return value ? py::cast(*value) : py::object(py::none());
}

} // namespace clika::python
