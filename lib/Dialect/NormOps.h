#ifndef CLIKA_DIALECT_NORMOPS_H
#define CLIKA_DIALECT_NORMOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/NormOps.h.inc"

#endif
