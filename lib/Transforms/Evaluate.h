// The value of a node whose operands are constants.
#ifndef CLIKA_TRANSFORMS_EVALUATE_H
#define CLIKA_TRANSFORMS_EVALUATE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace clika {

/// The results of a node whose operands are all constants, by the code that a run would use; failure, its reason in
/// `error` and no diagnostic, where it cannot be computed: its kind has no lowering, or its values are refused at run
/// time.
llvm::FailureOr<llvm::SmallVector<mlir::ElementsAttr>> evaluateOnConstants(mlir::Operation *op, std::string &error);

} // namespace clika

#endif
