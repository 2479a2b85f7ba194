#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace clika {

/// Which calls may compute something else each time: those of functions that hold, or call what holds, an operator with
/// effects. The module may be rewritten meanwhile, but not so that a function gains such an operator.
class CallEffects {
public:
  explicit CallEffects(mlir::ModuleOp module) : module(module) {}

  /// Whether `op` is one of the calls, or has effects itself. The first call that is asked about costs a walk over the
  /// functions.
  bool hasEffects(mlir::Operation *op);

private:
  void findFunctions();

  mlir::ModuleOp module;
  bool isKnown = false;
  /// The names of the functions.
  llvm::SetVector<mlir::StringAttr> withEffects;
};

} // namespace clika
