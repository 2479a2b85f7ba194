#include "Runtime/ThreadPool.h"
#include "Runtime/Cpus.h"
#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace clika {
namespace {

using Clock = std::chrono::steady_clock;

/// How long an idle worker looks for work before it sleeps: longer than what lies between the parallel parts of one
/// run, and than the gap between runs in a row.
constexpr auto kSpin = std::chrono::microseconds(200);
/// Waking a sleeper takes the caller some microseconds, and it comes tens of them later.
constexpr std::int64_t kWorthWaking = 40'000;
/// Ranges that each thread's part is cut into, so that one who is late can be helped.
constexpr std::int64_t kRangesPerThread = 4;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Rounding and the treatment of subnormal numbers, which workers take over from the caller.
unsigned long long floatingPointMode() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~_MM_EXCEPT_MASK;
#elif defined(__aarch64__)
  unsigned long long mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

void setFloatingPointMode(unsigned long long mode) {
#if defined(__x86_64__)
  _mm_setcsr(static_cast<unsigned>(mode));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" ::"r"(mode));
#else
  (void)mode;
#endif
}

thread_local bool insideBody = false;

std::atomic<ThreadPool *> sharedPool{nullptr};
/// The pool of the process that this one was forked from: its threads are not here, so it can never be destroyed.
ThreadPool *parentsPool = nullptr;

[[maybe_unused]] const int forkHandler = pthread_atfork(nullptr, nullptr, [] {
  if (ThreadPool *pool = sharedPool.exchange(nullptr))
    parentsPool = pool;
  insideBody = false;
});

} // namespace

std::string threadsProblem(std::int64_t threads) {
  if (threads >= 1 && threads <= std::int64_t{kMaxThreads})
    return "";
  return "threads is " + std::to_string(threads) + "; give a number from 1 to " + std::to_string(kMaxThreads) +
         ", or leave it unset for one per CPU";
}

/// One call of `run`. Every participant has a share of the range, takes pieces of it, then helps the others.
class ThreadPool::Job {
public:
  explicit Job(const Work &work) : body(work.body), context(work.context), count(work.count) {}

  /// Cuts the range for the caller and the helpers.
  void cut() {
    parts = helpers + 1;
    for (unsigned part = 0; part != parts; ++part) {
      std::int64_t first = boundary(part), last = boundary(part + 1);
      std::int64_t step = (last - first + kRangesPerThread - 1) / kRangesPerThread;
      shares[part] = {first, last, std::max<std::int64_t>(1, step)};
    }
  }

  void participate(unsigned part) {
    insideBody = true;
    for (unsigned other = 0; other != parts; ++other)
      empty(shares[(part + other) % parts], part);
    insideBody = false;
  }

  const unsigned long long mode = floatingPointMode();
  std::atomic<unsigned> unfinished{0};
  /// Workers that are asked to help, with part 1, 2, …
  unsigned helpers = 0;
  std::uint16_t helper[kMaxThreads];

private:
  struct alignas(64) Share {
    std::int64_t next, end, step;
  };

  std::int64_t boundary(unsigned part) const {
    return count / parts * part + std::min<std::int64_t>(part, count % parts);
  }

  void empty(Share &share, unsigned part) {
    std::atomic_ref<std::int64_t> next(share.next);
    while (next.load(std::memory_order_relaxed) < share.end) {
      std::int64_t first = next.fetch_add(share.step, std::memory_order_relaxed);
      if (first >= share.end)
        return;
      body(context, first, std::min(first + share.step, share.end), part);
    }
  }

  Body body;
  void *context;
  std::int64_t count;
  unsigned parts = 1;
  Share shares[kMaxThreads]; // as many as there are parts; the rest is never touched
};

struct alignas(64) ThreadPool::Worker {
  /// Set by a caller, taken by the worker; a caller whose work was done without it takes it back.
  std::atomic<Job *> mailbox{nullptr};
  std::atomic<int> asleep{0};
  unsigned part = 0, number = 0;
  std::thread thread;

  void wake() {
    if (asleep.load() != 0 && asleep.exchange(0) != 0)
      asleep.notify_one();
  }
};

ThreadPool &ThreadPool::shared() {
  if (ThreadPool *pool = sharedPool.load(std::memory_order_acquire))
    return *pool;
  // Never destroyed: graphs of static lifetime may run until the process ends.
  auto made = std::make_unique<ThreadPool>(availableCpus());
  ThreadPool *expected = nullptr;
  if (sharedPool.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *expected;
}

ThreadPool::ThreadPool(unsigned cpus) : cpus(std::max(1u, cpus)) {}

ThreadPool::~ThreadPool() {
  ending.store(true);
  for (unsigned i = 0; i != started.load(); ++i) {
    all[i]->wake();
    all[i]->thread.join();
  }
}

unsigned ThreadPool::share(unsigned threads) const {
  unsigned sharing = std::max(1u, callers.load(std::memory_order_relaxed));
  return std::clamp(std::max(cpus, threads) / sharing, 1u, threads);
}

void ThreadPool::grow(unsigned wanted) {
  if (started.load(std::memory_order_acquire) >= wanted)
    return;
  std::lock_guard lock(growing);
  // A worker must not take the signals that the program's own threads wait for.
  sigset_t everything, before;
  sigfillset(&everything);
  pthread_sigmask(SIG_SETMASK, &everything, &before);
  for (unsigned i = started.load(std::memory_order_relaxed); i < wanted; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->number = i;
    Worker &self = *worker;
    all[i] = std::move(worker);
    try {
      self.thread = std::thread([this, &self] { work(self); });
    } catch (const std::system_error &) {
      // The system has no more threads: what there is must do.
      all[i].reset();
      break;
    }
    started.store(i + 1, std::memory_order_release);
    setIdle(i);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ThreadPool::setIdle(unsigned worker) {
  idle[worker / kMaskBits].fetch_or(std::uint64_t(1) << worker % kMaskBits, std::memory_order_release);
}

void ThreadPool::takeWorkers(Job &job, unsigned wanted, bool wake) {
  unsigned count = started.load(std::memory_order_acquire);
  for (unsigned word = 0; word * kMaskBits < count; ++word) {
    std::uint64_t candidates = idle[word].load(std::memory_order_acquire);
    while (candidates && job.helpers != wanted) {
      std::uint64_t bit = candidates & -candidates;
      candidates &= ~bit;
      unsigned number = word * kMaskBits + static_cast<unsigned>(std::countr_zero(bit));
      if (!wake && all[number]->asleep.load(std::memory_order_relaxed))
        continue;
      if (idle[word].fetch_and(~bit, std::memory_order_acquire) & bit)
        job.helper[job.helpers++] = static_cast<std::uint16_t>(number);
    }
  }
}

/// Takes the job back from helpers that have not begun, and waits for the others.
void ThreadPool::dismiss(Job &job) {
  for (unsigned i = 0; i != job.helpers; ++i) {
    Job *posted = &job;
    if (!all[job.helper[i]]->mailbox.compare_exchange_strong(posted, nullptr, std::memory_order_acq_rel))
      continue;
    setIdle(job.helper[i]);
    job.unfinished.fetch_sub(1, std::memory_order_relaxed);
  }
  for (unsigned spins = 0; job.unfinished.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < 4096)
      pause();
    else
      std::this_thread::yield();
  }
}

unsigned ThreadPool::run(const Work &work, unsigned threads) {
  if (work.count <= 0)
    return 0;
  auto parts = static_cast<unsigned>(std::min<std::int64_t>({threads, kMaxThreads, work.count}));
  if (parts <= 1 || insideBody) {
    work.body(work.context, 0, work.count, 0);
    return 1;
  }
  grow(parts - 1);
  Job job(work);
  takeWorkers(job, parts - 1, work.nanoseconds >= kWorthWaking);
  if (job.helpers == 0) {
    work.body(work.context, 0, work.count, 0);
    return 1;
  }
  job.cut();
  job.unfinished.store(job.helpers, std::memory_order_relaxed);
  for (unsigned i = 0; i != job.helpers; ++i) {
    Worker &worker = *all[job.helper[i]];
    worker.part = i + 1;
    worker.mailbox.store(&job);
    worker.wake();
  }
  job.participate(0);
  dismiss(job);
  return job.helpers + 1;
}

ThreadPool::Job *ThreadPool::await(Worker &self) {
  auto take = [&]() -> Job * {
    Job *job = self.mailbox.load(std::memory_order_acquire);
    return job && self.mailbox.compare_exchange_strong(job, nullptr, std::memory_order_acq_rel) ? job : nullptr;
  };
  for (;;) {
    // With more threads than CPUs a worker that spins would keep one from working.
    bool spins = started.load(std::memory_order_relaxed) < cpus;
    for (auto end = Clock::now() + kSpin; spins && Clock::now() < end;)
      for (unsigned i = 0; i != 32; ++i) {
        if (Job *job = take())
          return job;
        pause();
      }
    self.asleep.store(1);
    if (!self.mailbox.load() && !ending.load())
      self.asleep.wait(1);
    self.asleep.store(0, std::memory_order_relaxed);
    if (Job *job = take())
      return job;
    if (ending.load())
      return nullptr;
  }
}

void ThreadPool::work(Worker &self) {
  while (Job *job = await(self)) {
    setFloatingPointMode(job->mode);
    job->participate(self.part);
    // First, so that the caller's next work finds this worker.
    setIdle(self.number);
    job->unfinished.fetch_sub(1, std::memory_order_release);
  }
}

} // namespace clika
