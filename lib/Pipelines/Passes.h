// Declarations of the stages in Passes.td.
#pragma once
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace clika {

inline constexpr llvm::StringLiteral kMain = "main";
inline constexpr llvm::StringLiteral kEntry = "clika_entry";
/// On the module: the width of the target's vector registers; 64 where it is absent.
inline constexpr llvm::StringLiteral kVectorBytesAttr = "clika.vector_bytes";
/// On the module: how many threads a run may use; 1 where it is absent.
inline constexpr llvm::StringLiteral kThreadsAttr = "clika.threads";
/// On the call of a kernel that works on a range: how many of its last arguments are memory of one thread each.
inline constexpr llvm::StringLiteral kParallelAttr = "clika.parallel";
/// On the module, a unit: the target has a fused multiply-add.
inline constexpr llvm::StringLiteral kFusedMultiplyAddAttr = "clika.fused_multiply_add";
/// On the module, a text: how the target sums products of bytes best; absent: as any other numbers.
inline constexpr llvm::StringLiteral kByteDotAttr = "clika.byte_dot";
inline constexpr llvm::StringLiteral kPlannedBytesAttr = "clika.planned_bytes";

#define GEN_PASS_DECL
#include "Pipelines/Passes.h.inc"
} // namespace clika
