// Computes one operator at a time over data: eager ops, constant folding and the reference that checks compare with.
#ifndef CLIKA_PIPELINES_EVALUATOR_H
#define CLIKA_PIPELINES_EVALUATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include <ClikaRT/tensor.h>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace clika {

class Program;
struct Fallback;
struct ObjectFunction;
struct ObjectTarget;
struct ProgramInput;

/// The dtype of an element type; none for one that has none.
std::optional<ClikaRT::DataType> dtypeOfElement(mlir::Type element);

/// Runs a program over `inputs` (as many as it has) into new tensors of `dtypes`. Throws ClikaRT::Error; where there is
/// no memory for a result it begins with what `describe` says of it.
std::vector<ClikaRT::Tensor> runProgram(const Program &program, llvm::ArrayRef<ProgramInput> inputs,
                                        llvm::ArrayRef<ClikaRT::DataType> dtypes,
                                        llvm::function_ref<std::string(size_t)> describe);

/// Lowers `module` in its context, which this thread alone uses, and compiles it for one thread. Throws
/// ClikaRT::Error (Unsupported) that says why it cannot.
struct ProgramOptions {
  unsigned threads = 1;
  std::string targetCpu;
  bool relaxed = false;
  /// The last arguments of `main`, which are no inputs of the program; it keeps what it reads of them.
  std::vector<ClikaRT::Tensor> constants;
  /// Whether the program can be saved.
  bool keepImage = false;
  /// Where compiled code is kept between processes; empty: nowhere.
  std::string cacheDir;
  /// Whether it is compiled to be profiled: of its kernels it has the names that the locations of operators bear.
  bool profile = false;
  /// Shares the constants that both read in the same order; null: no program.
  std::shared_ptr<const Program> like;
  /// Called with what was left to loops over single elements; null: nobody asks.
  std::function<void(std::vector<Fallback>)> fallbacks;
  /// Called with the name of each stage before it runs, and how much of the time has gone.
  std::function<void(const std::string &stage, double done)> progress;
};
std::shared_ptr<Program> compileGraphModule(mlir::ModuleOp module, const ProgramOptions &options,
                                            std::string_view call);
/// The same into an object file.
llvm::SmallVector<char, 0> compileGraphObject(mlir::ModuleOp module, const ProgramOptions &options,
                                              const ObjectTarget &target, const ObjectFunction &function,
                                              std::string_view call);
/// A context in which this thread may compile.
std::unique_ptr<mlir::MLIRContext> makeCompileContext();

/// Compiles an operator once per settings, dtypes, ranks and sizes of 1, and keeps the code; once per sizes where its
/// result's rank follows from them. Thread-safe.
class Evaluator {
public:
  static Evaluator &shared();

  /// What `op` computes of `inputs`, one per operand present. Throws ClikaRT::Error that begins with the op's name.
  std::vector<ClikaRT::Tensor> evaluate(mlir::Operation *op, llvm::ArrayRef<ClikaRT::Tensor> inputs);

  /// How many operators were compiled so far, and how many are kept.
  size_t compilations() const;
  size_t kept() const;
  static constexpr size_t kCapacity = 1024;

private:
  std::vector<ClikaRT::Tensor> compute(mlir::Operation *op, llvm::ArrayRef<ClikaRT::Tensor> inputs);
  std::shared_ptr<Program> programFor(mlir::Operation *op, llvm::ArrayRef<ClikaRT::Tensor> inputs);
  /// The program kept under `key`: this one, or the one that was there first. Holds the lock.
  std::shared_ptr<Program> keep(const std::string &key, std::shared_ptr<Program> program);

  using Order = std::list<std::string>;
  /// Without a program: the operator needs code for each list of sizes.
  struct Entry {
    std::shared_ptr<Program> program;
    Order::iterator place;
  };
  mutable std::mutex mutex;
  /// Most recently used first.
  Order order;
  std::unordered_map<std::string, Entry> entries;
  size_t compiled = 0;
};

} // namespace clika

#endif
