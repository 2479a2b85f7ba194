#ifndef CLIKA_DIALECT_ATTENTIONOPS_H
#define CLIKA_DIALECT_ATTENTIONOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

#define GET_OP_CLASSES
#include "Dialect/AttentionOps.h.inc"

#endif
