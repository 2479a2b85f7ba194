// Calls of the runtime around each kernel, in code that is compiled to be profiled.
#pragma once
#include "Pipelines/WorkCount.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace clika {

struct ProfiledKernel;

/// On the module, a unit: marks are put around kernels.
inline constexpr llvm::StringLiteral kProfileAttr = "clika.profile";
/// On the module: for each number that marks bear, the kernel and the nodes that it computes.
inline constexpr llvm::StringLiteral kProfileRowsAttr = "clika.profile_rows";

/// The nodes whose names the locations of `ops` and of all in them bear, in order, each once.
llvm::SmallVector<mlir::StringAttr> nodesOf(llvm::ArrayRef<mlir::Operation *> ops);

class ProfileMarks {
public:
  /// Goes on with the rows that the module has.
  explicit ProfileMarks(mlir::ModuleOp module);

  bool isOn() const { return on; }
  /// Puts marks around `op`, which does `work` for `nodes`.
  void putAround(mlir::Operation *op, llvm::StringRef kernel, llvm::ArrayRef<mlir::StringAttr> nodes,
                 const WorkCount &work);
  /// Writes the rows to the module.
  void finish();

private:
  mlir::LLVM::LLVMFuncOp runtimeFunction(llvm::StringRef name, unsigned words);

  mlir::ModuleOp module;
  bool on;
  llvm::SmallVector<mlir::Attribute> rows;
};

std::vector<ProfiledKernel> profiledKernels(mlir::ModuleOp module);

} // namespace clika
