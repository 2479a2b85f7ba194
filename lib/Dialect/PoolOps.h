#ifndef CLIKA_DIALECT_POOLOPS_H
#define CLIKA_DIALECT_POOLOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/PoolOps.h.inc"

#endif
