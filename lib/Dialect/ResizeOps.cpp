#include "Dialect/ResizeOps.h"

#include "Dialect/ListSettings.h"
#include "Dialect/NodeRegistration.h"
#include "Dialect/Numbers.h"
#include "Dialect/ShapeValues.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include <cmath>

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/ResizeOps.cpp.inc"

namespace clika {

void ClikaDialect::addResizeOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/ResizeOps.cpp.inc"
      >();
}

namespace {

// floor(size * scale), the product rounded to float32.
Dim scaledSize(MLIRContext *context, Dim size, double scale) {
  if (std::optional<int64_t> known = constantOf(size)) {
    float scaled = std::floor(static_cast<float>(*known) * static_cast<float>(scale));
    bool fits = scaled <= static_cast<float>(kMostElements);
    return constantDim(context, fits ? static_cast<int64_t>(scaled) : std::numeric_limits<int64_t>::max());
  }
  double whole = std::round(scale), inverse = std::round(1.0 / scale);
  if (scale == whole)
    return mulDims(size, static_cast<int64_t>(whole));
  if (scale < 1.0 && scale * inverse == 1.0)
    return floorDivDims(size, static_cast<int64_t>(inverse));
  return Dim();
}

// The sizes that keep the aspect ratio within, or around, `sizes`: half up of size * ratio, for the ratio of one axis.
void keepAspect(MLIRContext *context, StringRef policy, ArrayRef<Dim> from, ArrayRef<int64_t> axes, Dims &sizes) {
  int64_t want = 0, have = 0;
  bool known = true;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    std::optional<int64_t> own = constantOf(from[axis]), wished = constantOf(size);
    known &= own && wished && *own > 0;
    if (!known)
      break;
    bool smaller = *wished * have<want * * own, larger = *wished * have> want * *own;
    if (have == 0 || (policy == "NotLarger" ? smaller : larger)) {
      want = *wished;
      have = *own;
    }
  }
  for (auto [axis, size] : llvm::zip(axes, sizes))
    size = known ? constantDim(context, (2 * *constantOf(from[axis]) * want + have) / (2 * have)) : Dim();
}

LogicalResult checkList(MaybeLocation location, StringRef name, Value tensor, size_t count) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1 && (type.isDynamicDim(0) || type.getDimSize(0) == static_cast<int64_t>(count)))
    return success();
  return emitOptionalError(location, "resize: ", name, " is ", describe(type), "; it must be a 1-d tensor of ",
                           counted(count, "entry", "entries"));
}

} // namespace

LogicalResult ResizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<SmallVector<int64_t>> axes = normalAxes(location, "resize", adaptor.getAxes(), type.getRank());
  FailureOr<Dims> sizes =
      integerList(location, "resize", "sizes", context, adaptor.getSizes(), adaptor.getSizesTensor());
  if (failed(axes) || failed(sizes))
    return failure();
  if (axes->empty())
    for (int64_t i = 0; i < type.getRank(); ++i)
      axes->push_back(i);
  bool bySizes = !adaptor.getSizes().empty() || adaptor.getSizesTensor();
  // C1: sizes or scales say how large the result is.
  if (bySizes == static_cast<bool>(adaptor.getScales()))
    return emitOptionalError(location, "resize: give sizes or scales, one of the two");
  if (bySizes && sizes->size() != axes->size())
    return emitOptionalError(location, "resize: sizes has ", counted(sizes->size(), "entry", "entries"), " for ",
                             counted(axes->size(), "axis", "axes"));
  if (adaptor.getScales() && failed(checkList(location, "scales", adaptor.getScales(), axes->size())))
    return failure();
  // C2: TfCropAndResize has its region.
  bool crops = adaptor.getCoordinateTransformationMode() == "TfCropAndResize";
  if (crops && !adaptor.getRoi())
    return emitOptionalError(location, "resize: TfCropAndResize needs roi");
  if (adaptor.getRoi() && crops && failed(checkList(location, "roi", adaptor.getRoi(), 2 * axes->size())))
    return failure();
  if (failed(checkNumber(location, "resize", "extrapolation_value", adaptor.getExtrapolationValueAttr(),
                         type.getElementType())))
    return failure();
  Dims from = dimsOf(type), dims = from;
  if (bySizes && adaptor.getKeepAspectRatioPolicy() != "Stretch")
    keepAspect(context, adaptor.getKeepAspectRatioPolicy(), from, *axes, *sizes);
  std::optional<SmallVector<double>> scales = constantNumbers(adaptor.getScales());
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    // C3: scales are positive.
    if (scales && !((*scales)[i] > 0.0 && std::isfinite((*scales)[i])))
      return emitOptionalError(location, "resize: the scale of axis ", axis, " is ", (*scales)[i],
                               "; it must be a positive number");
    Dim size = bySizes ? (*sizes)[i] : scales ? scaledSize(context, from[axis], (*scales)[i]) : Dim();
    std::optional<int64_t> known = constantOf(size);
    // C4: sizes are not negative, and something can only be sampled from something.
    if (known && (*known < 0 || (*known > 0 && constantOf(from[axis]) == 0)))
      return emitOptionalError(location, "resize: axis ", axis, " of size ", describe(from[axis]),
                               " cannot be resized to ", *known);
    dims[axis] = size;
  }
  types.assign(1, tensorOf(dims, type.getElementType()));
  return checkCount(location, "resize", dims);
}

} // namespace clika
