#include "Callbacks.h"

#include "Interrupt.h"

namespace clika::python {

using ClikaRT::Tensor;

HeldObject::HeldObject(py::object object)
    : held_(object.release().ptr(), [](PyObject *held) {
        if (!Py_IsInitialized()) // the interpreter has gone, and its objects with it
          return;
        py::gil_scoped_acquire gil;
        Py_DECREF(held);
      }) {}

void addNote(const std::exception_ptr &raised, const std::string &text) {
  py::gil_scoped_acquire gil;
  try {
    std::rethrow_exception(raised);
  } catch (const py::error_already_set &error) {
    // Python 3.10 has no notes.
    if (py::isinstance(error.value(), PyExc_Exception) && py::hasattr(error.value(), "add_note"))
      error.value().attr("add_note")(text);
  } catch (...) { // no Python exception
  }
}

HeldObject toCallable(py::handle value, std::string_view call, const char *what) {
  if (!PyCallable_Check(value.ptr()))
    refuseType(call, std::string(what) + " is a function, not " + typeName(value));
  return HeldObject(py::reinterpret_borrow<py::object>(value));
}

Tensor toTensor(py::handle value, std::string_view call, const char *what) {
  if (py::isinstance<Tensor>(value))
    return py::cast<Tensor>(value);
  if (!isArray(value) && !isNumpyScalar(value))
    refuseType(call, std::string(what) + " " + typeName(value) + " where a Tensor was expected");
  return toConstant(value, std::nullopt, call, isArray(value) ? "the array" : "the number");
}

bool isList(py::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

Tensor toConstant(py::handle value, std::optional<ClikaRT::DataType> dtype, std::string_view call,
                  const std::string &what) {
  const py::object type = dtype ? fromDataType(*dtype) : py::object(py::none());
  return py::cast<Tensor>(py::module_::import("clika_runtime._tensor")
                              .attr("constant")(value, type, py::str(call.data(), call.size()), what));
}

std::vector<Tensor> toTensors(py::handle value, std::string_view call, const char *what) {
  const bool several = !py::isinstance<Tensor>(value) && !isArray(value) && !py::isinstance<py::str>(value) &&
                       py::isinstance<py::sequence>(value);
  if (!several)
    return {toTensor(value, call, what)};
  std::vector<Tensor> tensors;
  for (py::handle entry : entriesOf(value))
    tensors.push_back(toTensor(entry, call, what));
  return tensors;
}

py::tuple entriesOf(py::handle sequence) { return py::tuple(py::reinterpret_borrow<py::object>(sequence)); }

std::vector<std::pair<std::string, py::object>> toItems(py::handle mapping, std::string_view call, const char *name) {
  std::vector<std::pair<std::string, py::object>> items;
  for (py::handle entry : py::list(mapping.attr("items")())) {
    const py::tuple pair = entriesOf(entry);
    if (pair.size() != 2)
      refuseType(call, "items() of " + typeName(mapping) + " holds no pairs of a name and a value");
    items.emplace_back(toText(py::object(pair[0]), call, name), py::object(pair[1]));
  }
  return items;
}

py::tuple toSequence(py::handle value, std::string_view call, const char *what) {
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value) || py::isinstance<Tensor>(value) ||
      isArray(value))
    refuseType(call, std::string(what) + " are given as a list, not " + typeName(value));
  return entriesOf(value);
}

ClikaRT::graph::TraceFunction toTraceFunction(py::handle value, std::string_view call) {
  const HeldObject function = toCallable(value, call, "fn");
  return [function, call = std::string(call)](const std::vector<Tensor> &inputs) {
    return withPython([&] {
      py::list tensors;
      for (const Tensor &input : inputs)
        tensors.append(py::cast(input));
      return toTensors(function.get()(tensors), call, "the function returned");
    });
  };
}

void checkSignals() {
  withPython([] {
    if (PyErr_CheckSignals() != 0)
      throw py::error_already_set();
    forgetInterrupt();
  });
}

bool SignalCheck::operator()() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(20) && !interruptNoticed())
    return false;
  last_ = now;
  checkSignals();
  return false;
}

} // namespace clika::python
