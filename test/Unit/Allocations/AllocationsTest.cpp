// What a run allocates, counted by the allocation functions of this program.
#include <ClikaRT/clika_rt.h>

#include <gtest/gtest.h>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <vector>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLIKA_COUNTS 0
#else
#define CLIKA_COUNTS 1
#endif

namespace {
std::atomic<bool> counting{false};
std::atomic<std::size_t> calls{0}, bytesAsked{0};

void count(std::size_t bytes) {
  if (!counting.load(std::memory_order_relaxed))
    return;
  ++calls;
  bytesAsked += bytes;
}
} // namespace

#if CLIKA_COUNTS
// glibc's own, under the names that it keeps for this.
extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);

void *malloc(std::size_t bytes) { return count(bytes), __libc_malloc(bytes); }
void *calloc(std::size_t items, std::size_t bytes) { return count(items * bytes), __libc_calloc(items, bytes); }
void *realloc(void *old, std::size_t bytes) { return count(bytes), __libc_realloc(old, bytes); }
void *memalign(std::size_t alignment, std::size_t bytes) { return count(bytes), __libc_memalign(alignment, bytes); }
void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return count(bytes), __libc_memalign(alignment, bytes);
}
int posix_memalign(void **result, std::size_t alignment, std::size_t bytes) {
  count(bytes);
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}
}
#endif

namespace {

namespace ops = ClikaRT::ops;
using ClikaRT::DataType;
using ClikaRT::Shape;
using ClikaRT::Tensor;
using ClikaRT::graph::FinalizeOptions;
using ClikaRT::graph::ModelGraph;
using ClikaRT::spec::TensorSpec;
using Tensors = std::vector<Tensor>;

Tensor filled(const Shape &shape) {
  Tensor tensor = Tensor::empty(shape, DataType::Float32);
  std::vector<float> values(static_cast<std::size_t>(tensor.size()));
  std::iota(values.begin(), values.end(), 1.0f);
  return Tensor::from_data(values.data(), shape, DataType::Float32);
}

/// How often `body` allocates.
template <typename Body>
std::size_t allocations(Body body) {
  calls = bytesAsked = 0;
  counting = true;
  body();
  counting = false;
  return calls;
}

struct Case {
  ModelGraph graph;
  Tensors inputs, outputs;
};

Case make(const ClikaRT::graph::TraceFunction &fn, const std::vector<Shape> &shapes, int threads) {
  std::vector<TensorSpec> signature;
  Case made;
  for (const Shape &shape : shapes) {
    TensorSpec spec{"x" + std::to_string(signature.size()), DataType::Float32, {}};
    for (std::int64_t size : shape)
      spec.shape.push_back(size);
    signature.push_back(spec);
    made.inputs.push_back(filled(shape));
  }
  made.graph = ClikaRT::graph::trace(fn, signature, "test");
  FinalizeOptions options;
  options.threads = threads;
  made.graph.finalize(options);
  for (const Tensor &output : made.graph.run(made.inputs))
    made.outputs.push_back(Tensor::empty(output.shape(), output.dtype()));
  return made;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  Tensor weights = filled({64, 64}), large = filled({300, 300});
  all.push_back(make([](const Tensors &x) { return Tensors{ops::relu(x[0])}; }, {{2, 3}}, 1));
  all.push_back(make(
      [=](const Tensors &x) {
        Tensor hidden = ops::softmax(ops::matmul(x[0], weights), -1);
        return Tensors{hidden, ops::add(ops::exp(hidden), x[0])};
      },
      {{20, 64}}, 1));
  all.push_back(
      make([=](const Tensors &x) { return Tensors{ops::softmax(ops::matmul(x[0], large), -1)}; }, {{300, 300}}, 2));
  // More inputs than a short list has room for.
  all.push_back(make(
      [](const Tensors &x) {
        Tensor sum = x[0];
        for (std::size_t i = 1; i != x.size(); ++i)
          sum = ops::add(sum, x[i]);
        return Tensors{sum};
      },
      std::vector<Shape>(40, Shape{5}), 1));
  return all;
}

TEST(Allocations, AreCounted) {
#if !CLIKA_COUNTS
  GTEST_SKIP() << "a sanitizer has the allocation functions";
#endif
  void *(*volatile allocate)(std::size_t) = &std::malloc;
  EXPECT_EQ(allocations([&] { std::free(allocate(100)); }), 1u);
  EXPECT_GE(allocations([] { Tensor::empty({5}, DataType::Float32); }), 2u);
}

TEST(Allocations, RunIntoHasNone) {
#if !CLIKA_COUNTS
  GTEST_SKIP() << "a sanitizer has the allocation functions";
#endif
  for (Case &one : cases()) {
    auto twentyRuns = [&] {
      for (int i = 0; i != 20; ++i)
        one.graph.run_into(one.inputs, one.outputs);
    };
    // On a busy machine a thread of the pool may come to its first work, for which it allocates once, only later.
    std::size_t count = allocations(twentyRuns);
    for (int again = 0; count != 0 && again != 3; ++again)
      count = allocations(twentyRuns);
    EXPECT_EQ(count, 0u);
  }
}

TEST(Allocations, RunHasThoseOfItsOutputs) {
#if !CLIKA_COUNTS
  GTEST_SKIP() << "a sanitizer has the allocation functions";
#endif
  for (Case &one : cases()) {
    Tensors results = one.graph.run(one.inputs);
    std::size_t own = allocations([&] {
      results.clear();
      for (const Tensor &output : one.outputs)
        results.push_back(Tensor::empty(output.shape(), output.dtype()));
    });
    std::size_t ownBytes = bytesAsked;
    std::size_t first = allocations([&] { results = one.graph.run(one.inputs); });
    EXPECT_LE(first, own + 2) << "two lists of the outputs besides them";
    EXPECT_LE(bytesAsked, ownBytes + 512);
    EXPECT_EQ(allocations([&] { results = one.graph.run(one.inputs); }), first);
  }
}

} // namespace
