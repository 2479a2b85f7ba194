#include "Callbacks.h"

namespace clika::python {

using ClikaRT::Tensor;

HeldObject::HeldObject(py::object object)
    : held_(object.release().ptr(), [](PyObject *held) {
        if (!Py_IsInitialized()) // the interpreter has gone, and its objects with it
          return;
        py::gil_scoped_acquire gil;
        Py_DECREF(held);
      }) {}

HeldObject toCallable(py::handle value, std::string_view call, const char *what) {
  if (!PyCallable_Check(value.ptr()))
    refuse(call, std::string(what) + " is a function, not a " + typeName(value));
  return HeldObject(py::reinterpret_borrow<py::object>(value));
}

Tensor toTensor(py::handle value, std::string_view call, const char *what) {
  if (py::isinstance<Tensor>(value))
    return py::cast<Tensor>(value);
  if (!isArray(value))
    refuse(call, std::string(what) + " a " + typeName(value) + " where a Tensor was expected");
  return py::cast<Tensor>(py::module_::import("clika_runtime").attr("tensor")(value));
}

std::vector<Tensor> toTensors(py::handle value, std::string_view call, const char *what) {
  const bool several = !py::isinstance<Tensor>(value) && !isArray(value) && !py::isinstance<py::str>(value) &&
                       py::isinstance<py::sequence>(value);
  if (!several)
    return {toTensor(value, call, what)};
  std::vector<Tensor> tensors;
  for (py::handle entry : py::reinterpret_borrow<py::sequence>(value))
    tensors.push_back(toTensor(entry, call, what));
  return tensors;
}

py::sequence toSequence(py::handle value, std::string_view call, const char *what) {
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value) || py::isinstance<Tensor>(value) ||
      isArray(value))
    refuse(call, std::string(what) + " are given as a list, not a " + typeName(value));
  return py::reinterpret_borrow<py::sequence>(value);
}

ClikaRT::graph::TraceFunction toTraceFunction(py::handle value, std::string_view call) {
  const HeldObject function = toCallable(value, call, "the function to trace");
  return [function, call = std::string(call)](const std::vector<Tensor> &inputs) {
    return withPython([&] {
      py::list tensors;
      for (const Tensor &input : inputs)
        tensors.append(py::cast(input));
      return toTensors(function.get()(tensors), call, "the function returned");
    });
  };
}

bool SignalCheck::operator()() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(20))
    return false;
  last_ = now;
  withPython([] {
    if (PyErr_CheckSignals() != 0)
      throw py::error_already_set();
  });
  return false;
}

} // namespace clika::python
