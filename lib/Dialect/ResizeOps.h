#ifndef CLIKA_DIALECT_RESIZEOPS_H
#define CLIKA_DIALECT_RESIZEOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/ResizeOps.h.inc"

#endif
