// Reading sums and products of one value as a polynomial of it, however they are written.
#ifndef CLIKA_TRANSFORMS_POLYNOMIALS_H
#define CLIKA_TRANSFORMS_POLYNOMIALS_H

#include "mlir/IR/Value.h"
#include <array>
#include <optional>

namespace clika {

/// The coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

/// plain + times * function, of a value x.
struct Gated {
  Polynomial plain{}, times{};
};

/// `value` as polynomials of x, and of x times `function` (null: none is looked for). Reads through add, sub, mul, neg,
/// pow to the power of 2 or 3, and div by a constant, in any order and of any shapes; no value but `value` and x may
/// have another reader, none an activation. None for a longer formula.
std::optional<Gated> gatedOf(mlir::Value value, mlir::Value x, mlir::Value function);
std::optional<Polynomial> polynomialOf(mlir::Value value, mlir::Value x);

/// The first value that such a formula reads and that is not read by it alone, or is none of these operators' results:
/// what `gatedOf` may take for x, or for the function. Null where there is none.
mlir::Value leafOf(mlir::Value value, llvm::function_ref<bool(mlir::Value)> wanted);

} // namespace clika

#endif
