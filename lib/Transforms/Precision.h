// Rules that one transform makes in float32 and float64, and another in half precision.
#ifndef CLIKA_TRANSFORMS_PRECISION_H
#define CLIKA_TRANSFORMS_PRECISION_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace clika {

/// Half precision rounds what operators hand on to each other, which one in their place does not: no bound holds for
/// every number, and a sum that overflowed may no longer.
enum class Precision { Full, Half };

inline bool isOf(Precision precision, mlir::Value value) {
  mlir::Type element = mlir::getElementTypeOrSelf(value.getType());
  return precision == Precision::Full ? llvm::isa<mlir::Float32Type, mlir::Float64Type>(element)
                                      : llvm::isa<mlir::Float16Type, mlir::BFloat16Type>(element);
}

/// Why a rule is not for the dtype, where `rounds` says what half precision rounds.
inline const char *refusal(Precision precision, const char *rounds) {
  return precision == Precision::Full ? rounds : "the dtype is not float16 or bfloat16";
}

/// The rules of decomposed_attention and so on for half precision, which fuse_half_precision makes.
void populateHalfAttention(mlir::RewritePatternSet &patterns);
void populateHalfBatchNorm(mlir::RewritePatternSet &patterns);
void populateHalfLinear(mlir::RewritePatternSet &patterns);
void populateHalfNorms(mlir::RewritePatternSet &patterns);
void populateHalfRotary(mlir::RewritePatternSet &patterns);
void populateHalfScales(mlir::RewritePatternSet &patterns);

} // namespace clika

#endif
