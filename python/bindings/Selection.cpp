// Lists of transforms chosen by name, expression and device.
#include "API/Registry.h"
#include "Callbacks.h"
#include "GraphBindings.h"
#include "Runtime/Counted.h"

#include <ClikaRT/transforms.h>

namespace clika::python {
namespace {

using ClikaRT::Device;
using ClikaRT::graph::ModelGraph;
using ClikaRT::graph::Transform;
namespace transforms = ClikaRT::graph::transforms;

/// A re.Pattern over text; of a str the one it stands for.
py::object toExpression(py::handle value, std::string_view call) {
  const py::module_ re = py::module_::import("re");
  if (!py::isinstance<py::str>(value)) {
    if (!py::isinstance<py::str>(value.attr("pattern")))
      refuseType(call, "the regular expression is one over bytes; give one over text");
    return py::reinterpret_borrow<py::object>(value);
  }
  try {
    return re.attr("compile")(value);
  } catch (py::error_already_set &error) {
    // Python's compiler of expressions calls itself, and counts repetitions in a word.
    if (error.matches(PyExc_RecursionError) || error.matches(PyExc_OverflowError))
      refuse(call, "the regular expression, of " + counted(py::len(value), "character") +
                       ", nests too deeply or repeats too often; give a smaller one");
    if (!error.matches(py::object(re.attr("error"))))
      throw;
    refuse(call, "'" + py::cast<std::string>(value) +
                     "' is no regular expression: " + py::cast<std::string>(py::str(error.value())));
  }
}

bool isExpression(py::handle value) {
  return py::isinstance<py::str>(value) || py::isinstance(value, py::module_::import("re").attr("Pattern"));
}

std::vector<transforms::Selector> toSelectors(py::handle value, std::string_view call) {
  std::vector<transforms::Selector> entries;
  for (py::handle entry : toSequence(value, call, "the transforms")) {
    const std::string place = "transforms[" + std::to_string(entries.size()) + "] is";
    if (py::isinstance<py::str>(entry))
      entries.emplace_back(toText(entry, call, place));
    else
      entries.emplace_back(toTransform(entry, call, place));
  }
  return entries;
}

} // namespace

Device toDevice(py::handle value, std::string_view call) {
  if (py::isinstance<py::str>(value))
    return Device{toText(value, call, "the device"), 0};
  if (!py::isinstance<Device>(value))
    refuseType(call, "a device is a name such as 'cpu' or a Device, not " + typeName(value));
  return py::cast<const Device &>(value);
}

std::vector<Transform> selectTransforms(const ModelGraph &graph, py::handle what, std::string_view call) {
  const auto chosen = [&] {
    if (what.ptr() == Py_False)
      return transforms::cleanup();
    if (py::isinstance<Device>(what))
      return transforms::select_device(graph, py::cast<const Device &>(what));
    if (py::isinstance<py::str>(what) && isPlainName(py::cast<std::string>(what)))
      return transforms::select(graph, {transforms::Selector(py::cast<std::string>(what))});
    if (isExpression(what)) {
      const py::object expression = toExpression(what, call);
      return transforms::select_if(graph, [&](const std::string &name) {
        return withPython([&] { return !expression.attr("fullmatch")(name).is_none(); });
      });
    }
    if (PyBool_Check(what.ptr()))
      refuseType(call, "True chooses nothing; False stands for the cleanup alone, None for the default list");
    return transforms::select(graph, toSelectors(what, call));
  };
  return call == "select" ? chosen() : named(call, "select", chosen);
}

} // namespace clika::python
