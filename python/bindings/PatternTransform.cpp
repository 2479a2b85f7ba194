// pattern_transform.h: the class clika_runtime.graph.PatternTransform, which is written in Python.
#include "Callbacks.h"
#include "GraphBindings.h"

#include <ClikaRT/pattern_transform.h>

namespace clika::python {
namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::MatchResult;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Node;
using ClikaRT::graph::OpCode;
using ClikaRT::graph::PatternTransform;
using ClikaRT::graph::RewriteMatch;
using ClikaRT::graph::Traits;
using ClikaRT::graph::Transform;

/// The Python class, and the base of the adapter's static members.
PyObject *patternClass = nullptr;

/// An object of a class derived from PatternTransform in Python.
class PythonPattern final : public PatternTransform {
public:
  PythonPattern(const std::string &name, Traits traits, HeldObject object)
      : PatternTransform(name, std::move(traits)), object(std::move(object)) {}

  std::vector<OpCode> root_op_codes() const override {
    return withPython([&] { return toOpCodes(object.get().attr("root_op_codes")(), "root_op_codes"); });
  }

  MatchResult match(const ModelGraph &graph, const Node &node) const override {
    return withPython([&]() -> MatchResult {
      const py::object found = object.get().attr("match")(fromGraph(const_cast<ModelGraph &>(graph)), py::cast(node));
      if (!found.is_none() && !py::isinstance<MatchResult>(found))
        refuseType("match", "match() of '" + name() + "' returned " + typeName(found) +
                                "; return self.result(...), self.no_match(...) or None");
      return found.is_none() ? MatchResult() : py::cast<MatchResult>(found);
    });
  }

  std::vector<Tensor> apply(ModelGraph &graph, const RewriteMatch &match,
                            const std::vector<Tensor> &tensors) const override {
    return withPython([&] {
      const py::object made = object.get().attr("apply")(fromGraph(graph), py::cast(match), toList(tensors));
      return toTensors(made, "apply", "apply() returned");
    });
  }

  const void *identity() const noexcept override { return object.address(); }

  using PatternTransform::result;
  using PatternTransform::value;

private:
  const HeldObject object;
};

MatchResult makeResult(py::handle nodes, py::handle insertAt) {
  std::vector<std::optional<Node>> roles;
  for (py::handle entry : toSequence(nodes, "result", "the nodes"))
    roles.push_back(entry.is_none() ? std::nullopt : std::optional<Node>(toNode(entry, "result")));
  return PythonPattern::result(std::move(roles),
                               insertAt.is_none() ? std::nullopt : std::optional<Node>(toNode(insertAt, "result")));
}

MatchResult makeNoMatch(py::handle node, const Text &reason, const Text &file, int line) {
  (void)toNode(node, "no_match");
  MatchResult result;
  result.reason = reason;
  result.file = file;
  result.line = line;
  return result;
}

} // namespace

std::optional<Transform> asPatternTransform(py::handle value) {
  if (!patternClass || !py::isinstance(value, patternClass))
    return std::nullopt;
  const std::string name = toText(value.attr("name"), "PatternTransform", "the name");
  const py::object traits = value.attr("traits");
  if (!py::isinstance<Traits>(traits))
    refuseType("PatternTransform", "traits of '" + name + "' is a Traits, not " + typeName(traits));
  HeldObject held(py::reinterpret_borrow<py::object>(value));
  return named("PatternTransform", "from_pattern", [&] {
    return Transform::from_pattern(std::make_shared<PythonPattern>(name, py::cast<Traits>(traits), std::move(held)));
  });
}

void bindPatternTransform(py::module_ &module) {
  py::class_<MatchResult>(module, "MatchResult")
      .def_property_readonly("nodes",
                             [](const MatchResult &self) {
                               py::list nodes;
                               for (const std::optional<Node> &node : self.nodes)
                                 nodes.append(orNone(node));
                               return nodes;
                             })
      .def_property_readonly("insert_at", [](const MatchResult &self) { return orNone(self.insert_at); })
      .def_readonly("reason", &MatchResult::reason)
      .def_readonly("file", &MatchResult::file)
      .def_readonly("line", &MatchResult::line)
      .def("__bool__", [](const MatchResult &self) { return !self.nodes.empty(); });
  module.def("set_pattern_class",
             [](py::handle type) { patternClass = py::reinterpret_borrow<py::object>(type).release().ptr(); });
  module.def(
      "transform_of", [](py::handle pattern) { return toTransform(pattern, "transform_of", "it is"); },
      py::arg("pattern"));
  module.def("match_result", &makeResult, py::arg("nodes"), py::arg("insert_at"));
  module.def("no_match", &makeNoMatch, py::arg("node"), py::arg("reason"), py::arg("file"), py::arg("line"));
  module.def("value", [](py::handle value) { return PythonPattern::value(toValue(value, "value")); }, py::arg("value"));
}

} // namespace clika::python
