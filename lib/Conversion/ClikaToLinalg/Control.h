// The lowering of `if` and `loop`, in three steps around that of the operators in their regions.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_CONTROL_H
#define CLIKA_CONVERSION_CLIKATOLINALG_CONTROL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace clika {

/// On a loop: pairs of a carried value and a dimension of it that the body may not change.
inline constexpr llvm::StringLiteral kFixedSizesAttr = "clika.fixed_sizes";

/// On a loop: of a stacked value, a dimension of one iteration's, and the carried value that holds its size.
inline constexpr llvm::StringLiteral kKeptSizesAttr = "clika.kept_sizes";

/// While types still name sizes: notes on each loop which sizes of its carried values are to be checked, and lets it
/// carry those that what it keeps has before the first iteration.
void noteLoopSizes(mlir::ModuleOp module);
/// Lets control flow stay, over lowered types.
void keepControl(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns, mlir::ConversionTarget &target);
/// Lowers control flow over lowered types to scf.
void lowerControl(mlir::ModuleOp module);

} // namespace clika

#endif
