// The worker threads by themselves: every number once, callers side by side, fork, and what the system grants.
#include "Runtime/ThreadPool.h"
#include "Runtime/Cpus.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace clika {
namespace {

constexpr std::int64_t kMuch = 1'000'000;

/// Counts how often each number is visited, and which parts visited it.
struct Visits {
  explicit Visits(std::int64_t count) : times(static_cast<std::size_t>(count)) {}

  static void visit(void *context, std::int64_t first, std::int64_t last, unsigned part) {
    auto &self = *static_cast<Visits *>(context);
    if (++self.active[part] > 1)
      self.shared = true;
    for (std::int64_t i = first; i != last; ++i)
      ++self.times[static_cast<std::size_t>(i)];
    self.parts.fetch_or(std::uint64_t(1) << part % 64);
    --self.active[part];
  }
  ThreadPool::Work work(std::int64_t nanoseconds = kMuch) {
    return {&visit, this, static_cast<std::int64_t>(times.size()), nanoseconds};
  }
  bool allOnce() const {
    return std::ranges::all_of(times, [](int count) { return count == 1; });
  }

  std::vector<int> times;
  std::atomic<std::uint64_t> parts{0};
  std::atomic<unsigned> active[kMaxThreads] = {};
  std::atomic<bool> shared{false};
};

TEST(ThreadPool, VisitsEachNumberOnce) {
  ThreadPool pool(4);
  for (unsigned threads : {1u, 2u, 3u, 8u, 64u, kMaxThreads})
    for (std::int64_t count : {0, 1, 2, 3, 7, 64, 65, 1000}) {
      Visits visits(count);
      unsigned used = pool.run(visits.work(), threads);
      EXPECT_TRUE(visits.allOnce()) << threads << " threads, " << count;
      EXPECT_FALSE(visits.shared) << "two calls had one part";
      EXPECT_LE(used, std::min<std::int64_t>(threads, count));
      EXPECT_EQ(used == 0, count == 0);
    }
  EXPECT_LT(pool.workers(), kMaxThreads);
}

TEST(ThreadPool, ManyRunsInARow) {
  ThreadPool pool(2);
  for (int round = 0; round != 5000; ++round) {
    Visits visits(16);
    pool.run(visits.work(round % 2 ? kMuch : 0), 2);
    ASSERT_TRUE(visits.allOnce()) << round;
  }
}

TEST(ThreadPool, WakesSleepers) {
  ThreadPool pool(2);
  for (int round = 0; round != 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    Visits visits(64);
    EXPECT_EQ(pool.run(visits.work(), 2), 2u);
    EXPECT_TRUE(visits.allOnce());
  }
  // Little work is not worth it.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Visits little(64);
  EXPECT_EQ(pool.run(little.work(0), 2), 1u);
  EXPECT_TRUE(little.allOnce());
}

TEST(ThreadPool, HelpsAWorkerThatIsLate) {
  ThreadPool pool(2);
  struct Slow {
    std::atomic<int> done{0};
    static void run(void *context, std::int64_t first, std::int64_t last, unsigned) {
      if (first == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      static_cast<Slow *>(context)->done += static_cast<int>(last - first);
    }
  } slow;
  pool.run({&Slow::run, &slow, 8, kMuch}, 2);
  EXPECT_EQ(slow.done, 8);
}

TEST(ThreadPool, CallersSideBySide) {
  ThreadPool pool(4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller != 8; ++caller)
    callers.emplace_back([&pool, &wrong, caller] {
      for (int round = 0; round != 300; ++round) {
        ThreadPool::Caller present(pool);
        Visits visits(1 + (caller * 37 + round) % 200);
        pool.run(visits.work(), std::max(2u, pool.share(4)));
        wrong += !visits.allOnce() || visits.shared;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pool.workers(), 3u);
}

TEST(ThreadPool, CallersShareTheCpus) {
  ThreadPool pool(8);
  EXPECT_EQ(pool.share(8), 8u);
  EXPECT_EQ(pool.share(2), 2u);
  ThreadPool::Caller first(pool);
  EXPECT_EQ(pool.share(8), 8u);
  ThreadPool::Caller second(pool);
  EXPECT_EQ(pool.share(8), 4u);
  EXPECT_EQ(pool.share(2), 2u);
  {
    ThreadPool::Caller third(pool), fourth(pool), fifth(pool);
    EXPECT_EQ(pool.share(8), 1u);
    EXPECT_EQ(pool.share(1), 1u);
  }
  EXPECT_EQ(pool.share(16), 8u) << "who asks for more threads than CPUs gets them";
}

TEST(ThreadPool, RunsSeriallyInsideItself) {
  ThreadPool pool(2);
  struct Outer {
    ThreadPool &pool;
    std::atomic<int> wrong{0};
    static void run(void *context, std::int64_t first, std::int64_t last, unsigned) {
      auto &self = *static_cast<Outer *>(context);
      for (; first != last; ++first) {
        Visits inner(100);
        self.wrong += self.pool.run(inner.work(), 2) != 1 || !inner.allOnce();
      }
    }
  } outer{pool};
  pool.run({&Outer::run, &outer, 32, kMuch}, 2);
  EXPECT_EQ(outer.wrong, 0);
}

TEST(ThreadPool, WorkersTakeTheCallersRounding) {
  ThreadPool pool(2);
  struct Modes {
    std::mutex mutex;
    std::set<int> seen;
    static void run(void *context, std::int64_t, std::int64_t, unsigned) {
      auto &self = *static_cast<Modes *>(context);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      volatile float one = 1, tiny = 1e-10f;
      std::lock_guard lock(self.mutex);
      self.seen.insert(one + tiny > 1);
    }
  } up, nearest;
  std::fesetround(FE_UPWARD);
  pool.run({&Modes::run, &up, 16, kMuch}, 2);
  std::fesetround(FE_TONEAREST);
  pool.run({&Modes::run, &nearest, 16, kMuch}, 2);
  EXPECT_THAT(up.seen, testing::ElementsAre(1));
  EXPECT_THAT(nearest.seen, testing::ElementsAre(0));
}

TEST(ThreadPool, LeavesSignalsToTheProgram) {
  ThreadPool pool(2);
  struct Mask {
    std::atomic<int> open{0};
    static void run(void *context, std::int64_t, std::int64_t, unsigned part) {
      sigset_t set;
      pthread_sigmask(SIG_SETMASK, nullptr, &set);
      if (part != 0)
        static_cast<Mask *>(context)->open += !sigismember(&set, SIGINT);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } mask;
  pool.run({&Mask::run, &mask, 16, kMuch}, 2);
  EXPECT_EQ(mask.open, 0);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_FALSE(sigismember(&own, SIGINT));
}

TEST(ThreadPool, AForkedProcessMakesItsOwn) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer ends a forked process that starts threads";
#endif
  ThreadPool &parent = ThreadPool::shared();
  Visits before(100);
  parent.run(before.work(), 2);
  pid_t child = fork();
  if (child == 0) {
    ThreadPool &own = ThreadPool::shared();
    Visits visits(1000);
    own.run(visits.work(), 2);
    _exit(&own != &parent && visits.allOnce() && own.workers() == 1 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  Visits after(100);
  ThreadPool::shared().run(after.work(), 2);
  EXPECT_EQ(&ThreadPool::shared(), &parent);
  EXPECT_TRUE(before.allOnce() && after.allOnce());
}

TEST(Cpus, CountsTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(availableCpus(), 1u);
  // More threads than CPUs are slow, and right.
  ThreadPool pool(availableCpus());
  for (int round = 0; round != 50; ++round) {
    Visits visits(100);
    pool.run(visits.work(), 3);
    EXPECT_TRUE(visits.allOnce());
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(availableCpus(), static_cast<unsigned>(CPU_COUNT(&before)));
  EXPECT_GE(availableCpus(), 1u);
}

class Quota : public testing::Test {
protected:
  Quota() {
    std::string name = "/quota" + std::to_string(getpid());
    root = testing::TempDir() + name;
    std::filesystem::remove_all(root);
  }
  ~Quota() override { std::filesystem::remove_all(root); }
  void write(const std::string &path, const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string root;
};

TEST_F(Quota, Version2) {
  EXPECT_EQ(cpuQuota(root), 0u);
  write("/proc/self/cgroup", "0::/pods/mine\n");
  EXPECT_EQ(cpuQuota(root), 0u);
  write("/sys/fs/cgroup/pods/mine/cpu.max", "max 100000\n");
  EXPECT_EQ(cpuQuota(root), 0u);
  write("/sys/fs/cgroup/pods/mine/cpu.max", "350000 100000\n");
  EXPECT_EQ(cpuQuota(root), 3u);
  write("/sys/fs/cgroup/pods/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpuQuota(root), 2u) << "a group has no more than those around it";
  write("/sys/fs/cgroup/pods/mine/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpuQuota(root), 1u) << "never none";
}

TEST_F(Quota, RootOfANamespace) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpuQuota(root), 4u);
}

TEST_F(Quota, Version1) {
  write("/proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpuQuota(root), 0u);
  write("/sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(cpuQuota(root), 2u);
}

TEST_F(Quota, Nonsense) {
  write("/proc/self/cgroup", "::::\n\nnonsense\n0::no/slash\n0::/a/../b//\n");
  write("/sys/fs/cgroup/cpu.max", "abc def\n");
  EXPECT_EQ(cpuQuota(root), 0u);
  write("/sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(cpuQuota(root), 0u);
}

} // namespace
} // namespace clika
