// Compiled matmul and convolution against the FMA loop of the same run. `percent` is the share of that loop's rate.
#include "FmaPeak.h"
#include "Pipelines/Compile.h"
#include "Runtime/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <ctime>
#include <string>

namespace clika::bench {
namespace {

using Shape = std::vector<std::int64_t>;

std::string tensorType(const Shape &shape) {
  std::string text = "tensor<";
  for (std::int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + "f32>";
}

std::shared_ptr<Program> compileText(const std::string &text, const std::vector<ConstantArgument> &constants) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  CompileOptions options;
  options.constants = constants;
  auto program = compile(*module, options);
  if (!program) {
    llvm::errs() << llvm::toString(program.takeError()) << "\n";
    std::abort();
  }
  return *program;
}

double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/// Hands out the same memory in every run.
class FixedResult : public ResultSink {
public:
  ~FixedResult() override { std::free(data); }
  void *allocate(std::size_t, std::size_t bytes) override {
    if (bytes > size) {
      std::free(data);
      data = std::aligned_alloc(kBufferAlignment, (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment);
      size = bytes;
    }
    return data;
  }
  void shape(std::size_t, const std::int64_t *, std::size_t) override {}

private:
  void *data = nullptr;
  std::size_t size = 0;
};

enum class Weight { Input, Constant };

/// The last of `shapes` is the weight's.
void measure(benchmark::State &state, const std::string &text, const std::vector<Shape> &shapes, double flops,
             Weight weight) {
  std::vector<std::vector<float>> data;
  std::vector<ProgramInput> inputs;
  for (const Shape &shape : shapes) {
    std::size_t count = 1;
    for (std::int64_t size : shape)
      count *= size;
    data.emplace_back(count);
    for (std::size_t i = 0; i != count; ++i)
      data.back()[i] = float(i % 13) - 6;
  }
  for (std::size_t i = 0; i != shapes.size(); ++i)
    inputs.push_back({data[i].data(), shapes[i].data()});
  std::vector<ConstantArgument> constants;
  if (weight == Weight::Constant)
    constants.push_back({data.back().data(), nullptr});
  std::shared_ptr<Program> program = compileText(text, constants);
  FixedResult sink;
  program->invoke(inputs.data(), sink);
  // Other work on the machine disturbs single runs: the best of each side is compared, in time of this thread.
  double peak = fmaPeak(), best = 1e9;
  for (auto _ : state) {
    double start = threadSeconds();
    program->invoke(inputs.data(), sink);
    best = std::min(best, threadSeconds() - start);
  }
  peak = std::max(peak, fmaPeak());
  state.counters["GF/s"] = flops / best * 1e-9;
  state.counters["peak"] = peak;
  state.counters["percent"] = 100 * flops / best * 1e-9 / peak;
  // Where each weight serves a few results only, memory is what counts.
  if (flops <= 16.0 * data.back().size()) {
    double rate = data.back().size() * sizeof(float) / best * 1e-9;
    state.counters["GB/s"] = rate;
    state.counters["percent of reading"] = 100 * rate / readRate(data.back().data(), data.back().size());
  }
}

void matmul(benchmark::State &state, bool dynamicM, Weight weight) {
  std::int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  Shape a = {dynamicM ? -1 : m, k}, b = {k, n}, c = {dynamicM ? -1 : m, n};
  std::string A = tensorType(a), B = tensorType(b), C = tensorType(c);
  std::string text =
      "func.func @main(%a: " + A + ", %b: " + B + ") -> " + C +
      " {\n%c0 = arith.constant 0 : index\n%zero = arith.constant 0.0 : f32\n%m = tensor.dim %a, %c0 : " + A +
      "\n%e = tensor.empty(" + (dynamicM ? "%m" : "") + ") : " + C +
      "\n%f = linalg.fill ins(%zero : f32) outs(%e : " + C + ") -> " + C + "\n%0 = linalg.matmul ins(%a, %b : " + A +
      ", " + B + ") outs(%f : " + C + ") -> " + C + "\nreturn %0 : " + C + "\n}";
  measure(state, text, {{m, k}, b}, 2.0 * m * n * k, weight);
}

void conv(benchmark::State &state, Weight weight) {
  std::int64_t h = state.range(0), c = state.range(1), f = state.range(2), kernel = state.range(3),
               stride = state.range(4), in = (h - 1) * stride + kernel;
  Shape x = {1, in, in, c}, w = {kernel, kernel, c, f}, y = {1, h, h, f};
  std::string X = tensorType(x), W = tensorType(w), Y = tensorType(y), s = std::to_string(stride);
  std::string text = "func.func @main(%x: " + X + ", %w: " + W + ") -> " + Y +
                     " {\n%zero = arith.constant 0.0 : f32\n%e = tensor.empty() : " + Y +
                     "\n%f = linalg.fill ins(%zero : f32) outs(%e : " + Y + ") -> " + Y +
                     "\n%0 = linalg.conv_2d_nhwc_hwcf {strides = dense<" + s +
                     "> : tensor<2xi64>, dilations = dense<1> : " + "tensor<2xi64>} ins(%x, %w : " + X + ", " + W +
                     ") outs(%f : " + Y + ") -> " + Y + "\nreturn %0 : " + Y + "\n}";
  measure(state, text, {x, w}, 2.0 * h * h * f * kernel * kernel * c, weight);
}

void matmulShapes(benchmark::internal::Benchmark *bench) {
  bench->ArgNames({"m", "n", "k"})->Unit(benchmark::kMicrosecond);
  for (const Shape &shape : {Shape{128, 128, 128}, Shape{512, 512, 512}, Shape{1024, 1024, 1024}, Shape{128, 3072, 768},
                             Shape{197, 768, 768}, Shape{31, 768, 768}, Shape{100, 768, 768}, Shape{1, 768, 768},
                             Shape{1, 3072, 768}, Shape{1, 768, 3072}, Shape{4, 3072, 768}})
    bench->Args(shape);
}

void convShapes(benchmark::internal::Benchmark *bench) {
  bench->ArgNames({"out", "c", "f", "kernel", "stride"})->Unit(benchmark::kMicrosecond);
  for (const Shape &shape : {Shape{56, 64, 64, 3, 1}, Shape{14, 256, 256, 3, 1}, Shape{28, 128, 128, 3, 2},
                             Shape{7, 512, 512, 3, 1}, Shape{112, 3, 64, 7, 2}, Shape{56, 64, 256, 1, 1}})
    bench->Args(shape);
}

BENCHMARK_CAPTURE(matmul, of_inputs, false, Weight::Input)->Apply(matmulShapes);
BENCHMARK_CAPTURE(matmul, by_constant, false, Weight::Constant)->Apply(matmulShapes);
BENCHMARK_CAPTURE(matmul, dynamic_of_inputs, true, Weight::Input)->Apply(matmulShapes);
BENCHMARK_CAPTURE(matmul, dynamic_by_constant, true, Weight::Constant)->Apply(matmulShapes);
BENCHMARK_CAPTURE(conv, of_inputs, Weight::Input)->Apply(convShapes);
BENCHMARK_CAPTURE(conv, by_constant, Weight::Constant)->Apply(convShapes);

} // namespace
} // namespace clika::bench

BENCHMARK_MAIN();
