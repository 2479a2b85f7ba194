// Constants as numbers, for the rules that compute new weights.
#ifndef CLIKA_TRANSFORMS_CONSTANTDATA_H
#define CLIKA_TRANSFORMS_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <vector>

namespace clika {

/// The elements of a float constant, each as the double that equals it; none where `value` is no such constant.
std::optional<std::vector<double>> readNumbers(mlir::Value value);
/// The constant of these numbers, each rounded to `type`'s float element type.
mlir::Value makeConstant(mlir::RewriterBase &rewriter, mlir::Location location, mlir::RankedTensorType type,
                         llvm::ArrayRef<double> numbers);

} // namespace clika

#endif
