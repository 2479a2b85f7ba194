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

std::vector<Tensor> toTensors(py::handle value, std::string_view call, const char *what) {
  const auto one = [&](py::handle entry) {
    if (py::isinstance<Tensor>(entry))
      return py::cast<Tensor>(entry);
    static const py::handle array = py::object(py::module_::import("numpy").attr("ndarray")).release();
    if (!py::isinstance(entry, array))
      refuse(call, std::string(what) + " a " + typeName(entry) + " where a Tensor was expected");
    return py::cast<Tensor>(py::module_::import("clika_runtime").attr("tensor")(entry));
  };
  std::vector<Tensor> tensors;
  if (py::isinstance<Tensor>(value)) {
    tensors.push_back(py::cast<Tensor>(value));
  } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    for (py::handle entry : value)
      tensors.push_back(one(entry));
  } else if (!value.is_none() && py::isinstance<py::sequence>(value) && !py::isinstance<py::str>(value)) {
    for (py::handle entry : py::reinterpret_borrow<py::sequence>(value))
      tensors.push_back(one(entry));
  } else {
    tensors.push_back(one(value));
  }
  return tensors;
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
