// Inference of slice, pad, trilu, depth_to_space and space_to_depth.
#include "Dialect/ListSettings.h"
#include "Dialect/Numbers.h"
#include "Dialect/ShapeOps.h"
#include "Dialect/ShapeValues.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace clika {
namespace {

// The elements of start:end:step in `size`; null where unknown.
Dim sliceSize(MLIRContext *context, Dim size, Dim start, Dim end, std::optional<int64_t> step) {
  std::optional<int64_t> n = constantOf(size), first = constantOf(start), last = constantOf(end);
  if (!step)
    return Dim();
  if (n && first && last) {
    int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? *n : *n - 1;
    auto clamped = [&](int64_t bound) {
      // No overflow: only negative bounds grow.
      return std::clamp(bound < 0 ? bound + *n : bound, low, high);
    };
    int64_t span = *step > 0 ? clamped(*last) - clamped(*first) : clamped(*first) - clamped(*last);
    uint64_t stride = *step > 0 ? static_cast<uint64_t>(*step) : -static_cast<uint64_t>(*step);
    return constantDim(context, span <= 0 ? 0 : 1 + (static_cast<uint64_t>(span) - 1) / stride);
  }
  if (!size || !first || *step < 1)
    return Dim();
  // A size with names: only bounds that clamp the same way whatever the names stand for.
  std::optional<int64_t> least = leastOf(size);
  if (!least || std::max(*first, -*first) > *least)
    return Dim();
  Dim begin = *first < 0 ? addDims(size, *first) : start;
  Dim stop;
  constexpr int64_t kOpenEnd = std::numeric_limits<int32_t>::max();
  if ((last && *last >= kOpenEnd) || sameDim(end, size))
    stop = size;
  else if (last && *last >= -*least && *last <= *least)
    stop = *last < 0 ? addDims(size, *last) : end;
  if (!stop)
    return Dim();
  Dim span = stop - begin;
  std::optional<int64_t> smallest = leastOf(span);
  return smallest && *smallest >= 0 ? ceilDivDims(span, *step) : Dim();
}

// Lists of one length, and the axis of each entry.
FailureOr<SmallVector<int64_t>> axesOfEntries(MaybeLocation location, StringRef op, ArrayRef<Dim> axes, size_t count,
                                              int64_t rank) {
  SmallVector<int64_t> list;
  if (axes.empty()) {
    for (size_t i = 0; i < count; ++i)
      list.push_back(i);
    if (static_cast<int64_t>(count) > rank)
      return emitOptionalError(location, op, ": ", counted(count, "entry is", "entries are"), " given for ",
                               counted(rank, "dimension"));
    return list;
  }
  if (axes.size() != count)
    return emitOptionalError(location, op, ": axes has ", counted(axes.size(), "entry", "entries"), ", ",
                             counted(count, "is", "are"), " needed");
  std::optional<SmallVector<int64_t>> known = knownIntegers(axes);
  return known ? normalAxes(location, op, *known, rank) : SmallVector<int64_t>();
}

} // namespace

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<Dims> starts =
      integerList(location, "slice", "starts", context, adaptor.getStarts(), adaptor.getStartsTensor());
  FailureOr<Dims> ends = integerList(location, "slice", "ends", context, adaptor.getEnds(), adaptor.getEndsTensor());
  FailureOr<Dims> axes = integerList(location, "slice", "axes", context, adaptor.getAxes(), adaptor.getAxesTensor());
  FailureOr<Dims> steps =
      integerList(location, "slice", "steps", context, adaptor.getSteps(), adaptor.getStepsTensor());
  if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
    return failure();
  // C1: lists of one length.
  if (starts->size() != ends->size())
    return emitOptionalError(location, "slice: starts has ", counted(starts->size(), "entry", "entries"), ", ends has ",
                             ends->size());
  if (steps->empty())
    steps->assign(starts->size(), constantDim(context, 1));
  if (steps->size() != starts->size())
    return emitOptionalError(location, "slice: steps has ", counted(steps->size(), "entry", "entries"), ", starts has ",
                             starts->size());
  FailureOr<SmallVector<int64_t>> places = axesOfEntries(location, "slice", *axes, starts->size(), type.getRank());
  if (failed(places))
    return failure();
  Dims dims = dimsOf(type);
  for (Dim step : *steps)
    // C2: steps are not 0.
    if (constantOf(step) == 0)
      return emitOptionalError(location, "slice: a step is 0");
  if (places->size() != starts->size())
    dims.assign(dims.size(), Dim());
  else
    for (auto [i, axis] : llvm::enumerate(*places))
      dims[axis] = sliceSize(context, dims[axis], (*starts)[i], (*ends)[i], constantOf((*steps)[i]));
  types.assign(1, tensorOf(dims, type.getElementType()));
  return success();
}

std::optional<Dims> SliceOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) {
  auto type = cast<RankedTensorType>(getX().getType());
  FailureOr<Dims> starts = integerList({}, "slice", "starts", getContext(), getStarts(), getStartsTensor());
  FailureOr<Dims> steps = integerList({}, "slice", "steps", getContext(), getSteps(), getStepsTensor());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!operands[0] || type.getRank() != 1 || !result.hasStaticShape() || failed(starts) || starts->size() != 1 ||
      failed(steps))
    return std::nullopt;
  std::optional<int64_t> start = constantOf((*starts)[0]), step = steps->empty() ? 1 : constantOf((*steps)[0]);
  int64_t n = operands[0]->size();
  if (!start || !step || *step == 0)
    return std::nullopt;
  int64_t at = std::clamp<int64_t>(*start < 0 ? *start + n : *start, *step > 0 ? 0 : -1, *step > 0 ? n : n - 1);
  Dims values;
  for (int64_t i = 0; i < result.getNumElements(); ++i, at += *step) {
    if (at < 0 || at >= n)
      return std::nullopt;
    values.push_back((*operands[0])[at]);
  }
  return values;
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<Dims> pads = integerList(location, "pad", "pads", context, adaptor.getPads(), adaptor.getPadsTensor());
  FailureOr<Dims> axes = integerList(location, "pad", "axes", context, adaptor.getAxes(), adaptor.getAxesTensor());
  if (failed(pads) || failed(axes))
    return failure();
  size_t count = axes->empty() ? type.getRank() : axes->size();
  // C1: two pads an axis.
  if (pads->size() != 2 * count)
    return emitOptionalError(location, "pad: pads has ", counted(pads->size(), "entry", "entries"), ", ", 2 * count,
                             " are needed: before each axis, then after each");
  FailureOr<SmallVector<int64_t>> places = axesOfEntries(location, "pad", *axes, count, type.getRank());
  if (failed(places))
    return failure();
  for (Dim pad : *pads)
    // C5: pads are sizes of tensors.
    if (std::abs(static_cast<double>(constantOf(pad).value_or(0))) >= static_cast<double>(kMostElements))
      return emitOptionalError(location, "pad: pad ", *constantOf(pad), " is larger than any tensor");
  // C2: the value is one, of x's dtype.
  if (Value value = adaptor.getValueTensor()) {
    if (adaptor.getValue())
      return emitOptionalError(location, "pad: value is given as a literal and as a tensor; give one of them");
    auto valueType = cast<RankedTensorType>(value.getType());
    if (!mayBeOneElement(value) || valueType.getElementType() != type.getElementType())
      return emitOptionalError(location, "pad: value is ", describe(value.getType()), "; it must hold one element of ",
                               dtypeName(type.getElementType()));
  }
  // C6: a literal fits the dtype.
  if (failed(checkNumber(location, "pad", "value", adaptor.getValueAttr(), type.getElementType())))
    return failure();
  Dims dims = dimsOf(type);
  if (places->size() != count) {
    dims.assign(dims.size(), Dim());
  } else {
    for (auto [i, axis] : llvm::enumerate(*places)) {
      Dim size = addDims(addDims(dims[axis], (*pads)[i]), (*pads)[i + count]);
      // C3: no less than nothing is left.
      if (constantOf(size).value_or(0) < 0)
        return emitOptionalError(location, "pad: pads take more than dimension ", axis, " of ", describe(dimsOf(type)),
                                 " has");
      // C4: other modes repeat elements that are there.
      if (adaptor.getMode() != "Constant" && constantOf(dims[axis]) == 0 && constantOf(size).value_or(0) > 0)
        return emitOptionalError(location, "pad: mode ", adaptor.getMode(), " has no element to repeat in dimension ",
                                 axis, " of ", describe(dimsOf(type)));
      dims[axis] = size;
    }
  }
  types.assign(1, tensorOf(dims, type.getElementType()));
  return checkCount(location, "pad", dims);
}

LogicalResult TriluOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  // C1: there are rows and columns.
  if (type.getRank() < 2)
    return emitOptionalError(location, "trilu: x is ", describe(type), "; it must have rank 2 or more");
  if (failed(integerScalar(location, "trilu", "k", context, adaptor.getKAttr(), adaptor.getKTensor())))
    return failure();
  types.assign(1, type);
  return success();
}

//===----------------------------------------------------------------------===//
// depth_to_space, space_to_depth
//===----------------------------------------------------------------------===//

namespace {

LogicalResult checkBlocks(MaybeLocation location, StringRef op, RankedTensorType type, int64_t block) {
  // C1: an image batch, in blocks.
  if (type.getRank() != 4)
    return emitOptionalError(location, op, ": x is ", describe(type), "; it must have rank 4");
  if (block < 1 || block > (1 << 20))
    return emitOptionalError(location, op, ": block_size is ", block, "; it must be 1 or more");
  return success();
}

// C2: whole blocks.
LogicalResult checkDivides(MaybeLocation location, StringRef op, Dim size, int64_t by, unsigned dimension) {
  std::optional<int64_t> known = constantOf(size);
  if (known && *known % by != 0)
    return emitOptionalError(location, op, ": dimension ", dimension, " has size ", *known, ", which ", by,
                             " does not divide");
  return success();
}

} // namespace

LogicalResult DepthToSpaceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t block = adaptor.getBlockSize();
  if (failed(checkBlocks(location, "depth_to_space", type, block)))
    return failure();
  Dims dims = dimsOf(type);
  if (failed(checkDivides(location, "depth_to_space", dims[1], block * block, 1)))
    return failure();
  dims[1] = exactDivDims(dims[1], constantDim(context, block * block));
  dims[2] = mulDims(dims[2], block);
  dims[3] = mulDims(dims[3], block);
  types.assign(1, tensorOf(dims, type.getElementType()));
  return success();
}

LogicalResult SpaceToDepthOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t block = adaptor.getBlockSize();
  if (failed(checkBlocks(location, "space_to_depth", type, block)))
    return failure();
  Dims dims = dimsOf(type);
  for (unsigned i : {2, 3}) {
    if (failed(checkDivides(location, "space_to_depth", dims[i], block, i)))
      return failure();
    dims[i] = exactDivDims(dims[i], constantDim(context, block));
  }
  dims[1] = mulDims(dims[1], block * block);
  types.assign(1, tensorOf(dims, type.getElementType()));
  return success();
}

} // namespace clika
