// The value of a node whose operands are constants.
#ifndef CLIKA_TRANSFORMS_EVALUATE_H
#define CLIKA_TRANSFORMS_EVALUATE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <ClikaRT/tensor.h>
#include <optional>
#include <string>

namespace clika {

/// The results of a node whose operands are all constants, by the code that a run would use; failure, its reason in
/// `error` and no diagnostic, where it cannot be computed: its kind has no lowering, or its values are refused at run
/// time.
llvm::FailureOr<llvm::SmallVector<mlir::ElementsAttr>> evaluateOnConstants(mlir::Operation *op, std::string &error);

/// Bytes of a static tensor; none for another type.
std::optional<int64_t> bytesOfType(mlir::Type type);

/// The elements of a shape computation (one result of static shape, int64), where every one is known.
std::optional<llvm::SmallVector<int64_t>> knownSizes(mlir::Operation *op);

/// What `value` comes to, where constants and known sizes alone decide it. None where they do not, where a result on
/// the way takes more than `limit` bytes, or where an operator cannot be computed.
std::optional<ClikaRT::Tensor> foldedValue(mlir::Value value, int64_t limit);

} // namespace clika

#endif
