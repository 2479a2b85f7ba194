#include "Guarded.h"
#include "Pipelines/BufferLifetimes.h"
#include "Pipelines/Evaluator.h"
#include "Pipelines/Jit.h"
#include "Pipelines/Passes.h"
#include "Runtime/Arena.h"
#include "Runtime/Program.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace clika::test {
namespace {

const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// Memory between two pages that fault.
class GuardedBlock {
public:
  GuardedBlock(std::size_t bytes, const GuardedRun &run) : length((bytes + kPage - 1) / kPage * kPage) {
    void *mapped = mmap(nullptr, length + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      throw std::bad_alloc();
    inner = static_cast<char *>(mapped) + kPage;
    protect(PROT_READ | PROT_WRITE);
    if (length != 0)
      std::memset(inner, run.fill, length);
    start = run.guard == Guard::Behind ? inner + length - bytes : inner;
  }
  ~GuardedBlock() { munmap(inner - kPage, length + 2 * kPage); }
  GuardedBlock(const GuardedBlock &) = delete;
  GuardedBlock &operator=(const GuardedBlock &) = delete;

  char *data() const { return start; }
  void makeReadOnly() { protect(PROT_READ); }

private:
  void protect(int access) {
    if (length != 0 && mprotect(inner, length, access) != 0)
      throw std::bad_alloc();
  }

  std::size_t length;
  char *inner, *start;
};

/// The temporaries of every invocation of this process.
class GuardedArenas : public ArenaMemory {
public:
  static GuardedArenas &instance() {
    // Never destroyed: the arenas of worker threads outlive everything here.
    static auto *arenas = [] {
      auto *made = new GuardedArenas;
      ArenaMemory::use(*made);
      return made;
    }();
    return *arenas;
  }

  void *take(std::size_t bytes) override {
    std::lock_guard lock(mutex);
    auto block = std::make_unique<GuardedBlock>(bytes, run);
    void *data = block->data();
    blocks.emplace(data, std::move(block));
    ++taken;
    return data;
  }
  void give(void *data) override {
    std::lock_guard lock(mutex);
    blocks.erase(blocks.find(data));
  }

  GuardedRun run;
  std::size_t taken = 0;

private:
  std::mutex mutex;
  std::map<void *, std::unique_ptr<GuardedBlock>> blocks;
};

/// What runs, for the message of a fault.
char running[512];

void report(int signal, siginfo_t *, void *) {
  constexpr char text[] = "\nThe code touched memory outside its buffers: ";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  (void)!write(STDERR_FILENO, running, std::strlen(running));
  (void)!write(STDERR_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
}

void reportFaults() {
  struct sigaction action = {};
  action.sa_sigaction = &report;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

class GuardedSink : public ResultSink {
public:
  GuardedSink(const Program &program, const GuardedRun &run)
      : run(run), blocks(program.results().size()), bytesOf(blocks.size()) {}
  void *allocate(std::size_t index, std::size_t bytes) override {
    blocks[index] = std::make_unique<GuardedBlock>(bytes, run);
    bytesOf[index] = bytes;
    return blocks[index]->data();
  }
  void shape(std::size_t, const std::int64_t *, std::size_t) override {}
  Results take() const {
    Results results;
    for (std::size_t i = 0; i != blocks.size(); ++i)
      results.emplace_back(blocks[i]->data(), bytesOf[i]);
    return results;
  }

private:
  GuardedRun run;
  std::vector<std::unique_ptr<GuardedBlock>> blocks;
  std::vector<std::size_t> bytesOf;
};

std::unique_ptr<GuardedBlock> readOnlyCopy(const void *data, std::size_t bytes, const GuardedRun &run) {
  auto block = std::make_unique<GuardedBlock>(bytes, run);
  if (bytes != 0)
    std::memcpy(block->data(), data, bytes);
  block->makeReadOnly();
  return block;
}

std::size_t bytesOf(const ClikaRT::Tensor &tensor) { return tensor.size() * ClikaRT::item_size(tensor.dtype()); }

std::string textOf(const GuardedCase &test) {
  std::vector<ClikaRT::spec::TensorSpec> signature;
  for (std::size_t i = 0; i != test.inputs.size(); ++i) {
    ClikaRT::spec::TensorSpec spec{"x" + std::to_string(i), test.inputs[i].dtype(), {}};
    const ClikaRT::Shape shape = test.inputs[i].shape();
    for (std::size_t d = 0; d != shape.size(); ++d) {
      bool named = i < test.dims.size() && d < test.dims[i].size() && !test.dims[i][d].empty();
      spec.shape.push_back(named ? ClikaRT::spec::Dim(test.dims[i][d]) : ClikaRT::spec::Dim(shape[d]));
    }
    signature.push_back(std::move(spec));
  }
  return ClikaRT::graph::trace(test.fn, signature, "main").to_mlir();
}

std::shared_ptr<Program> compiled(const GuardedCase &test, const std::string &cpu, bool separate,
                                  const std::function<void(mlir::ModuleOp)> &look = {}) {
  std::unique_ptr<mlir::MLIRContext> context = makeCompileContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(textOf(test), context.get());
  if (!module)
    throw std::runtime_error("the graph's text does not parse");
  if (separate)
    (*module)->setAttr(kSeparateBuffersAttr, mlir::UnitAttr::get(context.get()));
  ProgramOptions options;
  options.targetCpu = cpu;
  options.relaxed = test.relaxed;
  options.threads = test.threads;
  options.keepImage = true;
  options.constants.assign(test.inputs.end() - static_cast<std::ptrdiff_t>(test.constants), test.inputs.end());
  // The module is of the LLVM dialect then, and consumed after that.
  if (look)
    options.progress = [&](const std::string &stage, double) {
      if (stage == "generate-code")
        look(*module);
    };
  return compileGraphModule(*module, options, "test");
}

Results invoke(const GuardedCase &test, const Program &program, const GuardedRun &run) {
  std::vector<std::unique_ptr<GuardedBlock>> blocks;
  // The compiler puts some constants in another order, in memory of its own.
  ProgramCode code = program.parts();
  for (std::size_t i = 0; i != code.constants.size(); ++i) {
    if (!code.constants[i])
      continue; // nothing reads it
    blocks.push_back(readOnlyCopy(code.constants[i], code.image->constantSizes.at(i), run));
    code.constants[i] = blocks.back()->data();
  }
  std::vector<ClikaRT::Shape> shapes;
  for (const ClikaRT::Tensor &input : test.inputs)
    shapes.push_back(input.shape());
  std::vector<ProgramInput> inputs;
  for (std::size_t i = 0; i != test.inputs.size() - test.constants; ++i) {
    blocks.push_back(readOnlyCopy(test.inputs[i].raw_data(), bytesOf(test.inputs[i]), run));
    inputs.push_back({blocks.back()->data(), shapes[i].data()});
  }
  GuardedArenas::instance().run = run;
  Program guarded(std::move(code));
  GuardedSink sink(guarded, run);
  guarded.invoke(inputs.data(), sink);
  return sink.take();
}

} // namespace

std::vector<Results> runGuarded(const GuardedCase &test, const std::string &cpu, bool separate,
                                const std::vector<GuardedRun> &runs) {
  GuardedArenas::instance();
  reportFaults();
  std::shared_ptr<Program> program = compiled(test, cpu, separate);
  std::vector<Results> results;
  for (const GuardedRun &run : runs) {
    std::snprintf(running, sizeof running, "%s, for %s, guards %s %s", test.name.c_str(), cpu.c_str(),
                  run.guard == Guard::Behind ? "behind" : "before", separate ? "each temporary" : "their block");
    results.push_back(invoke(test, *program, run));
  }
  return results;
}

Instructions countInstructions(const GuardedCase &test, const std::string &cpu) {
  Instructions counts;
  compiled(test, cpu, /*separate=*/false, [&](mlir::ModuleOp module) {
    for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
      std::size_t instructions = 0;
      function.walk([&](mlir::Operation *) { ++instructions; });
      if (function.getName() == kEntry)
        counts.entry = instructions;
      else
        counts.largestKernel = std::max(counts.largestKernel, instructions);
    }
  });
  return counts;
}

void expectGuarded(const GuardedCase &test) {
  SCOPED_TRACE(test.name);
  const std::vector<GuardedRun> runs = {{Guard::Behind, 0xFF}, {Guard::Before, 0x00}, {Guard::Before, 0xFF}};
  Results first;
  for (std::string cpu : {"x86-64-v4", "x86-64-v3", "x86-64"}) {
    if (!targetCpuProblem(cpu).empty())
      continue;
    if (cpu == "x86-64" && !test.sameWithoutFusing)
      first.clear();
    for (bool separate : {true, false}) {
      // The width of a vector does not decide which temporaries share memory.
      if (!separate && cpu == "x86-64-v3")
        continue;
      try {
        for (const Results &results : runGuarded(test, cpu, separate, runs)) {
          if (first.empty())
            first = results;
          EXPECT_TRUE(results == first) << cpu << (separate ? ", temporaries apart" : "");
        }
      } catch (const std::exception &error) {
        ADD_FAILURE() << cpu << ": " << error.what();
      }
    }
  }
}

} // namespace clika::test
