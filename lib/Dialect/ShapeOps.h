#ifndef CLIKA_DIALECT_SHAPEOPS_H
#define CLIKA_DIALECT_SHAPEOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/ShapeOps.h.inc"

#endif
