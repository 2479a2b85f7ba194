#include "Dialect/PointwiseOps.h"

#include "Dialect/Shape.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/PointwiseOps.cpp.inc"

namespace clika {

void ClikaDialect::addPointwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "Dialect/PointwiseOps.cpp.inc"
      >();
}

LogicalResult ClampOp::verify() {
  if ((getMin() && getMinTensor()) || (getMax() && getMaxTensor()))
    return emitOpError("takes a bound as a literal or as a tensor, not both");
  return success();
}

} // namespace clika
