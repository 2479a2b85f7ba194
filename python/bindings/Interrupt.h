// Ctrl-C during calls of the engine that run long without Python.
#pragma once

#include "Runtime/Aside.h"

#include <optional>

namespace clika::python {

/// While it lives on Python's main thread, a Ctrl-C is noticed without the GIL, so also under a graph's lock, and ends
/// the engine's work (see StopScope). Only where Python would raise KeyboardInterrupt: a handler of the user's own is
/// asked at the places where the engine waits for nobody. Made and destroyed with the GIL.
class InterruptScope {
public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  bool installed = false;
  std::optional<StopScope> stop;
};

/// Whether a Ctrl-C came that Python has not handled yet, as far as a scope has noticed.
bool interruptNoticed();
/// Python has handled every signal so far: one that a callback has caught ends nothing.
void forgetInterrupt();
/// Throws what the engine's error INTERRUPTED stands for in Python.
[[noreturn]] void raiseInterrupt();

/// Runs an engine call that a Ctrl-C ends.
template <class Body>
auto interruptible(Body body) {
  const InterruptScope scope;
  try {
    return body();
  } catch (const ClikaRT::Error &error) {
    if (error.code_name() != "INTERRUPTED")
      throw;
  }
  raiseInterrupt();
}

} // namespace clika::python
