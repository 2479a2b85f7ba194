// transforms.h: rules, and the runtime's transforms by name.
#include "Callbacks.h"
#include "GraphBindings.h"

#include <ClikaRT/transforms.h>

namespace clika::python {
namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::Decision;
using ClikaRT::graph::Declined;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Pattern;
using ClikaRT::graph::RewriteMatch;
using ClikaRT::graph::Transform;
namespace transforms = ClikaRT::graph::transforms;

transforms::Replacement toReplacement(py::handle value) {
  const HeldObject function = toCallable(value, "rewrite", "the replacement");
  return [function](const RewriteMatch &match, const std::vector<Tensor> &inputs) {
    return withPython([&] {
      return toTensors(function.get()(py::cast(match), toList(inputs)), "rewrite", "the replacement returned");
    });
  };
}

transforms::Condition toCondition(py::handle value) {
  if (value.is_none())
    return {};
  const HeldObject function = toCallable(value, "rewrite", "the condition");
  return [function](const RewriteMatch &match) {
    return withPython([&]() -> Decision {
      const py::object answer = function.get()(py::cast(match));
      if (py::isinstance<Declined>(answer))
        return py::cast<Declined>(answer);
      if (py::isinstance<py::str>(answer))
        refuseType("rewrite", "the condition returned the str " + py::cast<std::string>(py::repr(answer)) +
                                  ", which would accept; return Declined(reason), or a bool");
      if (py::isinstance<py::type>(answer))
        refuseType("rewrite", "the condition returned a class, which would accept; return Declined(reason), or a bool");
      return py::cast<bool>(py::bool_(answer));
    });
  };
}

Transform rewrite(const Text &name, py::handle pattern, py::handle replacement, py::handle condition,
                  py::handle runsAfter) {
  if (!py::isinstance<Pattern>(pattern))
    refuseType("rewrite", "the pattern is a Pattern, not " + typeName(pattern));
  return transforms::rewrite(name, py::cast<Pattern>(pattern), toReplacement(replacement), toCondition(condition),
                             toTransforms(runsAfter, "rewrite", "runs_after"));
}

void registerTransform(const Text &name, py::handle factory) {
  const HeldObject function = toCallable(factory, "register_transform", "the factory");
  transforms::register_transform(name, [function, name = std::string(name)] {
    return withPython(
        [&] { return toTransform(function.get()(), "select", "the factory registered as '" + name + "' returned"); });
  });
}

} // namespace

void bindTransforms(py::module_ &module) {
  module.def("rewrite", &rewrite, py::arg("name"), py::arg("pattern"), py::arg("replacement"),
             py::arg("condition") = py::none(), py::arg("runs_after") = py::tuple());
  module.def("runtime_transforms", [] { return toList(transforms::runtime_transforms()); });
  module.def("catalogue", [] { return toList(transforms::catalogue()); });
  module.def("cleanup", [] { return toList(transforms::cleanup()); });
  module.def("get", [](const Text &name) { return withGil([&] { return transforms::get(name); }); }, py::arg("name"));
  module.def(
      "select",
      [](const ModelGraph &graph, py::handle what) {
        return toList(withGil([&] { return selectTransforms(graph, what, "select"); }));
      },
      py::arg("graph"), py::arg("what"));
  module.def(
      "available",
      [](const ModelGraph &graph) { return toList(withGil([&] { return transforms::available(graph); })); },
      py::arg("graph"));
  module.def("register_transform", &registerTransform, py::arg("name"), py::arg("factory"));
  module.def(
      "unregister_transform", [](const Text &name) { return transforms::unregister_transform(name); }, py::arg("name"));
  module.def("registered_names", [] { return toList(transforms::registered_names()); });
  module.def("clear_registered", &transforms::clear_registered);
  module.def("reset_registered", &transforms::reset_registered);
}

} // namespace clika::python
