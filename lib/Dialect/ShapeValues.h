// Integer tensors of few elements, such as shapes that a graph computes, as expressions of dimension names.
#ifndef CLIKA_DIALECT_SHAPEVALUES_H
#define CLIKA_DIALECT_SHAPEVALUES_H

#include "Dialect/Shape.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace clika {

/// What is known of the elements of an integer tensor, in row-major order, from the operators that compute it; entries
/// are null where nothing is known. Nothing for a tensor of another dtype, of unknown size or of many elements.
std::optional<Dims> shapeValues(mlir::Value value);

/// The elements of constant data, whatever form it has; nothing where there are more than `limit`, or where they do not
/// fit. A bool is 0 or 1.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::ElementsAttr data, int64_t limit);
std::optional<llvm::SmallVector<double>> numbersOf(mlir::ElementsAttr data, int64_t limit);
/// The elements of a constant float tensor; nothing where `value` is not a small constant.
std::optional<llvm::SmallVector<double>> constantNumbers(mlir::Value value);

/// A size that every value of `dim` reaches (dimension names stand for 0 or more); nothing where there is no such
/// bound.
std::optional<int64_t> leastOf(Dim dim);
/// numerator / denominator, where every factor of the denominator divides it; else null.
Dim divideProducts(mlir::MLIRContext *context, llvm::ArrayRef<Dim> numerator, llvm::ArrayRef<Dim> denominator);

/// Lets `shapeValues` see through pointwise ops, which must be registered.
void attachPointwiseShapeValues(mlir::MLIRContext &context);

} // namespace clika

#endif
