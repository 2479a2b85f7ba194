#include "Runtime/Program.h"
#include "ClikaRT/error.h"
#include <array>
#include <csetjmp>
#include <exception>
#include <string>

namespace clika {
namespace {

/// State of the innermost invocation on this thread. Generated code is left by a jump to `exit`, so that no
/// exception has to pass through frames without unwind tables.
struct Invocation {
  Arena *arena;
  ResultSink *sink;
  Invocation *outer;
  std::exception_ptr failure;
  std::jmp_buf exit;
};

thread_local Invocation *current = nullptr;

template <typename Body>
void *guarded(Body body) {
  try {
    return body();
  } catch (...) {
    current->failure = std::current_exception();
  }
  std::longjmp(current->exit, 1);
}

void *allocateTemporary(std::int64_t bytes) {
  return guarded([&] { return current->arena->allocate(static_cast<std::size_t>(bytes)); });
}

void freeTemporary(void *pointer) { current->arena->release(pointer); }

void *allocateResult(std::int64_t index, std::int64_t bytes) {
  return guarded(
      [&] { return current->sink->allocate(static_cast<std::size_t>(index), static_cast<std::size_t>(bytes)); });
}

void fail(const char *message) {
  guarded([&]() -> void * { throw ClikaRT::Error(ClikaRT::Status::InvalidArgument, message); });
}

/// No object with a destructor lives in this frame: the jump would skip it.
bool enter(Invocation &invocation, ProgramEntry entry, const void *const *inputs, const std::int64_t *const *sizes,
           std::int64_t *resultSizes) {
  if (setjmp(invocation.exit) != 0)
    return false;
  entry(inputs, sizes, invocation.arena->planned(), resultSizes);
  return true;
}

/// A short list on the stack, a long one on the heap.
template <typename T>
class Scratch {
public:
  explicit Scratch(std::size_t count) {
    if (count > local.size()) {
      heap.resize(count);
      items = heap.data();
    }
  }
  T *data() { return items; }
  T &operator[](std::size_t i) { return items[i]; }

private:
  std::array<T, 16> local{};
  std::vector<T> heap;
  T *items = local.data();
};

} // namespace

Program::Program(ProgramCode compiled) : code(std::move(compiled)), arenas(code.plannedBytes) {
  for (const BufferType &result : code.results)
    for (std::int64_t size : result.shape)
      dynamicSizes += size == kDynamicSize;
}

void Program::invoke(const ProgramInput *inputs, ResultSink &sink) const {
  Scratch<const void *> pointers(code.inputs.size() + code.constants.size());
  Scratch<const std::int64_t *> sizes(code.inputs.size());
  for (std::size_t i = 0; i != code.inputs.size(); ++i) {
    pointers[i] = inputs[i].data;
    sizes[i] = inputs[i].sizes;
  }
  for (std::size_t i = 0; i != code.constants.size(); ++i)
    pointers[code.inputs.size() + i] = code.constants[i];
  Scratch<std::int64_t> resultSizes(dynamicSizes);

  std::unique_ptr<Arena> arena = arenas.take();
  Invocation invocation{arena.get(), &sink, current, nullptr, {}};
  current = &invocation;
  bool finished = enter(invocation, code.entry, pointers.data(), sizes.data(), resultSizes.data());
  current = invocation.outer;
  arenas.give(std::move(arena));
  if (!finished)
    std::rethrow_exception(invocation.failure);

  std::size_t next = 0;
  for (std::size_t i = 0; i != code.results.size(); ++i) {
    const std::vector<std::int64_t> &shape = code.results[i].shape;
    Scratch<std::int64_t> known(shape.size());
    for (std::size_t d = 0; d != shape.size(); ++d)
      known[d] = shape[d] == kDynamicSize ? resultSizes[next++] : shape[d];
    sink.shape(i, known.data(), shape.size());
  }
}

std::vector<RuntimeSymbol> runtimeSymbols() {
  return {{"clika_rt_alloc", reinterpret_cast<void *>(&allocateTemporary)},
          {"clika_rt_free", reinterpret_cast<void *>(&freeTemporary)},
          {"clika_rt_result", reinterpret_cast<void *>(&allocateResult)},
          {"clika_rt_fail", reinterpret_cast<void *>(&fail)}};
}

} // namespace clika
