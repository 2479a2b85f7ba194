// What code that was compiled to be profiled tells of its kernels, on the thread that called it.
#pragma once
#include <chrono>
#include <cstdint>
#include <vector>

namespace clika {

struct ProfileMark {
  std::int64_t kernel, flops, bytes;
  /// Nanoseconds since the recorder was made.
  std::int64_t begin, end;
};

/// Takes the marks of this thread's runs for as long as it lives.
class ProfileRecorder {
public:
  ProfileRecorder();
  ~ProfileRecorder();
  ProfileRecorder(const ProfileRecorder &) = delete;

  std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  }
  /// False: there was no memory for all of them.
  bool isComplete() const { return complete; }

  std::vector<ProfileMark> marks;

  /// Called by generated code. Between a begin and its end, others only add to what is counted.
  static void begin(std::int64_t kernel, std::int64_t flops, std::int64_t bytes);
  static void end(std::int64_t kernel);

private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start = Clock::now();
  bool complete = true;
  unsigned depth = 0;
  ProfileRecorder *outer;
};

} // namespace clika
