#ifndef CLIKA_DIALECT_QUANTIZEOPS_H
#define CLIKA_DIALECT_QUANTIZEOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/QuantizeOps.h.inc"

#endif
