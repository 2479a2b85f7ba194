// Products of numbers that dequantize makes of bytes.
#ifndef CLIKA_DIALECT_BYTEPRODUCT_H
#define CLIKA_DIALECT_BYTEPRODUCT_H

#include "Dialect/QuantizeOps.h"

#include <optional>

namespace clika {

/// The operands of a product that is computed of the bytes: sums of integers are exact, and one factor a result makes
/// numbers of them.
struct ByteProduct {
  DequantizeOp left, right;
};

/// Of a conv, matmul or linear in float32 both of whose operands are dequantized bytes: the left with one step for all,
/// the right, of two dimensions in a matmul, with one for all or for each of what it makes. None where a sum of so many
/// might not fit into int32.
std::optional<ByteProduct> byteProductOf(mlir::Operation *op);

} // namespace clika

#endif
