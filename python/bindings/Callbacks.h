// Python functions as callbacks of the engine. What Python code raises passes through the engine as
// ClikaRT::detail::PassThrough, so it comes back as the same object.
#pragma once

#include "Bindings.h"

#include <ClikaRT/graph.h>
#include <ClikaRT/transform.h>

#include <chrono>
#include <memory>

namespace clika::python {

/// A Python object that may be copied and destroyed without the GIL.
class HeldObject {
public:
  HeldObject() = default;
  explicit HeldObject(py::object object);
  explicit operator bool() const { return held_ != nullptr; }
  /// Only with the GIL.
  py::object get() const { return py::reinterpret_borrow<py::object>(held_.get()); }
  const void *address() const noexcept { return held_.get(); }

private:
  std::shared_ptr<PyObject> held_;
};

/// A callable, or an error that begins with `call` and names `what`.
HeldObject toCallable(py::handle value, std::string_view call, const char *what);

/// Adds a note to what Python raised, if it is an Exception: an interrupt is none.
void addNote(const std::exception_ptr &raised, const std::string &text);

/// Runs `body` with the GIL; what Python raised in it leaves as PassThrough.
template <class Body>
auto withPython(Body body) {
  py::gil_scoped_acquire gil;
  try {
    return body();
  } catch (py::error_already_set &) {
    throw ClikaRT::detail::PassThrough{std::current_exception(), &addNote};
  }
}

/// Runs an engine call with the GIL; a PassThrough that the engine left wrapped is unwrapped.
template <class Body>
auto withGil(Body body) {
  try {
    return body();
  } catch (const ClikaRT::detail::PassThrough &passed) {
    std::rethrow_exception(passed.original);
  }
}

/// The same without the GIL, so that other threads go on meanwhile.
template <class Body>
auto withoutGil(Body body) {
  return withGil([&] {
    py::gil_scoped_release released;
    return body();
  });
}

/// A function over tensors that returns a tensor or a sequence of them.
ClikaRT::graph::TraceFunction toTraceFunction(py::handle value, std::string_view call);
/// A tensor, or a NumPy array as a constant.
ClikaRT::Tensor toTensor(py::handle value, std::string_view call, const char *what);
/// One of these or a sequence of them.
std::vector<ClikaRT::Tensor> toTensors(py::handle value, std::string_view call, const char *what);

/// Runs the handlers of signals that came; what one raises leaves as PassThrough.
void checkSignals();

/// Asks Python, at most every 20 ms, whether a signal handler (Ctrl-C) raised something; it then leaves as PassThrough.
class SignalCheck {
public:
  bool operator()();

private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace clika::python
