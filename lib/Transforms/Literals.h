// Literals: Scalar settings and constants read as numbers, with the sign of zero and NaN told apart, and made of them.
#ifndef CLIKA_TRANSFORMS_LITERALS_H
#define CLIKA_TRANSFORMS_LITERALS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <vector>

namespace clika {

/// The number a Scalar setting holds (an integer or bool converts exactly where a double can hold it); none for none.
std::optional<double> numberOf(mlir::Attribute scalar);
/// Whether a Scalar setting is +0.0, or the integer 0.
bool isPositiveZero(mlir::Attribute scalar);

/// The value that every element of a constant has: the constant is dense or a resource of one element or all equal.
/// Integers that a double cannot hold, and what is not constant, give none.
std::optional<double> splatOf(mlir::Value value);
/// Whether `value` is a constant whose elements all equal `number`, the sign of zero included.
bool isConstant(mlir::Value value, double number);

/// The elements of a float constant, each as the double that equals it; none where `value` is no such constant.
std::optional<std::vector<double>> readNumbers(mlir::Value value);
/// The constant of these numbers, each rounded to `type`'s float element type.
mlir::Value makeConstant(mlir::RewriterBase &rewriter, mlir::Location location, mlir::RankedTensorType type,
                         llvm::ArrayRef<double> numbers);

/// Whether what `op` moves its first operand by (a shape, repeats, axes …) is known: settings, or operands of which
/// every element is. What is not may be refused at run time.
bool movesByKnownSizes(mlir::Operation *op);

} // namespace clika

#endif
