#include "Bindings.h"

#include "Interrupt.h"

#include <atomic>
#include <csignal>

namespace clika::python {
namespace {

// Of the one scope that is installed; the handler reads them at any time.
std::atomic<bool> interrupted = false;
bool handlerInstalled = false;
struct sigaction previous;

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch no lock");

void onInterrupt(int signal, siginfo_t *info, void *context) {
  interrupted.store(true, std::memory_order_relaxed);
  if ((previous.sa_flags & SA_SIGINFO) != 0)
    previous.sa_sigaction(signal, info, context);
  else
    previous.sa_handler(signal);
}

/// Whether Python's own handler, which raises KeyboardInterrupt, would run on this thread.
bool wouldRaiseHere() {
  const py::module_ threading = py::module_::import("threading");
  const py::object main = threading.attr("main_thread")().attr("ident");
  if (main.is_none() || py::cast<unsigned long>(main) != PyThread_get_thread_ident())
    return false;
  const py::module_ signals = py::module_::import("signal");
  return signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"));
}

} // namespace

InterruptScope::InterruptScope() {
  if (!wouldRaiseHere())
    return;
  if (!handlerInstalled) {
    if (sigaction(SIGINT, nullptr, &previous) != 0)
      return;
    const bool plain = (previous.sa_flags & SA_SIGINFO) == 0;
    if (plain && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN))
      return;
    interrupted = false;
    struct sigaction own = previous;
    own.sa_flags |= SA_SIGINFO;
    own.sa_sigaction = &onInterrupt;
    installed = handlerInstalled = sigaction(SIGINT, &own, nullptr) == 0;
  }
  if (handlerInstalled)
    stop.emplace(interrupted);
}

InterruptScope::~InterruptScope() {
  if (!installed)
    return;
  handlerInstalled = false;
  struct sigaction current;
  const bool known = sigaction(SIGINT, nullptr, &current) == 0;
  // A callback may have set a handler of its own, which stays.
  if (known && (current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == &onInterrupt)
    sigaction(SIGINT, &previous, nullptr);
}

bool interruptNoticed() { return interrupted; }

void forgetInterrupt() { interrupted = false; }

void raiseInterrupt() {
  if (PyErr_CheckSignals() == 0)
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

} // namespace clika::python
