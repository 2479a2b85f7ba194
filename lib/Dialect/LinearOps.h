#ifndef CLIKA_DIALECT_LINEAROPS_H
#define CLIKA_DIALECT_LINEAROPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/LinearOps.h.inc"

#endif
