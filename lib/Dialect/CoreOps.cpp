#include "Dialect/CoreOps.h"

#include "Dialect/NodeRegistration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/CoreOps.cpp.inc"

namespace clika {

void ClikaDialect::addCoreOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/CoreOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

} // namespace clika
