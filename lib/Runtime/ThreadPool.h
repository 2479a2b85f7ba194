// The process's worker threads. Work over a range of numbers is shared between a caller and idle workers.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace clika {

/// The most threads that one call may use.
inline constexpr unsigned kMaxThreads = 256;
/// What is wrong with a call's `threads`; empty: nothing.
std::string threadsProblem(std::int64_t threads);

class ThreadPool {
public:
  /// The one of this process. A process made by fork gets a new one: threads do not survive it.
  static ThreadPool &shared();

  explicit ThreadPool(unsigned cpus);
  /// Waits for the workers to end. No call may be under way.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// One range of a call's work. `part` is below the call's thread count, and no two calls of the body at one time
  /// have the same. Must not throw.
  using Body = void (*)(void *context, std::int64_t first, std::int64_t last, unsigned part);

  struct Work {
    Body body;
    void *context;
    std::int64_t count;
    /// What the work costs in all, where it is known: little work wakes nobody.
    std::int64_t nanoseconds;
  };

  /// Calls the body for [0, count) in disjoint ranges, on this thread and on at most `threads - 1` workers, and
  /// returns when all are done. Workers that other callers use are not waited for. Inside a body it runs serially.
  /// Returns the number of threads that it was shared between.
  unsigned run(const Work &work, unsigned threads);

  /// For as long as one of these lives, its thread is one that calls; callers share the CPUs.
  class Caller {
  public:
    explicit Caller(ThreadPool &pool) : pool(pool) { pool.callers.fetch_add(1, std::memory_order_relaxed); }
    ~Caller() { pool.callers.fetch_sub(1, std::memory_order_relaxed); }
    Caller(const Caller &) = delete;

  private:
    ThreadPool &pool;
  };

  /// How many of `threads` a caller may use now, itself included.
  unsigned share(unsigned threads) const;
  /// Worker threads that were started so far.
  unsigned workers() const { return started.load(std::memory_order_acquire); }

private:
  class Job;
  struct Worker;
  static constexpr unsigned kMaskBits = 64;

  void grow(unsigned wanted);
  void takeWorkers(Job &job, unsigned wanted, bool wake);
  void dismiss(Job &job);
  void setIdle(unsigned worker);
  void work(Worker &self);
  Job *await(Worker &self);

  const unsigned cpus;
  std::atomic<unsigned> callers{0}, started{0};
  std::atomic<bool> ending{false};
  std::atomic<std::uint64_t> idle[kMaxThreads / kMaskBits] = {};
  std::mutex growing;
  std::unique_ptr<Worker> all[kMaxThreads];
};

} // namespace clika
