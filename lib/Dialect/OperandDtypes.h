// The dtypes that an operator takes, by the groups of its record.
#ifndef CLIKA_DIALECT_OPERANDDTYPES_H
#define CLIKA_DIALECT_OPERANDDTYPES_H

#include "Dialect/OpTable.h"
#include "mlir/IR/Types.h"

#include <string>

namespace clika {

/// What the groups of dtypes tell apart.
struct ElementKind {
  bool isFloat, isUnsigned;
  unsigned width;
};

bool takesElement(const OperandInfo &operand, ElementKind element);
/// Whether `type` is a tensor of one of the operand's dtypes.
bool takesType(const OperandInfo &operand, mlir::Type type);
/// "floating-point numbers or bools".
std::string dtypesText(const OperandInfo &operand);

} // namespace clika

#endif
