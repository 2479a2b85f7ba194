// The lowering of `if` and `loop`, in three steps around that of the operators in their regions.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_CONTROL_H
#define CLIKA_CONVERSION_CLIKATOLINALG_CONTROL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace clika {

/// While types still name sizes: notes on each loop which sizes of its carried values are to be checked, and lets it
/// carry those that what it keeps has before the first iteration.
void noteLoopSizes(mlir::ModuleOp module);
/// Lets control flow stay, over lowered types.
void keepControl(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns, mlir::ConversionTarget &target);
/// Lowers control flow over lowered types to scf.
void lowerControl(mlir::ModuleOp module);

} // namespace clika

#endif
