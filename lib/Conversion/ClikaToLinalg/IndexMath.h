// Sizes and positions in the lowering: constants where they are known, values where they are not.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_INDEXMATH_H
#define CLIKA_CONVERSION_CLIKATOLINALG_INDEXMATH_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace clika {

/// An index, or a truth value (an i1 value; the constants 0 and 1).
using Index = mlir::OpFoldResult;
using Indices = llvm::SmallVector<Index>;

/// Arithmetic on indices that folds constants.
class IndexMath {
public:
  explicit IndexMath(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  Index constant(int64_t value) { return b.getIndexAttr(value); }
  static std::optional<int64_t> known(Index index) { return mlir::getConstantIntValue(index); }
  /// As a value of type index.
  mlir::Value value(Index index);
  llvm::SmallVector<mlir::Value> values(llvm::ArrayRef<Index> list);
  /// As a value of type i1.
  mlir::Value truth(Index condition);

  Index add(Index x, Index y);
  Index sub(Index x, Index y);
  Index mul(Index x, Index y);
  Index min(Index x, Index y);
  Index max(Index x, Index y);
  /// x / y and x mod y for x >= 0, y > 0; the quotient rounded up; the remainder for any x, from 0 on.
  Index div(Index x, Index y);
  Index mod(Index x, Index y);
  Index ceilDiv(Index x, Index y);
  Index floorMod(Index x, Index y);
  Index product(llvm::ArrayRef<Index> list);

  Index equal(Index x, Index y);
  Index less(Index x, Index y);
  Index atLeast(Index x, Index y) { return negated(less(x, y)); }
  Index both(Index x, Index y);
  Index either(Index x, Index y);
  Index negated(Index condition);
  Index select(Index condition, Index x, Index y);

  /// x held between low and high.
  Index clamp(Index x, Index low, Index high) { return min(max(x, low), high); }
  /// A position counted from the end of `size` where negative.
  Index fromEnd(Index x, Index size) { return select(less(x, constant(0)), add(x, size), x); }

private:
  mlir::ImplicitLocOpBuilder &b;
};

/// The sizes of a tensor.
Indices sizesOf(mlir::ImplicitLocOpBuilder &builder, mlir::Value tensor);

} // namespace clika

#endif
