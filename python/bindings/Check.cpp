// Check, and what else optimize(check=…) may be given.
#include "GraphBindings.h"
#include "Runtime/Counted.h"

namespace clika::python {
namespace {

using ClikaRT::Tensor;
using ClikaRT::graph::InputRange;
using ClikaRT::graph::ModelGraph;

/// A Check before there is a graph that it is for.
struct CheckChoice {
  py::object inputs;
  std::uint64_t seed;
  std::map<std::string, InputRange> ranges;
};

bool isOneInput(py::handle value) { return py::isinstance<Tensor>(value) || isArray(value); }

/// Inputs as run() takes them, in the graph's order.
std::vector<Tensor> toCheckInputs(const ModelGraph &graph, py::handle value) {
  if (!py::hasattr(value, "keys")) {
    const py::tuple list =
        isOneInput(value) ? py::make_tuple(value) : toSequence(value, "optimize", "the inputs of check");
    return toInputs(graph, list, "optimize", "check holds");
  }
  std::vector<Tensor> inputs;
  const std::map<std::string, Tensor> given =
      toInputs(graph, toItems(value, "optimize", "an input's name in check"), "optimize", "check holds");
  const std::vector<std::string> names = graph.input_names();
  for (const std::string &name : names) {
    const auto found = given.find(name);
    if (found == given.end())
      refuse("optimize", "check holds no input '" + name + "'; give one per input of the graph");
    inputs.push_back(found->second);
  }
  if (given.size() != names.size())
    refuse("optimize", "check holds " + counted(given.size(), "input") + ", and the graph has " +
                           std::to_string(names.size()) + "; give one per input of the graph");
  return inputs;
}

InputRange toRange(py::handle value, const std::string &name) {
  const std::string what = "the range of the input '" + name + "'";
  const py::tuple ends = toSequence(value, "Check", what.c_str());
  if (ends.size() != 2)
    refuse("Check", what + " holds " + counted(ends.size(), "number") + "; give the lowest and the highest");
  return {toReal(ends[0], "Check", "the low end of " + what), toReal(ends[1], "Check", "the high end of " + what)};
}

CheckChoice makeCheck(const py::object &inputs, py::handle seed, py::handle ranges) {
  CheckChoice choice{inputs, static_cast<std::uint64_t>(toCount(seed, "Check", "the seed")), {}};
  if (!inputs.is_none() && !py::hasattr(inputs, "keys") && !isOneInput(inputs))
    toSequence(inputs, "Check", "the inputs");
  if (!ranges.is_none() && !py::hasattr(ranges, "keys"))
    refuseType("Check", "ranges are a mapping from inputs' names to pairs of numbers, not " + typeName(ranges));
  if (!ranges.is_none())
    for (const auto &[name, range] : toItems(ranges, "Check", "an input's name in ranges"))
      choice.ranges[name] = toRange(range, name);
  return choice;
}

py::dict rangesOf(const CheckChoice &choice) {
  py::dict ranges;
  for (const auto &[name, range] : choice.ranges)
    ranges[py::str(name)] = py::make_tuple(range.low, range.high);
  return ranges;
}

} // namespace

void bindCheck(py::module_ &module) {
  py::class_<CheckChoice>(module, "Check")
      .def(py::init(&makeCheck), py::arg("inputs") = py::none(), py::kw_only(), py::arg("seed") = 0,
           py::arg("ranges") = py::none())
      .def_property_readonly("inputs", [](const CheckChoice &self) { return self.inputs; })
      .def_property_readonly("seed", [](const CheckChoice &self) { return self.seed; })
      .def_property_readonly("ranges", &rangesOf);
}

ClikaRT::graph::Check toCheck(const ModelGraph &graph, py::handle value) {
  ClikaRT::graph::Check check;
  if (PyBool_Check(value.ptr()))
    return check;
  if (!py::isinstance<CheckChoice>(value)) {
    check.inputs = toCheckInputs(graph, value);
    return check;
  }
  const auto &choice = py::cast<const CheckChoice &>(value);
  if (!choice.inputs.is_none())
    check.inputs = toCheckInputs(graph, choice.inputs);
  check.seed = choice.seed;
  check.ranges = choice.ranges;
  return check;
}

} // namespace clika::python
