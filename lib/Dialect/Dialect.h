// The dialect `clika`, its interfaces and attributes. Ops are in the family headers (CoreOps.h, PointwiseOps.h, …).
#ifndef CLIKA_DIALECT_DIALECT_H
#define CLIKA_DIALECT_DIALECT_H

#include "Dialect/NodeIdentity.h"
#include "Dialect/Shape.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/RWMutex.h"

namespace clika {

/// Refuses attributes of a node that are neither settings nor of another dialect, and settings that are too large for
/// the type that the node computes in.
mlir::LogicalResult verifySettings(mlir::Operation *op);

} // namespace clika

#include "Dialect/ClikaDialect.h.inc"

#include "Dialect/ClikaInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/ClikaAttrs.h.inc"

namespace clika {

/// Whether `attribute` can be a Scalar setting: a bool, an i64 or an f64 attribute.
bool isScalarAttr(mlir::Attribute attribute);

} // namespace clika

#endif
