// Large constants of `main` as further arguments, so that their data never passes through LLVM.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>
#include <vector>

namespace clika {

struct HoistedConstants {
  std::vector<const void *> data; // of the arguments that were added, in order
  std::shared_ptr<void> owner;    // of copies made; null when there are none
};

/// Adds an argument to `main` for each of its large dense constants. The data is used where it lies when
/// `dataOutlivesProgram`, else copied once.
HoistedConstants hoistConstants(mlir::func::FuncOp main, bool dataOutlivesProgram);

} // namespace clika
