#ifndef CLIKA_DIALECT_COREOPS_H
#define CLIKA_DIALECT_COREOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/CoreOps.h.inc"

#endif
