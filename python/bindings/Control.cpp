// if_ and loop, whose functions are Python's.
#include "Bindings.h"
#include "Callbacks.h"

#include <ClikaRT/control.h>

namespace clika::python {
namespace {

using ClikaRT::Tensor;
using ClikaRT::detail::Operand;
using ClikaRT::ops::LoopStep;

/// A bool or an integer, a tensor or array of one, or nothing.
Operand toOneElement(py::handle value, std::string_view call, const char *what) {
  if (value.is_none())
    return Operand();
  if (isNumber(value))
    return Operand(toScalar(value, call));
  return Operand(toTensor(value, call, what));
}

py::list toList(const std::vector<Tensor> &tensors) {
  py::list list(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i)
    list[i] = py::cast(tensors[i]);
  return list;
}

ClikaRT::ops::BranchFunction toBranch(py::handle value, const char *name) {
  const HeldObject function = toCallable(value, "if_", name);
  return [function, what = std::string(name) + " returned"] {
    return withPython([&] { return toTensors(function.get()(), "if_", what.c_str()); });
  };
}

py::list chooseBranch(py::handle condition, py::handle thenFn, py::handle elseFn) {
  const Operand chosenBy = toOneElement(condition, "if_", "the condition is");
  const auto first = toBranch(thenFn, "then_fn"), second = toBranch(elseFn, "else_fn");
  return toList(withoutGil([&] { return ClikaRT::ops::if_(chosenBy, first, second); }));
}

/// What a body returned: (condition, carried, scans).
LoopStep toStep(const py::object &returned) {
  const bool isTriple = py::isinstance<py::tuple>(returned) && py::len(returned) == 3;
  if (!isTriple)
    refuseType("loop", "the body returns a tuple (condition, carried, scans), not " + typeName(returned) +
                           "; write (None, carried, []) to go on without keeping anything");
  const py::tuple parts(returned);
  LoopStep step;
  const py::object condition = parts[0];
  if (isNumber(condition))
    step.condition = Tensor::scalar(toScalar(condition, "loop"), ClikaRT::DataType::Bool);
  else if (!condition.is_none())
    step.condition = toTensor(condition, "loop", "the body returned as condition");
  step.carried = toTensors(py::object(parts[1]), "loop", "the body returned as carried value");
  step.scans = toTensors(py::object(parts[2]), "loop", "the body returned to keep");
  return step;
}

py::tuple repeatBody(py::handle tripCount, py::handle condition, py::handle carried, py::handle body) {
  const Operand trips = toOneElement(tripCount, "loop", "the trip count is");
  const Operand begins = toOneElement(condition, "loop", "the condition is");
  std::vector<Tensor> inits;
  for (py::handle value : toSequence(carried, "loop", "carried values"))
    inits.push_back(toTensor(value, "loop", "a carried value is"));
  const HeldObject function = toCallable(body, "loop", "the body");
  const ClikaRT::ops::LoopFunction fn = [function](const Tensor &i, const std::vector<Tensor> &state) {
    return withPython([&] {
      py::tuple arguments(state.size() + 1);
      arguments[0] = py::cast(i);
      for (std::size_t j = 0; j < state.size(); ++j)
        arguments[j + 1] = py::cast(state[j]);
      return toStep(function.get()(*arguments));
    });
  };
  const ClikaRT::ops::LoopResult result = withoutGil([&] { return ClikaRT::ops::loop(trips, begins, inits, fn); });
  return py::make_tuple(toList(result.carried), toList(result.scans));
}

py::list callFunction(const Text &callee, py::handle inputs) {
  const std::vector<Tensor> tensors = toTensors(inputs, "call", "an input is");
  return toList(withoutGil([&] { return ClikaRT::ops::call(callee, tensors); }));
}

} // namespace

void bindControl(py::module_ &module) {
  module.def("call", &callFunction, py::arg("callee"), py::arg("inputs"));
  module.def("if_", &chooseBranch, py::arg("condition"), py::arg("then_fn"), py::arg("else_fn"));
  module.def("loop", &repeatBody, py::arg("trip_count"), py::arg("condition"), py::arg("carried"), py::arg("body"));
}

} // namespace clika::python
