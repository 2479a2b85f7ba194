#ifndef CLIKA_DIALECT_REDUCEOPS_H
#define CLIKA_DIALECT_REDUCEOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/ReduceOps.h.inc"

#endif
