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

namespace {

/// What kind of function only makes an object that its caller would have to run; null: it is none.
const char *suspends(py::handle function) {
  int flags = 0;
  if (PyFunction_Check(function.ptr())) {
    flags = reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(function.ptr()))->co_flags;
  } else { // a method, a partial application or an object
    const py::module_ inspect = py::module_::import("inspect");
    const auto is = [&](const char *kind, int flag) { return py::cast<bool>(inspect.attr(kind)(function)) ? flag : 0; };
    flags = is("iscoroutinefunction", CO_COROUTINE) | is("isasyncgenfunction", CO_ASYNC_GENERATOR) |
            is("isgeneratorfunction", CO_GENERATOR);
  }
  if (flags & (CO_COROUTINE | CO_ASYNC_GENERATOR))
    return "an async function";
  return flags & CO_GENERATOR ? "a generator function" : nullptr;
}

} // namespace

HeldObject toCallable(py::handle value, std::string_view call, const char *what) {
  if (!PyCallable_Check(value.ptr()))
    refuseType(call, std::string(what) + " is a function, not " + typeName(value));
  const py::object called =
      PyFunction_Check(value.ptr()) ? py::reinterpret_borrow<py::object>(value) : value.attr("__call__");
  for (py::handle code : {value, py::handle(called)})
    if (const char *kind = suspends(code))
      refuseType(call, std::string(what) + " is " + kind +
                           ", and a call of it would run nothing; give one that def makes, without yield");
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
