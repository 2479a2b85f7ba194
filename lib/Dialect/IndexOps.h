#ifndef CLIKA_DIALECT_INDEXOPS_H
#define CLIKA_DIALECT_INDEXOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/IndexOps.h.inc"

#endif
