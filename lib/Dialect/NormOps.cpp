#include "Dialect/NormOps.h"

#include "Dialect/Axes.h"
#include "Dialect/NodeRegistration.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/NormOps.cpp.inc"

namespace clika {

void ClikaDialect::addNormOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/NormOps.cpp.inc"
      >();
}

// N1: the operands have one dtype.
static LogicalResult sameDtypes(std::optional<Location> location, StringRef op, ValueRange operands) {
  Type element = getElementTypeOrSelf(operands[0].getType());
  for (Value operand : operands.drop_front())
    if (getElementTypeOrSelf(operand.getType()) != element)
      return emitOptionalError(location, op, ": the operands have dtypes ", dtypeName(element), " and ",
                               dtypeName(getElementTypeOrSelf(operand.getType())), "; cast one of them");
  return success();
}

// N2: a per-channel operand is a vector of as many numbers as x has channels.
static LogicalResult checkPerChannel(std::optional<Location> location, StringRef op, StringRef name, Value operand,
                                     Dim channels) {
  if (!operand)
    return success();
  Dims dims = dimsOf(operand.getType());
  if (dims.size() != 1 || !canMatch(dims[0], channels))
    return emitOptionalError(location, op, ": ", name, " has shape ", describe(dims), ", x has ", describe(channels),
                             " channels and takes one number each");
  return success();
}

// N3: x has a dimension of channels, its second.
static LogicalResult checkChannels(std::optional<Location> location, StringRef op, ArrayRef<Dim> x) {
  if (x.size() >= 2)
    return success();
  return emitOptionalError(location, op, ": x has ", counted(x.size(), "dimension"),
                           "; it must be [batch, channels, ...]");
}

// N4: scale and bias broadcast to x's shape and do not extend it.
static LogicalResult checkBroadcastTo(std::optional<Location> location, StringRef op, StringRef name, Value operand,
                                      ArrayRef<Dim> x) {
  if (!operand)
    return success();
  Dims dims = dimsOf(operand.getType());
  bool fits = dims.size() <= x.size();
  for (unsigned i = 0; fits && i < dims.size(); ++i)
    fits = constantOf(dims[i]) == 1 || canMatch(dims[i], x[x.size() - dims.size() + i]);
  if (fits)
    return success();
  return emitOptionalError(location, op, ": ", name, " ", describe(dims), " does not broadcast to x's shape ",
                           describe(x));
}

static LogicalResult sameAsInput(Type type, SmallVectorImpl<Type> &types) {
  types.assign(1, type);
  return success();
}

static LogicalResult inferSoftmax(std::optional<Location> location, StringRef op, Value x, int64_t axis,
                                  SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(x.getType());
  if (failed(readAxis(location, op, axis, type.getRank())))
    return failure();
  return sameAsInput(type, types);
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferSoftmax(location, "softmax", adaptor.getX(), adaptor.getAxis(), types);
}

LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferSoftmax(location, "log_softmax", adaptor.getX(), adaptor.getAxis(), types);
}

LogicalResult BatchNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef op = "batch_norm";
  Dims x = dimsOf(adaptor.getX().getType());
  if (failed(sameDtypes(location, op, adaptor.getOperands())) || failed(checkChannels(location, op, x)) ||
      failed(checkPerChannel(location, op, "mean", adaptor.getMean(), x[1])) ||
      failed(checkPerChannel(location, op, "variance", adaptor.getVariance(), x[1])) ||
      failed(checkPerChannel(location, op, "scale", adaptor.getScale(), x[1])) ||
      failed(checkPerChannel(location, op, "bias", adaptor.getBias(), x[1])))
    return failure();
  return sameAsInput(adaptor.getX().getType(), types);
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef op = "layer_norm";
  Dims x = dimsOf(adaptor.getX().getType());
  if (failed(sameDtypes(location, op, adaptor.getOperands())) ||
      failed(readAxis(location, op, adaptor.getAxis(), x.size())) ||
      failed(checkBroadcastTo(location, op, "scale", adaptor.getScale(), x)) ||
      failed(checkBroadcastTo(location, op, "bias", adaptor.getBias(), x)))
    return failure();
  return sameAsInput(adaptor.getX().getType(), types);
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  StringRef op = "rms_norm";
  Dims x = dimsOf(adaptor.getX().getType());
  if (failed(sameDtypes(location, op, adaptor.getOperands())) ||
      failed(readAxis(location, op, adaptor.getAxis(), x.size())) ||
      failed(checkBroadcastTo(location, op, "scale", adaptor.getScale(), x)))
    return failure();
  return sameAsInput(adaptor.getX().getType(), types);
}

LogicalResult GroupNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef op = "group_norm";
  Dims x = dimsOf(adaptor.getX().getType());
  if (failed(sameDtypes(location, op, adaptor.getOperands())) || failed(checkChannels(location, op, x)))
    return failure();
  int64_t groups = adaptor.getGroups();
  if (groups < 1)
    return emitOptionalError(location, op, ": groups is ", groups, "; it must be at least 1");
  if (std::optional<int64_t> channels = constantOf(x[1]); channels && *channels % groups != 0)
    return emitOptionalError(location, op, ": ", counted(*channels, "channel does", "channels do"), " not divide into ",
                             counted(groups, "group"));
  if (failed(checkPerChannel(location, op, "scale", adaptor.getScale(), x[1])) ||
      failed(checkPerChannel(location, op, "bias", adaptor.getBias(), x[1])))
    return failure();
  return sameAsInput(adaptor.getX().getType(), types);
}

LogicalResult InstanceNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  StringRef op = "instance_norm";
  Dims x = dimsOf(adaptor.getX().getType());
  if (failed(sameDtypes(location, op, adaptor.getOperands())) || failed(checkChannels(location, op, x)) ||
      failed(checkPerChannel(location, op, "scale", adaptor.getScale(), x[1])) ||
      failed(checkPerChannel(location, op, "bias", adaptor.getBias(), x[1])))
    return failure();
  return sameAsInput(adaptor.getX().getType(), types);
}

LogicalResult LrnOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Dims x = dimsOf(adaptor.getX().getType());
  if (failed(checkChannels(location, "lrn", x)))
    return failure();
  if (static_cast<int64_t>(adaptor.getSize()) < 1)
    return emitOptionalError(location, "lrn: size is ", static_cast<int64_t>(adaptor.getSize()),
                             "; it must be at least 1");
  return sameAsInput(adaptor.getX().getType(), types);
}

} // namespace clika
