// Products of dequantized bytes: of integers, and made numbers at the end.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_DEQUANTIZEDSUMS_H
#define CLIKA_CONVERSION_CLIKATOLINALG_DEQUANTIZEDSUMS_H

#include "Conversion/ClikaToLinalg/TensorBuilder.h"
#include "Dialect/ByteProduct.h"
#include "mlir/Transforms/DialectConversion.h"

namespace clika {

/// What a product is lowered with: its own operands and the type that they are summed in, or the integers that they
/// were made of, and what makes numbers of their sums.
class ProductOperands {
public:
  /// `left` and `right` are the lowered operands of `t`'s op.
  ProductOperands(TensorBuilder &t, mlir::ConversionPatternRewriter &rewriter, mlir::Value left, mlir::Value right);

  mlir::Value left, right;
  /// As the dialect has it.
  mlir::Type element;
  /// Sums of the products as numbers; along dimension `along` they are of one element of `right` each.
  mlir::Value numbers(mlir::Value sums, unsigned along);

private:
  TensorBuilder &t;
  std::optional<ByteProduct> bytes;
  /// The lowered steps of both.
  mlir::Value leftScale, rightScale;
};

} // namespace clika

#endif
