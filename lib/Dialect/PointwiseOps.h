#ifndef CLIKA_DIALECT_POINTWISEOPS_H
#define CLIKA_DIALECT_POINTWISEOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/PointwiseOps.h.inc"

#endif
