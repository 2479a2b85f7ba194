// Integer arithmetic that never traps, on signless scalars.
#ifndef CLIKA_DIALECT_POINTWISEINTEGERS_H
#define CLIKA_DIALECT_POINTWISEINTEGERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace clika {

struct Division {
  mlir::Value quotient, remainder;
};

// By zero both are 0; the smallest integer by -1 wraps.
Division divideTruncated(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y, bool isUnsigned);
Division divideFloored(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y, bool isUnsigned);

/// x^y, wrapping; a negative power is 1 / x^-y truncated, 0 where x is 0.
mlir::Value integerPower(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y, bool isUnsigned);

// A shift by the width or more, or by a negative number, leaves 0, or the sign where x is signed and moves right.
mlir::Value shiftLeft(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y);
mlir::Value shiftRight(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y, bool isUnsigned);

} // namespace clika

#endif
