#include "Dialect/QuantizeOps.h"

#include "Dialect/ListSettings.h"
#include "Dialect/NodeRegistration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/QuantizeOps.cpp.inc"

namespace clika {

void ClikaDialect::addQuantizeOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/QuantizeOps.cpp.inc"
      >();
}

namespace {

// Rules of scale and zero_point that both ops share.
LogicalResult checkScale(MaybeLocation location, StringRef op, RankedTensorType x, RankedTensorType scale,
                         Value zeroPoint, int64_t axis, int64_t blockSize) {
  bool one = llvm::all_of(scale.getShape(), [](int64_t size) { return size == 1; }) && scale.getRank() <= 1;
  if (blockSize < 0)
    return emitOptionalError(location, op, ": block_size is ", blockSize, "; it must be 0 or more");
  Dims from = dimsOf(x), own = dimsOf(scale);
  if (!one || blockSize > 0) {
    FailureOr<int64_t> place = normalAxis(location, op, axis, x.getRank());
    if (failed(place))
      return failure();
    bool fits = blockSize > 0 ? own.size() == from.size() : own.size() == 1 && canMatch(own[0], from[*place]);
    for (size_t i = 0; blockSize > 0 && fits && i < own.size(); ++i)
      fits = canMatch(own[i], static_cast<int64_t>(i) == *place ? ceilDivDims(from[i], blockSize) : from[i]);
    // C1: a step for all, for each position along axis, or for each block.
    if (!fits)
      return emitOptionalError(location, op, ": scale has shape ", describe(own), ", which fits neither all of x ",
                               describe(from), " nor its axis ", *place,
                               blockSize > 0 ? " in blocks of " + std::to_string(blockSize) : std::string());
  }
  // C2: zero_point is shaped as scale.
  if (zeroPoint) {
    Dims zeros = dimsOf(zeroPoint.getType());
    bool fits = zeros.size() == own.size();
    for (size_t i = 0; fits && i < zeros.size(); ++i)
      fits = canMatch(zeros[i], own[i]);
    if (!fits)
      return emitOptionalError(location, op, ": scale has shape ", describe(own), ", zero_point ", describe(zeros),
                               "; they must be equal");
  }
  return success();
}

bool isQuantized(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer &&
         (integer.getWidth() == 8 || integer.getWidth() == 16 || (integer.getWidth() == 32 && !integer.isUnsigned()));
}

} // namespace

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto scale = cast<RankedTensorType>(adaptor.getScale().getType());
  if (failed(checkScale(location, "quantize", x, scale, adaptor.getZeroPoint(), adaptor.getAxis(),
                        adaptor.getBlockSize())))
    return failure();
  // C3: x and scale have one dtype.
  if (x.getElementType() != scale.getElementType())
    return emitOptionalError(location, "quantize: x has dtype ", dtypeName(x.getElementType()), ", scale ",
                             dtypeName(scale.getElementType()), "; cast one of them");
  Type element = IntegerType::get(context, 8, IntegerType::Unsigned);
  if (Value zero = adaptor.getZeroPoint())
    element = cast<RankedTensorType>(zero.getType()).getElementType();
  if (std::optional<Type> dtype = adaptor.getDtype()) {
    // C4: the dtype is a quantized one, and zero_point's.
    if (!isQuantized(*dtype))
      return emitOptionalError(location, "quantize: dtype ", dtypeName(*dtype),
                               " is none of int8, uint8, int16, uint16, int32");
    if (adaptor.getZeroPoint() && element != *dtype)
      return emitOptionalError(location, "quantize: dtype is ", dtypeName(*dtype), ", zero_point has ",
                               dtypeName(element));
    element = *dtype;
  }
  types.assign(1, tensorOf(dimsOf(x), element));
  return success();
}

LogicalResult DequantizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto scale = cast<RankedTensorType>(adaptor.getScale().getType());
  if (failed(checkScale(location, "dequantize", x, scale, adaptor.getZeroPoint(), adaptor.getAxis(),
                        adaptor.getBlockSize())))
    return failure();
  // C3: zero_point has x's dtype.
  if (Value zero = adaptor.getZeroPoint())
    if (cast<RankedTensorType>(zero.getType()).getElementType() != x.getElementType())
      return emitOptionalError(location, "dequantize: x has dtype ", dtypeName(x.getElementType()), ", zero_point ",
                               dtypeName(cast<RankedTensorType>(zero.getType()).getElementType()),
                               "; cast one of them");
  types.assign(1, tensorOf(dimsOf(x), scale.getElementType()));
  return success();
}

} // namespace clika
