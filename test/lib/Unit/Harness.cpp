#include "Harness.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Alignment.h"
#include <gtest/gtest.h>
#include <cstdlib>
#include <random>

namespace clika::test {
namespace {

struct Parsed {
  Parsed(const std::string &text) : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class CollectResults : public ResultSink {
public:
  explicit CollectResults(const Program &program) : program(program), results(program.results().size()) {}
  ~CollectResults() override {
    for (Result &result : results)
      std::free(result.data);
  }
  void *allocate(std::size_t index, std::size_t bytes) override {
    results[index] = {std::aligned_alloc(kBufferAlignment, llvm::alignTo(bytes + 1, kBufferAlignment)), bytes, {}};
    std::memset(results[index].data, 0xA5, bytes);
    return results[index].data;
  }
  void shape(std::size_t index, const std::int64_t *sizes, std::size_t rank) override {
    results[index].shape.assign(sizes, sizes + rank);
  }
  std::vector<Array> take() {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i != results.size(); ++i) {
      Result &result = results[i];
      std::size_t bytes = program.results()[i].elementBytes;
      for (std::int64_t size : result.shape)
        bytes *= static_cast<std::size_t>(size);
      EXPECT_EQ(bytes, result.bytes);
      auto *data = static_cast<char *>(result.data);
      arrays.push_back({result.shape, std::vector<char>(data, data + bytes)});
    }
    return arrays;
  }

private:
  struct Result {
    void *data = nullptr;
    std::size_t bytes = 0;
    std::vector<std::int64_t> shape;
  };
  const Program &program;
  std::vector<Result> results;
};

} // namespace

std::shared_ptr<Program> compileText(const std::string &text, unsigned threads,
                                     std::vector<ConstantArgument> constants) {
  Parsed parsed(text);
  if (!parsed.module) {
    ADD_FAILURE() << "the test's module does not parse";
    return nullptr;
  }
  CompileOptions options;
  options.threads = threads;
  options.constants = std::move(constants);
  auto program = compile(*parsed.module, options);
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return nullptr;
  }
  return *program;
}

int opsLeftToLoops(const std::string &text, std::vector<ConstantArgument> constants) {
  Parsed parsed(text);
  if (!parsed.module)
    return -1;
  int left = -1;
  CompileOptions options;
  options.constants = std::move(constants);
  options.progress = [&](llvm::StringRef stage, double) {
    if (stage != "plan-buffers")
      return;
    left = 0;
    parsed.module->walk([&](mlir::linalg::LinalgOp) { ++left; });
  };
  auto program = compile(*parsed.module, options);
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return -1;
  }
  return left;
}

std::string compileError(const std::string &text, const std::string &cpu) {
  Parsed parsed(text);
  if (!parsed.module)
    return "the test's module does not parse";
  CompileOptions options;
  options.targetCpu = cpu;
  auto program = compile(*parsed.module, options);
  return program ? "" : llvm::toString(program.takeError());
}

std::vector<Array> run(const Program &program, const std::vector<Array> &inputs) {
  std::vector<ProgramInput> views;
  for (const Array &input : inputs)
    views.push_back({input.bytes.data(), input.shape.data()});
  CollectResults results(program);
  program.invoke(views.data(), results);
  return results.take();
}

std::vector<Array> evaluate(const std::string &text, const std::vector<Array> &inputs) {
  std::shared_ptr<Program> program = compileText(text);
  return program ? run(*program, inputs) : std::vector<Array>();
}

std::vector<float> randomFloats(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(engine);
  return values;
}

} // namespace clika::test
