#include "Dialect/LinearOps.h"

#include "Dialect/NodeRegistration.h"
#include "Dialect/Shape.h"
#include "Dialect/Window.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/LinearOps.cpp.inc"

namespace clika {

void ClikaDialect::addLinearOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/LinearOps.cpp.inc"
      >();
}

// L1: the operands have one dtype.
static LogicalResult sameDtypes(std::optional<Location> location, StringRef op, Type x, Type weight, Type bias) {
  Type element = getElementTypeOrSelf(x);
  for (Type other : {weight, bias})
    if (other && getElementTypeOrSelf(other) != element)
      return emitOptionalError(location, op, ": the operands have dtypes ", dtypeName(element), " and ",
                               dtypeName(getElementTypeOrSelf(other)), "; cast one of them");
  return success();
}

// L2: integers have no activation but those that compute without floats.
static LogicalResult verifyActivation(Operation *op, StringRef activation) {
  if (isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) || activation == "Identity" ||
      activation == "Relu")
    return success();
  return op->emitOpError("activation ") << activation << " needs a float dtype; integer tensors take Identity or Relu";
}

LogicalResult MatmulOp::verify() { return verifyActivation(*this, getActivation()); }
LogicalResult LinearOp::verify() { return verifyActivation(*this, getActivation()); }
LogicalResult ConvOp::verify() { return verifyActivation(*this, getActivation()); }
LogicalResult ConvTransposeOp::verify() { return verifyActivation(*this, getActivation()); }

//===----------------------------------------------------------------------===//
// matmul, linear
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type left = adaptor.getA().getType(), right = adaptor.getB().getType();
  if (failed(sameDtypes(location, "matmul", left, right, {})))
    return failure();
  Dims a = dimsOf(left), b = dimsOf(right);
  if (a.empty() || b.empty())
    return emitOptionalError(location, "matmul: ", a.empty() ? "a" : "b", " is a scalar; use mul");
  bool row = a.size() == 1, column = b.size() == 1;
  if (adaptor.getTransposeA() && !row)
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (adaptor.getTransposeB() && !column)
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  Dim inner = column ? b.back() : b[b.size() - 2];
  if (!canMatch(a.back(), inner))
    return emitOptionalError(location, "matmul: a ", describe(a), " has ", describe(a.back()), " columns, b ",
                             describe(b), " has ", describe(inner), " rows");
  ArrayRef<Dim> batchA = ArrayRef<Dim>(a).drop_back(row ? 1 : 2), batchB = ArrayRef<Dim>(b).drop_back(column ? 1 : 2);
  FailureOr<Dims> result = broadcastShapes(batchA, batchB);
  if (failed(result))
    return emitOptionalError(location, "matmul: the batch dimensions ", describe(batchA), " and ", describe(batchB),
                             " do not broadcast");
  if (!row)
    result->push_back(a[a.size() - 2]);
  if (!column)
    result->push_back(b.back());
  types.assign(1, tensorOf(*result, getElementTypeOrSelf(left)));
  return success();
}

// L3: a bias is a vector of one number per output.
static LogicalResult checkBias(std::optional<Location> location, StringRef op, Value bias, Dim outputs,
                               StringRef what) {
  if (!bias)
    return success();
  Dims dims = dimsOf(bias.getType());
  if (dims.size() != 1 || !canMatch(dims[0], outputs))
    return emitOptionalError(location, op, ": bias has shape ", describe(dims), ", the ", describe(outputs), " ", what,
                             " take one number each");
  return success();
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type type = adaptor.getX().getType();
  Value bias = adaptor.getBias();
  if (failed(sameDtypes(location, "linear", type, adaptor.getWeight().getType(), bias ? bias.getType() : Type())))
    return failure();
  Dims x = dimsOf(type), weight = dimsOf(adaptor.getWeight().getType());
  if (x.empty())
    return emitOptionalError(location, "linear: x is a scalar; its last dimension must hold the features");
  if (weight.size() != 2)
    return emitOptionalError(location, "linear: weight has shape ", describe(weight),
                             "; it must be [out features, in features]");
  if (!canMatch(x.back(), weight[1]))
    return emitOptionalError(location, "linear: x has ", describe(x.back()), " features, weight expects ",
                             describe(weight[1]));
  if (failed(checkBias(location, "linear", bias, weight[0], "out features")))
    return failure();
  x.back() = weight[0];
  types.assign(1, tensorOf(x, getElementTypeOrSelf(type)));
  return success();
}

//===----------------------------------------------------------------------===//
// conv, conv_transpose
//===----------------------------------------------------------------------===//

// C1: x is [batch, channels, spatial...] with one to three spatial dimensions, weight has its rank. C2: groups divide.
static LogicalResult checkConvOperands(std::optional<Location> location, StringRef op, ArrayRef<Dim> x,
                                       ArrayRef<Dim> weight, int64_t groups) {
  if (x.size() < 3 || x.size() > 5)
    return emitOptionalError(location, op, ": x has ", counted(x.size(), "dimension"),
                             "; it must be [batch, channels, spatial...] with one to three spatial ones");
  if (weight.size() != x.size())
    return emitOptionalError(location, op, ": weight has ", counted(weight.size(), "dimension"), ", x has ", x.size());
  if (groups < 1)
    return emitOptionalError(location, op, ": groups is ", groups, "; it must be at least 1");
  for (Dim kernel : weight.drop_front(2))
    if (constantOf(kernel) == 0)
      return emitOptionalError(location, op, ": weight has shape ", describe(weight), "; its kernel is empty");
  return success();
}

static LogicalResult checkGroups(std::optional<Location> location, StringRef op, Dim channels, StringRef what,
                                 int64_t groups) {
  if (std::optional<int64_t> count = constantOf(channels); count && *count % groups != 0)
    return emitOptionalError(location, op, ": ", counted(*count, (what + " does").str(), (what + "s do").str()),
                             " not divide into ", counted(groups, "group"));
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Type type = adaptor.getX().getType();
  Value bias = adaptor.getBias();
  int64_t groups = adaptor.getGroups();
  if (failed(sameDtypes(location, "conv", type, adaptor.getWeight().getType(), bias ? bias.getType() : Type())))
    return failure();
  Dims x = dimsOf(type), weight = dimsOf(adaptor.getWeight().getType());
  if (failed(checkConvOperands(location, "conv", x, weight, groups)) ||
      failed(checkGroups(location, "conv", x[1], "channel", groups)) ||
      failed(checkGroups(location, "conv", weight[0], "out channel", groups)))
    return failure();
  Dim channels = mulDims(weight[1], groups);
  if (!canMatch(x[1], channels))
    return emitOptionalError(location, "conv: x has ", describe(x[1]), " channels, weight expects ",
                             describe(channels));
  unsigned rank = x.size() - 2;
  SmallVector<int64_t> ones(rank, 1);
  FailureOr<Window> window = readWindow(location, "conv", rank, adaptor.getStrides(), ones, adaptor.getPads(),
                                        adaptor.getDilations(), adaptor.getAutoPad(), false);
  if (failed(window) || failed(checkBias(location, "conv", bias, weight[0], "out channels")))
    return failure();
  Dims result{x[0], weight[0]};
  for (unsigned i = 0; i < rank; ++i) {
    FailureOr<Dim> count = windowCount(location, "conv", x[2 + i], weight[2 + i], *window, i);
    if (failed(count))
      return failure();
    result.push_back(*count);
  }
  types.assign(1, tensorOf(result, getElementTypeOrSelf(type)));
  return success();
}

// C3: per spatial dimension one output_padding, one output_shape, none negative.
static LogicalResult checkSizes(std::optional<Location> location, StringRef setting, ArrayRef<int64_t> values,
                                unsigned rank) {
  if (!values.empty() && values.size() != rank)
    return emitOptionalError(location, "conv_transpose: ", setting, " has ", counted(values.size(), "entry", "entries"),
                             ", x has ", counted(rank, "spatial dimension"));
  for (int64_t value : values)
    if (value < 0)
      return emitOptionalError(location, "conv_transpose: ", setting, " holds ", value, "; each must be at least 0");
  return success();
}

static FailureOr<Dim> transposedSize(MLIRContext *context, std::optional<Location> location, Dim size, Dim kernel,
                                     const Window &window, ArrayRef<int64_t> outputPadding,
                                     ArrayRef<int64_t> outputShape, unsigned i) {
  if (!outputShape.empty())
    return constantDim(context, outputShape[i]);
  if (window.mode == PadMode::SameUpper || window.mode == PadMode::SameLower)
    return mulDims(size, window.strides[i]);
  Dim spread = mulDims(addDims(size, -1), window.strides[i]);
  int64_t change = (outputPadding.empty() ? 0 : outputPadding[i]) - window.padBegin[i] - window.padEnd[i];
  Dim result = addDims(addDims(spread, windowReach(kernel, window.dilations[i])), change);
  if (std::optional<int64_t> count = constantOf(result); count && *count < 0)
    return emitOptionalError(location, "conv_transpose: pads leave nothing of spatial dimension ", i);
  return result;
}

LogicalResult ConvTransposeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Type type = adaptor.getX().getType();
  Value bias = adaptor.getBias();
  int64_t groups = adaptor.getGroups();
  if (failed(
          sameDtypes(location, "conv_transpose", type, adaptor.getWeight().getType(), bias ? bias.getType() : Type())))
    return failure();
  Dims x = dimsOf(type), weight = dimsOf(adaptor.getWeight().getType());
  if (failed(checkConvOperands(location, "conv_transpose", x, weight, groups)) ||
      failed(checkGroups(location, "conv_transpose", x[1], "channel", groups)))
    return failure();
  if (!canMatch(x[1], weight[0]))
    return emitOptionalError(location, "conv_transpose: x has ", describe(x[1]), " channels, weight expects ",
                             describe(weight[0]));
  unsigned rank = x.size() - 2;
  SmallVector<int64_t> ones(rank, 1);
  FailureOr<Window> window = readWindow(location, "conv_transpose", rank, adaptor.getStrides(), ones, adaptor.getPads(),
                                        adaptor.getDilations(), adaptor.getAutoPad(), false);
  Dim outputs = mulDims(weight[1], groups);
  if (failed(window) || failed(checkBias(location, "conv_transpose", bias, outputs, "out channels")) ||
      failed(checkSizes(location, "output_padding", adaptor.getOutputPadding(), rank)) ||
      failed(checkSizes(location, "output_shape", adaptor.getOutputShape(), rank)))
    return failure();
  Dims result{x[0], outputs};
  for (unsigned i = 0; i < rank; ++i) {
    FailureOr<Dim> size = transposedSize(context, location, x[2 + i], weight[2 + i], *window,
                                         adaptor.getOutputPadding(), adaptor.getOutputShape(), i);
    if (failed(size))
      return failure();
    result.push_back(*size);
  }
  types.assign(1, tensorOf(result, getElementTypeOrSelf(type)));
  return success();
}

} // namespace clika
