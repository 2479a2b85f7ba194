#include "Runtime/Aside.h"

#include <ClikaRT/error.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace clika {
namespace {

thread_local const std::atomic<bool> *stopFlag = nullptr;

constexpr std::chrono::milliseconds kAskEvery(20);

/// Ends work that was left behind.
struct LeftBehind {};

struct Aside {
  std::mutex mutex;
  std::condition_variable changed;
  const std::function<void()> *asked = nullptr; // to be run by the thread that waits
  bool done = false, left = false;
  std::exception_ptr error;
  std::thread thread;

  void runThere(const std::function<void()> &function) {
    std::unique_lock lock(mutex);
    if (left)
      throw LeftBehind();
    asked = &function;
    changed.notify_all();
    changed.wait(lock, [&] { return !asked || left; });
    if (left)
      throw LeftBehind();
  }

  void run(std::function<void(const RunThere &)> work) {
    try {
      work([this](const std::function<void()> &function) { runThere(function); });
    } catch (...) {
      error = std::current_exception();
    }
    work = nullptr; // what it owns goes on this thread
    std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }

  void leave() {
    std::lock_guard lock(mutex);
    left = true;
    asked = nullptr;
    changed.notify_all();
  }

  /// Until the work is done, or a stop is requested.
  bool wait() {
    std::unique_lock lock(mutex);
    while (!done) {
      changed.wait_for(lock, kAskEvery, [&] { return done || asked; });
      if (done)
        break;
      const std::function<void()> *function = asked;
      lock.unlock();
      if (stopRequested())
        return false;
      if (function)
        (*function)();
      lock.lock();
      if (function) {
        asked = nullptr;
        changed.notify_all();
      }
    }
    return true;
  }
};

/// The threads of work left behind: joined once they are done, at the latest when the process ends, so that none runs
/// while the libraries' globals go.
class Leftovers {
public:
  ~Leftovers() {
    for (const std::shared_ptr<Aside> &aside : asides)
      aside->thread.join();
  }

  void add(std::shared_ptr<Aside> aside) {
    std::lock_guard lock(mutex);
    std::erase_if(asides, [](const std::shared_ptr<Aside> &old) {
      {
        std::lock_guard state(old->mutex);
        if (!old->done)
          return false;
      }
      old->thread.join();
      return true;
    });
    asides.push_back(std::move(aside));
  }

private:
  std::mutex mutex;
  std::vector<std::shared_ptr<Aside>> asides;
};

Leftovers &leftovers() {
  static Leftovers all;
  return all;
}

} // namespace

StopScope::StopScope(const std::atomic<bool> &flag) : outer(stopFlag) { stopFlag = &flag; }
StopScope::~StopScope() { stopFlag = outer; }

bool stopRequested() { return stopFlag && stopFlag->load(std::memory_order_relaxed); }
bool canBeStopped() { return stopFlag != nullptr; }

void interrupted(std::string_view call, const std::string &what) {
  throw ClikaRT::Error(ClikaRT::Status::Internal, std::string(call) + ": " + what, "INTERRUPTED");
}

bool runAside(std::function<void(const RunThere &)> work) {
  auto aside = std::make_shared<Aside>();
  aside->thread = std::thread([aside, work = std::move(work)]() mutable { aside->run(std::move(work)); });
  bool done = false;
  try {
    done = aside->wait();
  } catch (...) {
    aside->leave();
    leftovers().add(std::move(aside));
    throw;
  }
  if (!done) {
    aside->leave();
    leftovers().add(std::move(aside));
    return false;
  }
  aside->thread.join();
  if (aside->error)
    std::rethrow_exception(aside->error);
  return true;
}

} // namespace clika
