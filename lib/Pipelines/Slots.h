// Memory that a run keeps under a number: for tensors that leave an iteration or a branch, where their sizes are known
// only then. Code reaches it by calls of private functions without a body, which the stage plan-buffers replaces.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace clika {

/// On such a function: what it does, and the number of the slot.
///   "store"  (tensor) -> ()        keeps a copy; what was loaded before the last store stays as it is
///   "load"   (sizes) -> memref     what was stored, or all that was appended
///   "begin"  () -> ()              nothing is appended
///   "append" (tensor) -> ()        puts a copy behind what was appended before
inline constexpr llvm::StringLiteral kSlotAttr = "clika.slot";
inline constexpr llvm::StringLiteral kSlotNumberAttr = "clika.slot_number";

/// Whether `function` reaches a slot.
inline bool isSlotFunction(mlir::func::FuncOp function) { return function->hasAttr(kSlotAttr); }

} // namespace clika
