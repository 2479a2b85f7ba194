// Reading chains of products and sums in any operand order, for rules that find a formula written out.
#ifndef CLIKA_TRANSFORMS_TERMS_H
#define CLIKA_TRANSFORMS_TERMS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace clika {

/// A product: a number times values. Reads through mul, div by a constant, reciprocal-free; each value of the chain but
/// the last must have no other reader, no activation and the product's own shape.
struct Product {
  double coefficient = 1.0;
  llvm::SmallVector<mlir::Value, 4> factors;
};
Product productOf(mlir::Value value);

/// One of a + b's operands as a number, and the other: the number must be constant. None for another op or alpha.
struct Shifted {
  mlir::Value value;
  double number = 0.0;
};
std::optional<Shifted> shiftedOf(mlir::Value value);

/// Whether `value`, a literal of a formula over elements of the dtype, or the product of two, stands for `number`:
/// within 0.1 % in float16 and 0.4 % in bfloat16, which round it; within 20 millionths otherwise, as six digits keep
/// it.
bool isNear(double value, double number, mlir::Type element);

} // namespace clika

#endif
