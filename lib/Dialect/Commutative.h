// Ops whose operands may change places.
#ifndef CLIKA_DIALECT_COMMUTATIVE_H
#define CLIKA_DIALECT_COMMUTATIVE_H

#include "mlir/IR/OpDefinition.h"

namespace clika {

/// Of ops whose two operands may change places; where they have an alpha, if that is 1.
template <class ConcreteOp>
class OperandsCommute : public mlir::OpTrait::TraitBase<ConcreteOp, OperandsCommute> {};

/// Whether the operands of `op`, with the settings that it has, may change places.
bool isCommutative(mlir::Operation *op);

} // namespace clika

#endif
