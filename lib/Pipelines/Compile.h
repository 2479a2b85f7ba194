// The CPU compiler: from linalg on tensors to a Program. Knows nothing of the clika dialect.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace clika {

class ObjectCache;
class Program;
struct Fallback;

/// The memory of an argument of `main` that is the same in every run.
struct ConstantArgument {
  const void *data = nullptr;
  /// Keeps `data`; null where others keep it for as long as the program is used.
  std::shared_ptr<void> owner;
};

struct CompileOptions {
  /// Threads that one invocation may use. Results do not depend on it.
  unsigned threads = 1;
  /// An LLVM CPU name; empty: this machine's CPU.
  std::string targetCpu;
  /// Allows faster code that rounds differently.
  bool relaxed = false;
  /// The last arguments of `main`, which are static then and no inputs of the program. It reads them where they lie or
  /// holds copies that are in better order.
  std::vector<ConstantArgument> constants;
  /// What keeps the data of the module's constants alive. When set, the program uses large constants where they lie and
  /// holds this; otherwise it copies them once.
  std::shared_ptr<void> constantOwner;
  /// Where compiled code is looked for and kept; null: nowhere.
  const ObjectCache *cache = nullptr;
  /// Whether the program can be saved: it keeps its code in the form of a file.
  bool keepImage = false;
  /// Whether the code tells the runtime when each of its kernels begins and ends: see ProfileRecorder.
  bool profile = false;
  /// Of the same module: constants that both read in the same order are held once. Null: no program.
  std::shared_ptr<const Program> like;
  /// Threads that make machine code.
  unsigned compileThreads = 1;
  /// Called with what was left to loops over single elements; null: nobody asks.
  std::function<void(std::vector<Fallback>)> fallbacks;
  /// Called with the name of each stage before it runs, and how much of the time has gone.
  std::function<void(llvm::StringRef stage, double done)> progress;
};

/// Compiles the one public function `main` of `module`: its arguments and results are ranked tensors (static or
/// dynamic, rank 0 and zero sizes included) of signless i8 i16 i32 i64 index f16 bf16 f32 f64 (a Bool tensor is i8),
/// its body is linalg, tensor, arith, math, scf and cf.assert, or calls to private functions of the same kind. Consumes
/// the contents of `module` also when it fails. The context must be used by this thread alone. The error says which
/// stage failed and why.
///
/// Sums: linalg.matmul, batch_matmul, conv_* and other named contractions add products in ascending order of k with one
/// fused multiply-add per step; a linalg.generic means exactly what its body says (write math.fma for a contraction).
llvm::Expected<std::shared_ptr<Program>> compile(mlir::ModuleOp module, const CompileOptions &options);

/// The dialects and interfaces `compile` needs; it appends them to the module's context itself.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Makes every stage a pass of an opt tool, and all of them the pipeline `clika-cpu`.
void registerCodegenPasses();

/// Appends the stages from tensors to the LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &manager, const CompileOptions &options);

} // namespace clika
