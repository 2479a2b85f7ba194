// Machine code of a module in the LLVM dialect, made on several threads, and its form in a file.
#pragma once
#include "Pipelines/Jit.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace clika {

struct ProgramCode;

struct CompiledCode {
  uint64_t plannedBytes = 0;
  std::vector<ObjectCode> objects;

  std::string written() const;
  /// None where the bytes are not what `written` makes.
  static std::optional<CompiledCode> read(llvm::StringRef bytes);
};

/// Loads the code and sets the entry of `program`, which owns it.
llvm::Error loadCode(const CompiledCode &code, ProgramCode &program);

/// Consumes the contents of `module`. Its functions are compiled in as many groups as there are threads, and are the
/// same code for any number of them.
llvm::Expected<std::vector<ObjectCode>> generateObjects(mlir::ModuleOp module, const std::string &cpu,
                                                        unsigned threads);

} // namespace clika
