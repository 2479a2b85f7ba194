// Inference of ops that make a tensor from sizes or numbers: shape, size, full, range.
#include "Dialect/ListSettings.h"
#include "Dialect/Numbers.h"
#include "Dialect/ShapeOps.h"
#include "Dialect/ShapeValues.h"
#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;

namespace clika {

//===----------------------------------------------------------------------===//
// shape, size
//===----------------------------------------------------------------------===//

namespace {

// The dimensions start:end of `rank`, clamped.
std::pair<int64_t, int64_t> dimensionSpan(int64_t rank, int64_t start, std::optional<int64_t> end) {
  auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  int64_t first = place(start);
  return {first, std::max(first, place(end.value_or(rank)))};
}

} // namespace

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  auto [first, last] = dimensionSpan(type.getRank(), adaptor.getStart(), adaptor.getEnd());
  types.assign(1, RankedTensorType::get({last - first}, IntegerType::get(context, 64)));
  return success();
}

std::optional<Dims> ShapeOfOp::resultValues(ArrayRef<std::optional<Dims>>, unsigned) {
  Dims dims = dimsOf(getX().getType());
  auto [first, last] = dimensionSpan(dims.size(), getStart(), getEnd());
  return Dims(dims.begin() + first, dims.begin() + last);
}

LogicalResult SizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.assign(1, RankedTensorType::get({}, IntegerType::get(context, 64)));
  return success();
}

std::optional<Dims> SizeOp::resultValues(ArrayRef<std::optional<Dims>>, unsigned) {
  return Dims{productOf(getContext(), dimsOf(getX().getType()))};
}

//===----------------------------------------------------------------------===//
// full
//===----------------------------------------------------------------------===//

namespace {

// The dtype a literal stands for by itself.
Type literalDtype(MLIRContext *context, Attribute literal) {
  if (isa_and_nonnull<BoolAttr>(literal))
    return IntegerType::get(context, 1);
  if (isa_and_nonnull<IntegerAttr>(literal))
    return IntegerType::get(context, 64);
  return Float32Type::get(context);
}

bool isElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth()) || integer.isSignlessInteger(1);
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

} // namespace

LogicalResult FullOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  FailureOr<Dims> shape = integerList(location, "full", "shape", context, adaptor.getShape(), adaptor.getShapeTensor());
  if (failed(shape))
    return failure();
  for (Dim dim : *shape)
    // C1: sizes are not negative.
    if (constantOf(dim).value_or(0) < 0)
      return emitOptionalError(location, "full: size ", *constantOf(dim), " is negative");
  Type element = literalDtype(context, adaptor.getValueAttr());
  if (Value value = adaptor.getValueTensor()) {
    // C2: the value is one.
    if (adaptor.getValueAttr())
      return emitOptionalError(location, "full: value is given as a literal and as a tensor; give one of them");
    if (!mayBeOneElement(value))
      return emitOptionalError(location, "full: value is ", describe(value.getType()), "; it must hold one element");
    element = cast<RankedTensorType>(value.getType()).getElementType();
  }
  if (std::optional<Type> dtype = adaptor.getDtype()) {
    // C3: a tensor's value has the dtype.
    if (!isElement(*dtype))
      return emitOptionalError(location, "full: ", dtypeName(*dtype), " is not a dtype");
    if (adaptor.getValueTensor() && *dtype != element)
      return emitOptionalError(location, "full: value has dtype ", dtypeName(element), ", the result ",
                               dtypeName(*dtype), "; cast value");
    element = *dtype;
  }
  // C4: a literal fits the dtype.
  if (failed(checkNumber(location, "full", "value", adaptor.getValueAttr(), element)))
    return failure();
  types.assign(1, tensorOf(*shape, element));
  return checkCount(location, "full", *shape);
}

std::optional<Dims> FullOp::resultValues(ArrayRef<std::optional<Dims>>, unsigned) {
  auto type = cast<RankedTensorType>(getResult().getType());
  FailureOr<Dim> value = integerScalar({}, "full", "value", getContext(), getValueAttr(), getValueTensor());
  if (!type.hasStaticShape() || failed(value) || type.getElementType().isInteger(1))
    return std::nullopt;
  return Dims(type.getNumElements(), *value);
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

namespace {

// One of start, limit and delta.
struct Bound {
  Dim integer;
  std::optional<double> number;
};

FailureOr<Bound> rangeBound(MaybeLocation location, StringRef name, Attribute literal, Value tensor, int64_t absent,
                            Type element) {
  MLIRContext *context = element.getContext();
  if (tensor) {
    // C1: a tensor bound is one number of the result's dtype.
    if (literal)
      return emitOptionalError(location, "range: ", name, " is given as a literal and as a tensor; give one of them");
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!mayBeOneElement(tensor) || type.getElementType() != element)
      return emitOptionalError(location, "range: ", name, " is ", describe(type), "; it must hold one element of ",
                               dtypeName(element));
    Bound bound;
    if (std::optional<Dims> values = shapeValues(tensor); values && values->size() == 1)
      bound.integer = values->front();
    if (std::optional<SmallVector<double>> numbers = constantNumbers(tensor); numbers && numbers->size() == 1)
      bound.number = numbers->front();
    return bound;
  }
  if (!literal)
    return Bound{constantDim(context, absent), static_cast<double>(absent)};
  // C2: a literal fits the dtype.
  if (failed(checkNumber(location, "range", name, literal, element)))
    return failure();
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat value = floatNumber(type, literal);
    bool lost;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return Bound{Dim(), value.convertToDouble()};
  }
  APInt value = *integerNumber(cast<IntegerType>(element), literal);
  bool isUnsigned = element.isUnsignedInteger();
  bool fits = !isUnsigned || value.getActiveBits() < 64;
  int64_t integer = isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
  return Bound{fits ? constantDim(context, integer) : Dim(), value.roundToDouble(!isUnsigned)};
}

// The dtype: given, the first tensor's, or what the literals call for.
Type rangeElement(MLIRContext *context, RangeOp::Adaptor adaptor) {
  if (std::optional<Type> dtype = adaptor.getDtype())
    return *dtype;
  for (Value tensor : {adaptor.getStartTensor(), adaptor.getLimitTensor(), adaptor.getDeltaTensor()})
    if (tensor)
      return cast<RankedTensorType>(tensor.getType()).getElementType();
  for (Attribute literal : {adaptor.getStartAttr(), adaptor.getLimitAttr(), adaptor.getDeltaAttr()})
    if (isa_and_nonnull<FloatAttr>(literal))
      return Float32Type::get(context);
  return IntegerType::get(context, 64);
}

Dim rangeLength(MLIRContext *context, const Bound &start, const Bound &limit, const Bound &delta, bool isFloat) {
  if (isFloat) {
    if (!start.number || !limit.number || !delta.number)
      return Dim();
    double steps = std::ceil((*limit.number - *start.number) / *delta.number);
    return steps < 9e15 ? constantDim(context, steps > 0 ? static_cast<int64_t>(steps) : 0) : Dim();
  }
  std::optional<int64_t> step = constantOf(delta.integer), first = constantOf(start.integer),
                         last = constantOf(limit.integer);
  if (!step)
    return Dim();
  if (first && last) {
    bool empty = *step > 0 ? *first >= *last : *first <= *last;
    uint64_t span = *step > 0 ? static_cast<uint64_t>(*last) - static_cast<uint64_t>(*first)
                              : static_cast<uint64_t>(*first) - static_cast<uint64_t>(*last);
    uint64_t stride = *step > 0 ? static_cast<uint64_t>(*step) : -static_cast<uint64_t>(*step);
    return constantDim(context, empty ? 0 : static_cast<int64_t>((span - 1) / stride + 1));
  }
  if (*step < 1 || !start.integer || !limit.integer)
    return Dim();
  Dim span = limit.integer - start.integer;
  std::optional<int64_t> least = leastOf(span);
  return least && *least >= 0 ? ceilDivDims(span, *step) : Dim();
}

} // namespace

LogicalResult RangeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Type element = rangeElement(context, adaptor);
  // C3: there is a limit, and numbers to count.
  if (!adaptor.getLimitTensor() && !adaptor.getLimitAttr())
    return emitOptionalError(location, "range: limit is missing");
  if (!isElement(element) || element.isInteger(1))
    return emitOptionalError(location, "range: ", dtypeName(element), " is not a dtype of numbers");
  FailureOr<Bound> start = rangeBound(location, "start", adaptor.getStartAttr(), adaptor.getStartTensor(), 0, element);
  FailureOr<Bound> limit = rangeBound(location, "limit", adaptor.getLimitAttr(), adaptor.getLimitTensor(), 0, element);
  FailureOr<Bound> delta = rangeBound(location, "delta", adaptor.getDeltaAttr(), adaptor.getDeltaTensor(), 1, element);
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  // C4: delta is not 0.
  if (delta->number == 0.0 || constantOf(delta->integer) == 0)
    return emitOptionalError(location, "range: delta is 0");
  Dim length = rangeLength(context, *start, *limit, *delta, isa<FloatType>(element));
  types.assign(1, tensorOf(length, element));
  return checkCount(location, "range", length);
}

std::optional<Dims> RangeOp::resultValues(ArrayRef<std::optional<Dims>>, unsigned) {
  auto type = cast<RankedTensorType>(getResult().getType());
  FailureOr<Bound> start = rangeBound({}, "start", getStartAttr(), getStartTensor(), 0, type.getElementType());
  FailureOr<Bound> delta = rangeBound({}, "delta", getDeltaAttr(), getDeltaTensor(), 1, type.getElementType());
  if (!type.hasStaticShape() || failed(start) || failed(delta))
    return std::nullopt;
  Dims values;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    values.push_back(addDims(start->integer, mulDims(delta->integer, i)));
  return values;
}

} // namespace clika
