// Settings that are a number of a tensor's dtype.
#ifndef CLIKA_DIALECT_NUMBERS_H
#define CLIKA_DIALECT_NUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace clika {

/// Refuses a number (a bool, an i64 or an f64; null passes) that a tensor of `element` does not hold: one out of its
/// range, or that is not whole among integers. The error begins with `op`, and names the setting and the number.
mlir::LogicalResult checkNumber(std::optional<mlir::Location> location, llvm::StringRef op, llvm::StringRef setting,
                                mlir::Attribute number, mlir::Type element);

/// The integer of `type`; none where `type` does not hold it.
std::optional<llvm::APInt> integerNumber(mlir::IntegerType type, mlir::Attribute number);
/// The nearest float of `type`.
llvm::APFloat floatNumber(mlir::FloatType type, mlir::Attribute number);

} // namespace clika

#endif
