// Op groups as functions of their own: equal groups share one, so that it is compiled once.
#pragma once
#include "Pipelines/OpGroups.h"
#include "Pipelines/ProfileMarks.h"
#include "Pipelines/WorkSplit.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace clika {

/// On a function: it is a kernel, called with buffers and scalars.
inline constexpr llvm::StringLiteral kKernelAttr = "clika.kernel";

class KernelOutliner {
public:
  /// Emits a group in place of its ops, split as it may be; says why where it cannot be, and nothing where it can.
  using Emit = llvm::function_ref<std::string(OpGroup, WorkSplit &)>;

  KernelOutliner(mlir::ModuleOp module, unsigned threads)
      : module(module), builder(module.getContext()), threads(threads), marks(module) {}

  /// Replaces the group by a call of its kernel, which `emit` fills when it is new. What `emit` says, with the group
  /// left as it was, where that refuses it.
  std::string outline(OpGroup group, Emit emit);
  /// Once all groups are outlined.
  void finish() { marks.finish(); }

private:
  struct Kernel {
    mlir::func::FuncOp function; // null: refused, and why
    std::string refusal;
    llvm::SmallVector<mlir::MemRefType> scratch; // buffers that the caller provides, after the group's own operands
  };

  Kernel makeKernel(const OpGroup &group, llvm::ArrayRef<mlir::Value> operands, OpGroup &inside);
  Kernel finish(mlir::func::FuncOp function, const WorkSplit &split);
  llvm::SmallVector<mlir::MemRefType> passScratch(mlir::func::FuncOp function);
  Kernel makeLauncher(mlir::func::FuncOp range, const WorkSplit &split);

  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  unsigned threads;
  llvm::StringMap<Kernel> kernels;
  unsigned next = 0;
  ProfileMarks marks;
};

/// Erases addressing that nothing uses, and buffers that only held what is now kept in registers.
void eraseUnused(mlir::func::FuncOp function);

} // namespace clika
