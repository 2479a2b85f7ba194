// Ending long work early: a flag that this thread heeds, and work that can be left behind.
#ifndef CLIKA_RUNTIME_ASIDE_H
#define CLIKA_RUNTIME_ASIDE_H

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace clika {

/// While it lives, stopRequested() answers `flag` on the thread that made it.
class StopScope {
public:
  explicit StopScope(const std::atomic<bool> &flag);
  ~StopScope();
  StopScope(const StopScope &) = delete;
  StopScope &operator=(const StopScope &) = delete;

private:
  const std::atomic<bool> *outer;
};

/// Whether this thread's work is to end as soon as it can; cheap, and never waits.
bool stopRequested();
/// Whether it may ever be.
bool canBeStopped();

/// Throws the error of a call that was ended early, with the code INTERRUPTED.
[[noreturn]] void interrupted(std::string_view call, const std::string &what);

/// Runs a function on the thread that waits for the work, and returns when it is done.
using RunThere = std::function<void(const std::function<void()> &)>;

/// Runs `work` on a thread of its own and waits for it; what it throws is thrown here. When stopRequested() turns true,
/// or a function given to RunThere throws, the work is left behind: this returns false, or throws. Work must own what
/// it uses. RunThere throws in work that is left behind, which so ends early; the process waits for it at its end.
bool runAside(std::function<void(const RunThere &)> work);

} // namespace clika

#endif
