#include "Runtime/Program.h"
#include "ClikaRT/error.h"
#include "Runtime/CompiledCall.h"
#include "Runtime/ProfileRecorder.h"
#include "Runtime/ThreadPool.h"
#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>

namespace clika {
namespace {

/// State of the innermost invocation on this thread. Generated code is left by a jump to `exit`, so that no
/// exception has to pass through frames without unwind tables.
struct Invocation {
  Arena *arena;
  ResultSink *sink;
  Invocation *outer;
  unsigned threads;
  /// Cost of parallel parts that this invocation ran alone because the workers slept.
  std::int64_t missed;
  std::exception_ptr failure;
  std::jmp_buf exit;
};

thread_local Invocation *current = nullptr;

/// Nanoseconds of work that one more thread has to take over to be of use.
constexpr double kWorthAThread = 4000;

template <typename Body>
void *guarded(Body body) {
  try {
    return body();
  } catch (...) {
    current->failure = std::current_exception();
  }
  std::longjmp(current->exit, 1);
}

[[noreturn]] void noMemoryFor(const std::string &what) {
  throw ClikaRT::Error(ClikaRT::Status::OutOfMemory,
                       "there is no memory for " + what + "; free some, or run the graph on smaller inputs");
}

void *allocateTemporary(std::int64_t bytes) {
  return guarded([&] {
    try {
      return current->arena->allocate(static_cast<std::size_t>(bytes));
    } catch (const std::bad_alloc &) {
      noMemoryFor(std::to_string(bytes) + " bytes of an intermediate result");
    }
  });
}

void freeTemporary(void *pointer) { current->arena->release(pointer); }

template <typename Body>
void withMemoryForSlot(std::int64_t bytes, Body body) {
  guarded([&]() -> void * {
    try {
      body();
    } catch (const std::bad_alloc &) {
      noMemoryFor(std::to_string(bytes) + " bytes more of what a loop or a branch hands on");
    }
    return nullptr;
  });
}

void storeInSlot(std::int64_t slot, const void *data, std::int64_t bytes) {
  withMemoryForSlot(bytes, [&] {
    current->arena->storeInSlot(static_cast<std::size_t>(slot), data, static_cast<std::size_t>(bytes));
  });
}

void appendToSlot(std::int64_t slot, const void *data, std::int64_t bytes) {
  withMemoryForSlot(bytes, [&] {
    current->arena->appendToSlot(static_cast<std::size_t>(slot), data, static_cast<std::size_t>(bytes));
  });
}

void beginSlot(std::int64_t slot) {
  withMemoryForSlot(0, [&] { current->arena->beginSlot(static_cast<std::size_t>(slot)); });
}

void *slotData(std::int64_t slot) { return current->arena->slotData(static_cast<std::size_t>(slot)); }

void *allocateResult(std::int64_t index, std::int64_t bytes) {
  return guarded(
      [&] { return current->sink->allocate(static_cast<std::size_t>(index), static_cast<std::size_t>(bytes)); });
}

void fail(const char *message) {
  guarded([&]() -> void * { throw ClikaRT::Error(ClikaRT::Status::InvalidArgument, message); });
}

/// No object with a destructor lives in this frame: the jump would skip it.
CLIKA_CALLS_COMPILED bool enter(Invocation &invocation, ProgramEntry entry, const void *const *inputs,
                                const std::int64_t *const *sizes, std::int64_t *resultSizes) {
  if (setjmp(invocation.exit) != 0)
    return false;
  entry(inputs, sizes, invocation.arena->planned(), resultSizes);
  return true;
}

/// A parallel part of an invocation. Ranges that fail leave its code by themselves; the first of them counts.
class Region {
public:
  Region(ParallelBody body, void *context, Arena *callers)
      : body(body), context(context), caller(std::this_thread::get_id()), callersArena(callers) {}

  static void run(void *self, std::int64_t first, std::int64_t last, unsigned part) {
    static_cast<Region *>(self)->runRange(first, last, part);
  }

  std::exception_ptr failure;

private:
  void runRange(std::int64_t first, std::int64_t last, unsigned part) {
    if (first > failedAt.load(std::memory_order_relaxed))
      return;
    thread_local Arena workersArena(0);
    bool own = std::this_thread::get_id() == caller;
    Invocation invocation{own ? callersArena : &workersArena, nullptr, current, 1, 0, nullptr, {}};
    current = &invocation;
    bool finished = enter(invocation, first, last, part);
    current = invocation.outer;
    if (finished)
      return;
    if (!own)
      workersArena.releaseAll();
    std::lock_guard lock(mutex);
    if (first < failedAt) {
      failedAt = first;
      failure = invocation.failure;
    }
  }

  /// No object with a destructor lives in this frame: the jump would skip it.
  CLIKA_CALLS_COMPILED bool enter(Invocation &invocation, std::int64_t first, std::int64_t last, unsigned part) {
    if (setjmp(invocation.exit) != 0)
      return false;
    body(context, first, last, part);
    return true;
  }

  ParallelBody body;
  void *context;
  std::thread::id caller;
  Arena *callersArena;
  std::mutex mutex;
  std::atomic<std::int64_t> failedAt{std::numeric_limits<std::int64_t>::max()};
};

/// The number of threads used; 0: failed, and the invocation has the failure. Leaves no object behind for a jump.
unsigned runRegion(ParallelBody body, void *context, std::int64_t count, std::int64_t nanoseconds, unsigned threads) {
  Region region(body, context, current->arena);
  unsigned used = ThreadPool::shared().run({&Region::run, &region, count, nanoseconds}, threads);
  if (!region.failure)
    return used;
  current->failure = region.failure;
  return 0;
}

/// Threads for `count` pieces of work that cost `picoseconds` each: every one of them has to be worth its while.
unsigned threadsFor(std::int64_t count, std::int64_t picoseconds) {
  double pieces = static_cast<double>(count) * static_cast<double>(picoseconds) / (kWorthAThread * 1e3);
  auto useful = static_cast<unsigned>(std::min(pieces, static_cast<double>(kMaxThreads)));
  return useful <= 1 ? 1 : std::min(useful, ThreadPool::shared().share(current->threads));
}

void runParallel(ParallelBody body, void *context, std::int64_t count, std::int64_t picoseconds) {
  unsigned threads = current->threads <= 1 ? 1 : threadsFor(count, picoseconds);
  if (threads <= 1)
    return body(context, 0, count, 0);
  std::int64_t nanoseconds = count * picoseconds / 1000;
  unsigned used = runRegion(body, context, count, current->missed + nanoseconds, threads);
  if (used == 0)
    std::longjmp(current->exit, 1);
  current->missed = used == 1 ? current->missed + nanoseconds : 0;
}

/// Lists of pointers and sizes for the time of an invocation, in memory that the thread's next one uses again.
class Words {
public:
  explicit Words(std::size_t count) {
    words.swap(spare);
    if (words.size() < count)
      words.resize(count);
  }
  ~Words() { words.swap(spare); }
  Words(const Words &) = delete;

  template <typename T>
  T *take(std::size_t count) {
    static_assert(sizeof(T) == sizeof(std::uint64_t));
    taken += count;
    return reinterpret_cast<T *>(words.data() + taken - count);
  }

private:
  static thread_local std::vector<std::uint64_t> spare;
  std::vector<std::uint64_t> words;
  std::size_t taken = 0;
};

thread_local std::vector<std::uint64_t> Words::spare;

} // namespace

Program::Program(ProgramCode compiled) : code(std::move(compiled)), arenas(code.plannedBytes) {
  for (const BufferType &result : code.results)
    for (std::int64_t size : result.shape)
      dynamicSizes += size == kDynamicSize;
}

void Program::invoke(const ProgramInput *inputs, ResultSink &sink) const {
  std::size_t mostSizes = 0;
  for (const BufferType &result : code.results)
    mostSizes = std::max(mostSizes, result.shape.size());
  Words words(2 * code.inputs.size() + code.constants.size() + dynamicSizes + mostSizes);
  auto *pointers = words.take<const void *>(code.inputs.size() + code.constants.size());
  auto *sizes = words.take<const std::int64_t *>(code.inputs.size());
  auto *resultSizes = words.take<std::int64_t>(dynamicSizes), *known = words.take<std::int64_t>(mostSizes);
  for (std::size_t i = 0; i != code.inputs.size(); ++i) {
    pointers[i] = inputs[i].data;
    sizes[i] = inputs[i].sizes;
  }
  for (std::size_t i = 0; i != code.constants.size(); ++i)
    pointers[code.inputs.size() + i] = code.constants[i];

  std::optional<ThreadPool::Caller> caller;
  if (code.threads > 1)
    caller.emplace(ThreadPool::shared());
  std::unique_ptr<Arena> arena;
  try {
    arena = arenas.take();
  } catch (const std::bad_alloc &) {
    noMemoryFor("the graph's intermediate results of " + std::to_string(code.plannedBytes) + " bytes");
  }
  Invocation invocation{arena.get(), &sink, current, code.threads, 0, nullptr, {}};
  current = &invocation;
  bool finished = enter(invocation, code.entry, pointers, sizes, resultSizes);
  current = invocation.outer;
  arenas.give(std::move(arena));
  if (!finished)
    std::rethrow_exception(invocation.failure);

  std::size_t next = 0;
  for (std::size_t i = 0; i != code.results.size(); ++i) {
    const std::vector<std::int64_t> &shape = code.results[i].shape;
    for (std::size_t d = 0; d != shape.size(); ++d)
      known[d] = shape[d] == kDynamicSize ? resultSizes[next++] : shape[d];
    sink.shape(i, known, shape.size());
  }
}

std::vector<RuntimeSymbol> runtimeSymbols() {
  return {{"clika_rt_alloc", reinterpret_cast<void *>(&allocateTemporary)},
          {"clika_rt_free", reinterpret_cast<void *>(&freeTemporary)},
          {"clika_rt_result", reinterpret_cast<void *>(&allocateResult)},
          {"clika_rt_slot_store", reinterpret_cast<void *>(&storeInSlot)},
          {"clika_rt_slot_append", reinterpret_cast<void *>(&appendToSlot)},
          {"clika_rt_slot_begin", reinterpret_cast<void *>(&beginSlot)},
          {"clika_rt_slot_load", reinterpret_cast<void *>(&slotData)},
          {"clika_rt_fail", reinterpret_cast<void *>(&fail)},
          {"clika_rt_parallel", reinterpret_cast<void *>(&runParallel)},
          {"clika_rt_profile_begin", reinterpret_cast<void *>(&ProfileRecorder::begin)},
          {"clika_rt_profile_end", reinterpret_cast<void *>(&ProfileRecorder::end)}};
}

} // namespace clika
