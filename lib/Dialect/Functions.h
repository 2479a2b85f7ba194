// Private functions of a graph's module, and what a call makes of their types.
#ifndef CLIKA_DIALECT_FUNCTIONS_H
#define CLIKA_DIALECT_FUNCTIONS_H

#include "Dialect/ControlOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace clika {

/// The graph's function: the public one, or where there is none the first; null in an empty module.
mlir::func::FuncOp graphFunction(mlir::ModuleOp module);
/// The private functions, in the module's order.
llvm::SmallVector<mlir::func::FuncOp> privateFunctions(mlir::ModuleOp module);
/// The function that `call` names; null where there is none.
mlir::func::FuncOp calleeOf(CallOp call);
/// The function that `op` lies in.
mlir::func::FuncOp functionAround(mlir::Operation *op);

/// What a function's dimension names stand for in one call.
using DimMap = llvm::DenseMap<mlir::AffineExpr, mlir::AffineExpr>;
/// Fills `sizes` from what a call gives to `function`; why it does not fit, or "". A name that is given an unknown size
/// stays out.
std::string fitArguments(mlir::func::FuncOp function, mlir::TypeRange given, DimMap &sizes);
/// `type` with sizes in the place of names. Names that `sizes` lacks are asked of `other`; null: the size is unknown.
mlir::Type withSizes(mlir::Type type, const DimMap &sizes, llvm::function_ref<Dim(Dim)> other);

/// Orders the functions so that each stands after those it calls, the graph last. Where that is not possible, the names
/// of those that call each other in a ring, else none.
llvm::SmallVector<llvm::StringRef> sortFunctions(mlir::ModuleOp module);
/// Why the calls of a sorted module are too many to be followed: functions that call others twice, and those again,
/// come to more operators than a machine holds. "" where they are not.
std::string problemOfCalls(mlir::ModuleOp module);
/// Whether `from` is `to`, or calls it, through others perhaps.
bool reaches(mlir::func::FuncOp from, mlir::func::FuncOp to);
/// "'a' calls 'b', which calls 'a'".
std::string ringText(llvm::ArrayRef<llvm::StringRef> ring);

} // namespace clika

#endif
