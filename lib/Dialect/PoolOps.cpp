#include "Dialect/PoolOps.h"

#include "Dialect/NodeRegistration.h"
#include "Dialect/Shape.h"
#include "Dialect/Window.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/PoolOps.cpp.inc"

namespace clika {

void ClikaDialect::addPoolOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/PoolOps.cpp.inc"
      >();
}

// P1: x is [batch, channels, spatial...] with one to three spatial dimensions. P2: a window of at least one element.
// P3: in the explicit mode no window lies in the padding alone.
template <typename Adaptor>
static FailureOr<RankedTensorType> inferPool(std::optional<Location> location, StringRef op, Adaptor adaptor) {
  Type type = adaptor.getX().getType();
  Dims x = dimsOf(type);
  if (x.size() < 3 || x.size() > 5)
    return emitOptionalError(location, op, ": x has ", counted(x.size(), "dimension"),
                             "; it must be [batch, channels, spatial...] with one to three spatial ones");
  unsigned rank = x.size() - 2;
  ArrayRef<int64_t> kernel = adaptor.getKernel();
  if (kernel.size() != rank)
    return emitOptionalError(location, op, ": kernel has ", counted(kernel.size(), "entry", "entries"), ", x has ",
                             counted(rank, "spatial dimension"));
  for (int64_t size : kernel)
    if (size < 1)
      return emitOptionalError(location, op, ": kernel holds ", size, "; each must be at least 1");
  FailureOr<Window> window = readWindow(location, op, rank, adaptor.getStrides(), kernel, adaptor.getPads(),
                                        adaptor.getDilations(), adaptor.getAutoPad(), adaptor.getCeilMode());
  if (failed(window))
    return failure();
  Dims result{x[0], x[1]};
  for (unsigned i = 0; i < rank; ++i) {
    int64_t reach = (kernel[i] - 1) * window->dilations[i] + 1;
    if (window->padBegin[i] >= reach || window->padEnd[i] >= reach)
      return emitOptionalError(location, op, ": pads of spatial dimension ", i, " are ", window->padBegin[i], " and ",
                               window->padEnd[i], "; each must be less than the window's reach, ", reach);
    FailureOr<Dim> count = windowCount(location, op, x[2 + i], constantDim(type.getContext(), kernel[i]), *window, i);
    if (failed(count))
      return failure();
    result.push_back(*count);
  }
  return tensorOf(result, getElementTypeOrSelf(type));
}

template <typename Adaptor>
static LogicalResult inferOnePool(std::optional<Location> location, StringRef op, Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = inferPool(location, op, adaptor);
  if (failed(type))
    return failure();
  types.assign(1, *type);
  return success();
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferOnePool(location, "max_pool", adaptor, types);
}

LogicalResult MaxPoolWithIndicesOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                     Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = inferPool(location, "max_pool_with_indices", adaptor);
  if (failed(type))
    return failure();
  types.assign({*type, tensorOf(dimsOf(*type), IntegerType::get(context, 64))});
  return success();
}

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferOnePool(location, "avg_pool", adaptor, types);
}

LogicalResult LpPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferOnePool(location, "lp_pool", adaptor, types);
}

// G1: x is [batch, channels, ...].
static LogicalResult inferGlobalPool(std::optional<Location> location, StringRef op, Type type,
                                     SmallVectorImpl<Type> &types) {
  Dims dims = dimsOf(type);
  if (dims.size() < 2)
    return emitOptionalError(location, op, ": x has ", counted(dims.size(), "dimension"),
                             "; it must be [batch, channels, spatial...]");
  for (Dim &dim : llvm::drop_begin(dims, 2))
    dim = constantDim(type.getContext(), 1);
  types.assign(1, tensorOf(dims, getElementTypeOrSelf(type)));
  return success();
}

LogicalResult GlobalMaxPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferGlobalPool(location, "global_max_pool", adaptor.getX().getType(), types);
}

LogicalResult GlobalAvgPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferGlobalPool(location, "global_avg_pool", adaptor.getX().getType(), types);
}

LogicalResult GlobalLpPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferGlobalPool(location, "global_lp_pool", adaptor.getX().getType(), types);
}

// P4: a norm has a finite order of at least 1.
static LogicalResult verifyOrder(Operation *op, double p) {
  if (p >= 1 && std::isfinite(p))
    return success();
  return op->emitOpError("p is ") << p << "; it must be a finite number of at least 1";
}

LogicalResult LpPoolOp::verify() { return verifyOrder(*this, getP().convertToDouble()); }
LogicalResult GlobalLpPoolOp::verify() { return verifyOrder(*this, getP().convertToDouble()); }

} // namespace clika
