// An object file with one C function that computes a program, and all that it needs but the static runtime.
#pragma once
#include "Pipelines/Compile.h"
#include "Pipelines/Jit.h"
#include "Pipelines/ObjectTarget.h"
#include "Runtime/Program.h"
#include "mlir/IR/BuiltinOps.h"

namespace clika {

/// The function `int name(const void *, …, void *, …)`, inputs first; 0 is success. `const char *name_error(void)` says
/// what went wrong in the thread's last call.
struct ObjectFunction {
  std::string name;
  /// For the function's messages.
  std::vector<std::string> inputs, results;
};

/// What the code of an object is put together with.
struct ObjectParts {
  std::vector<BufferType> inputs, results; // static
  std::vector<llvm::StringRef> constants;  // empty: not read
  uint64_t plannedBytes = 0;
};

/// Consumes the contents of `module`, which is in the LLVM dialect.
llvm::Expected<ObjectCode> generateLibraryObject(mlir::ModuleOp module, const ObjectTarget &target,
                                                 const ObjectFunction &function, const ObjectParts &parts);

/// `compile` for one thread, into an object of static shapes instead of a program. Of `options`, what concerns running
/// here is not read.
llvm::Expected<ObjectCode> compileObject(mlir::ModuleOp module, const CompileOptions &options,
                                         const ObjectTarget &target, const ObjectFunction &function);

} // namespace clika
