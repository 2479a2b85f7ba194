#include "Dialect/ReduceOps.h"

#include "Dialect/Axes.h"
#include "Dialect/NodeRegistration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/ReduceOps.cpp.inc"

namespace clika {

void ClikaDialect::addReduceOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/ReduceOps.cpp.inc"
      >();
}

// R1: axes are in range, each named once.
static LogicalResult inferReduce(std::optional<Location> location, StringRef op, Type type, ArrayRef<int64_t> axes,
                                 bool keepdims, SmallVectorImpl<Type> &types) {
  Dims dims = dimsOf(type);
  FailureOr<SmallVector<int64_t>> reduced = readAxes(location, op, axes, dims.size());
  if (failed(reduced))
    return failure();
  types.assign(1, tensorOf(reducedDims(type.getContext(), dims, *reduced, keepdims), getElementTypeOrSelf(type)));
  return success();
}

#define CLIKA_REDUCE(Op)                                                                                               \
  LogicalResult Op::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,          \
                                     SmallVectorImpl<Type> &types) {                                                   \
    return inferReduce(location, getOperationName().drop_front(6), adaptor.getX().getType(), adaptor.getAxes(),        \
                       adaptor.getKeepdims(), types);                                                                  \
  }
CLIKA_REDUCE(ReduceSumOp)
CLIKA_REDUCE(ReduceMeanOp)
CLIKA_REDUCE(ReduceMaxOp)
CLIKA_REDUCE(ReduceMinOp)
CLIKA_REDUCE(ReduceProdOp)
CLIKA_REDUCE(ReduceL1Op)
CLIKA_REDUCE(ReduceL2Op)
CLIKA_REDUCE(ReduceLogsumexpOp)
CLIKA_REDUCE(ReduceSumsqOp)
#undef CLIKA_REDUCE

// R2: there is something to search.
static LogicalResult inferArg(std::optional<Location> location, StringRef op, Type type, std::optional<int64_t> axis,
                              bool keepdims, SmallVectorImpl<Type> &types) {
  Dims dims = dimsOf(type);
  SmallVector<int64_t> searched;
  if (axis) {
    FailureOr<int64_t> position = readAxis(location, op, *axis, dims.size());
    if (failed(position))
      return failure();
    searched.push_back(*position);
  } else {
    for (unsigned i = 0; i < dims.size(); ++i)
      searched.push_back(i);
  }
  for (int64_t i : searched)
    if (i < static_cast<int64_t>(dims.size()) && constantOf(dims[i]) == 0)
      return emitOptionalError(location, op, ": dimension ", i, " of x ", describe(dims), " has no elements");
  Dims result = reducedDims(type.getContext(), dims, searched, keepdims);
  types.assign(1, tensorOf(result, IntegerType::get(type.getContext(), 64)));
  return success();
}

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferArg(location, "argmax", adaptor.getX().getType(), adaptor.getAxis(), adaptor.getKeepdims(), types);
}

LogicalResult ArgminOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferArg(location, "argmin", adaptor.getX().getType(), adaptor.getAxis(), adaptor.getKeepdims(), types);
}

LogicalResult CumsumOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(readAxis(location, "cumsum", adaptor.getAxis(), type.getRank())))
    return failure();
  types.assign(1, type);
  return success();
}

} // namespace clika
