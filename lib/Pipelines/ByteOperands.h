// Int32 tensors that are widened bytes around a zero point.
#pragma once
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace clika {

/// A number `constant`, plus `value[map]` where there is one: an int32 tensor, read at the place that `map` gives.
struct ByteOffset {
  int64_t constant = 0;
  mlir::Value value;
  mlir::AffineMap map;

  bool isZero() const { return constant == 0 && !value; }
};

/// A tensor that holds `bytes` widened to int32, minus `zero`, which `zero.map` addresses by the tensor's dimensions.
struct ByteOperand {
  mlir::Value bytes;
  bool isSigned = false;
  ByteOffset zero;
};

/// None where the tensor is not known to be widened bytes. Movement between the widening and the tensor is emitted
/// again on the bytes at the builder's insertion point; pads of zeros become pads of the zero point's byte.
std::optional<ByteOperand> byteOperandOf(mlir::OpBuilder &builder, mlir::Value tensor);

} // namespace clika
