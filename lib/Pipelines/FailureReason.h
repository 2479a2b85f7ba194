// Why an operator that was computed by itself failed: its operands' values are there to be looked at, which compiled
// code has no words for.
#ifndef CLIKA_PIPELINES_FAILUREREASON_H
#define CLIKA_PIPELINES_FAILUREREASON_H

#include "mlir/IR/Operation.h"

#include <ClikaRT/tensor.h>

#include <string>

namespace clika {

/// What is wrong with `op` on `inputs`, with the sizes and indices; "" where nothing is found.
std::string failureReason(mlir::Operation *op, llvm::ArrayRef<ClikaRT::Tensor> inputs);

} // namespace clika

#endif
