#ifndef CLIKA_DIALECT_RECURRENTOPS_H
#define CLIKA_DIALECT_RECURRENTOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/RecurrentOps.h.inc"

namespace clika {

/// A function of a recurrent cell, with what it takes: the numbers given, or their defaults.
struct CellFunction {
  llvm::StringRef name;
  double alpha, beta;
};

/// `name` with its numbers, null where they are not given; none where one that it needs is missing.
std::optional<CellFunction> cellFunction(llvm::StringRef name, mlir::Attribute alpha, mlir::Attribute beta);

} // namespace clika

#endif
