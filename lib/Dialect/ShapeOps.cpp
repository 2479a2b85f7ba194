// Inference of ops that rearrange a tensor: reshape, transpose, concat, split, squeeze, unsqueeze, expand, tile, flip.
#include "Dialect/ShapeOps.h"

#include "Dialect/ListSettings.h"
#include "Dialect/NodeRegistration.h"
#include "Dialect/ShapeValues.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/ShapeOps.cpp.inc"

namespace clika {

void ClikaDialect::addShapeOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/ShapeOps.cpp.inc"
      >();
  attachPointwiseShapeValues(*getContext());
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

namespace {

std::optional<int64_t> knownProduct(ArrayRef<Dim> dims) {
  int64_t product = 1;
  for (Dim dim : dims) {
    std::optional<int64_t> size = constantOf(dim);
    if (!size || llvm::MulOverflow(product, *size, product))
      return std::nullopt;
  }
  return product;
}

} // namespace

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  Dims from = dimsOf(type);
  FailureOr<Dims> target =
      integerList(location, "reshape", "shape", context, adaptor.getShape(), adaptor.getShapeTensor());
  if (failed(target))
    return failure();
  Dims to = *target;
  SmallVector<bool> copied(to.size(), false);
  std::optional<unsigned> hole;
  bool unsure = false;
  for (auto [i, dim] : llvm::enumerate(to)) {
    std::optional<int64_t> size = constantOf(dim);
    unsure |= !dim;
    // C1: one -1 at most, and no other negative size.
    if (size && *size < -1)
      return emitOptionalError(location, "reshape: size ", *size, " is negative; only -1, for one dimension, may be");
    if (size == -1 && hole)
      return emitOptionalError(location, "reshape: ", describe(*target),
                               " has -1 twice; only one size can be left out");
    if (size == -1)
      hole = i;
    // C2: a 0 copies a dimension that x has.
    if (size == 0 && !adaptor.getAllowZero()) {
      if (i >= from.size())
        return emitOptionalError(location, "reshape: size 0 at ", i, " copies a dimension that ", describe(from),
                                 " does not have");
      to[i] = from[i];
      copied[i] = true;
    }
  }
  if (hole) {
    // What is copied stands on both sides, so that 0 elements divide as well.
    Dims above, below;
    for (auto [i, dim] : llvm::enumerate(from))
      if (i >= copied.size() || !copied[i])
        above.push_back(dim);
    for (auto [i, dim] : llvm::enumerate(to))
      if (i != *hole && !copied[i])
        below.push_back(dim);
    std::optional<int64_t> have = knownProduct(above), known = knownProduct(below);
    // C3: what -1 stands for is a whole number.
    if (known == 0)
      return emitOptionalError(location, "reshape: -1 cannot be found beside a size of 0");
    if (have && known && *have % *known != 0)
      return emitOptionalError(location, "reshape: ", describe(from), " does not divide into ", describe(*target));
    to[*hole] = divideProducts(context, above, below);
  } else if (!unsure) {
    std::optional<int64_t> have = knownProduct(from), want = knownProduct(to);
    // C4: the number of elements stays.
    if (have && want && *have != *want)
      return emitOptionalError(location, "reshape: ", describe(from), " has ", counted(*have, "element"), ", ",
                               describe(to), " has ", *want);
  }
  types.assign(1, tensorOf(to, type.getElementType()));
  return checkCount(location, "reshape", to);
}

std::optional<Dims> ReshapeOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) { return operands[0]; }

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  Dims from = dimsOf(type), to;
  ArrayRef<int64_t> perm = adaptor.getPerm();
  // C1: perm names each dimension once.
  if (!perm.empty() && static_cast<int64_t>(perm.size()) != type.getRank())
    return emitOptionalError(location, "transpose: perm has ", counted(perm.size(), "entry", "entries"), " for ",
                             counted(type.getRank(), "dimension"));
  FailureOr<SmallVector<int64_t>> order = normalAxes(location, "transpose", perm, type.getRank());
  if (failed(order))
    return failure();
  for (int64_t i = 0; i < type.getRank(); ++i)
    to.push_back(from[perm.empty() ? type.getRank() - 1 - i : (*order)[i]]);
  types.assign(1, tensorOf(to, type.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// concat, split
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  // C1: there is a tensor to join.
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "concat: no tensors are given; give at least one");
  auto first = cast<RankedTensorType>(adaptor.getInputs()[0].getType());
  FailureOr<int64_t> axis = normalAxis(location, "concat", adaptor.getAxis(), first.getRank());
  if (failed(axis))
    return failure();
  Dims dims = dimsOf(first);
  for (auto [k, input] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    auto type = cast<RankedTensorType>(input.getType());
    // C2: one dtype.
    if (type.getElementType() != first.getElementType())
      return emitOptionalError(location, "concat: the tensors have dtypes ", dtypeName(first.getElementType()), " and ",
                               dtypeName(type.getElementType()), "; cast one of them");
    Dims own = dimsOf(type);
    bool fits = own.size() == dims.size();
    for (size_t i = 0; fits && i < own.size(); ++i) {
      fits = static_cast<int64_t>(i) == *axis || canMatch(dims[i], own[i]);
      dims[i] = static_cast<int64_t>(i) == *axis ? addDims(dims[i], own[i]) : refine(dims[i], own[i]);
    }
    // C3: one shape but for axis.
    if (!fits)
      return emitOptionalError(location, "concat: tensor ", k + 1, " of shape ", describe(own),
                               " does not fit tensor 0 of ", describe(dimsOf(first)), " outside axis ", *axis);
  }
  types.assign(1, tensorOf(dims, first.getElementType()));
  return success();
}

std::optional<Dims> ConcatOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) {
  if (cast<RankedTensorType>(getResult().getType()).getRank() != 1)
    return std::nullopt;
  Dims all;
  for (auto [operand, input] : llvm::zip(operands, getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (!type.hasStaticShape())
      return std::nullopt;
    if (operand)
      llvm::append_range(all, *operand);
    else
      all.resize(all.size() + type.getNumElements());
  }
  return all;
}

constexpr int64_t kMostParts = 1 << 16;

LogicalResult SplitOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<int64_t> axis = normalAxis(location, "split", adaptor.getAxis(), type.getRank());
  int64_t num = adaptor.getNum();
  Value tensor = adaptor.getSizesTensor();
  auto tensorType = tensor ? cast<RankedTensorType>(tensor.getType()) : RankedTensorType();
  bool hasNumber = num > 0 && tensor && tensorType.getRank() == 1 && tensorType.isDynamicDim(0);
  FailureOr<Dims> sizes = hasNumber ? FailureOr<Dims>(Dims(num, Dim()))
                                    : integerList(location, "split", "sizes", context, adaptor.getSizes(), tensor);
  if (failed(axis) || failed(sizes))
    return failure();
  Dims dims = dimsOf(type);
  Dim whole = dims[*axis];
  std::optional<int64_t> size = constantOf(whole);
  // C1: sizes or num says how many parts there are; both agree.
  bool bySizes = tensor || !sizes->empty();
  if (bySizes ? num > 0 && num != static_cast<int64_t>(sizes->size()) : num <= 0)
    return emitOptionalError(location, "split: ", counted(sizes->size(), "size is", "sizes are"), " given and num is ",
                             num, "; give the parts' sizes or their number");
  // C4: so many results that a graph can hold them.
  if (num > kMostParts)
    return emitOptionalError(location, "split: num is ", num, "; it must be at most ", kMostParts);
  if (!bySizes && size) {
    int64_t part = llvm::divideCeil(static_cast<uint64_t>(*size), static_cast<uint64_t>(num));
    for (int64_t i = 0; i < num; ++i)
      sizes->push_back(constantDim(context, std::clamp<int64_t>(*size - i * part, 0, part)));
  } else if (!bySizes) {
    sizes->assign(num, exactDivDims(whole, constantDim(context, num)));
  }
  int64_t sum = 0;
  bool known = true;
  for (Dim part : *sizes) {
    std::optional<int64_t> value = constantOf(part);
    known &= value.has_value();
    sum += value.value_or(0);
    // C2: sizes are not negative.
    if (value && *value < 0)
      return emitOptionalError(location, "split: size ", *value, " is negative");
  }
  // C3: the sizes add up to the axis'.
  if (size && (known ? sum != *size : sum > *size))
    return emitOptionalError(location, "split: sizes ", describe(*sizes), " add up to ", sum, ", axis ", *axis, " has ",
                             *size);
  types.clear();
  for (Dim part : *sizes) {
    dims[*axis] = part;
    types.push_back(tensorOf(dims, type.getElementType()));
  }
  return success();
}

std::optional<Dims> SplitOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned result) {
  if (!operands[0] || getX().getType().getRank() != 1)
    return std::nullopt;
  int64_t begin = 0;
  for (unsigned i = 0; i <= result; ++i) {
    int64_t size = cast<RankedTensorType>(getParts()[i].getType()).getDimSize(0);
    if (ShapedType::isDynamic(size) || begin + size > static_cast<int64_t>(operands[0]->size()))
      return std::nullopt;
    if (i == result)
      return Dims(operands[0]->begin() + begin, operands[0]->begin() + begin + size);
    begin += size;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// squeeze, unsqueeze
//===----------------------------------------------------------------------===//

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<SmallVector<int64_t>> axes = normalAxes(location, "squeeze", adaptor.getAxes(), type.getRank());
  if (failed(axes))
    return failure();
  Dims dims;
  for (auto [i, dim] : llvm::enumerate(dimsOf(type))) {
    std::optional<int64_t> size = constantOf(dim);
    // C2: without axes the sizes are known, since the result's rank follows from them.
    if (axes->empty() && !size)
      return emitOptionalError(location, "squeeze: without axes each dimension of size 1 goes, and of ",
                               describe(dimsOf(type)), " the size of dimension ", i,
                               " is not known before a run; give axes");
    bool named = llvm::is_contained(*axes, static_cast<int64_t>(i));
    // C1: what is removed has size 1.
    if (named && size.value_or(1) != 1)
      return emitOptionalError(location, "squeeze: dimension ", i, " of ", describe(dimsOf(type)), " has size ", *size,
                               ", not 1");
    if (!(axes->empty() ? size == 1 : named))
      dims.push_back(dim);
  }
  types.assign(1, tensorOf(dims, type.getElementType()));
  return success();
}

std::optional<Dims> SqueezeOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) { return operands[0]; }

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t rank = type.getRank() + adaptor.getAxes().size();
  FailureOr<SmallVector<int64_t>> axes = normalAxes(location, "unsqueeze", adaptor.getAxes(), rank);
  if (failed(axes))
    return failure();
  Dims from = dimsOf(type), to;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    to.push_back(llvm::is_contained(*axes, i) ? constantDim(context, 1) : from[next++]);
  types.assign(1, tensorOf(to, type.getElementType()));
  return success();
}

std::optional<Dims> UnsqueezeOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) { return operands[0]; }

//===----------------------------------------------------------------------===//
// expand, tile, flip
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<Dims> shape =
      integerList(location, "expand", "shape", context, adaptor.getShape(), adaptor.getShapeTensor());
  if (failed(shape))
    return failure();
  for (Dim dim : *shape)
    // C1: sizes are not negative.
    if (constantOf(dim).value_or(0) < 0)
      return emitOptionalError(location, "expand: size ", *constantOf(dim), " is negative; 1 keeps x's size");
  FailureOr<Dims> both = broadcastShapes(dimsOf(type), *shape);
  // C2: x and the shape broadcast.
  if (failed(both))
    return emitOptionalError(location, "expand: ", describe(dimsOf(type)), " does not broadcast with ",
                             describe(*shape));
  types.assign(1, tensorOf(*both, type.getElementType()));
  return checkCount(location, "expand", *both);
}

std::optional<Dims> ExpandOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!operands[0] || operands[0]->size() != 1 || !type.hasStaticShape())
    return std::nullopt;
  return Dims(type.getNumElements(), operands[0]->front());
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  FailureOr<Dims> repeats =
      integerList(location, "tile", "repeats", context, adaptor.getRepeats(), adaptor.getRepeatsTensor());
  if (failed(repeats))
    return failure();
  Dims dims = dimsOf(type);
  // C1: a repeat for each dimension.
  if (repeats->size() != dims.size())
    return emitOptionalError(location, "tile: repeats has ", counted(repeats->size(), "entry", "entries"), " for ",
                             counted(dims.size(), "dimension"));
  for (auto [dim, repeat] : llvm::zip(dims, *repeats)) {
    // C2: repeats are not negative.
    if (constantOf(repeat).value_or(0) < 0)
      return emitOptionalError(location, "tile: repeat ", *constantOf(repeat), " is negative");
    dim = mulDims(dim, repeat);
  }
  types.assign(1, tensorOf(dims, type.getElementType()));
  return checkCount(location, "tile", dims);
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  if (failed(normalAxes(location, "flip", adaptor.getAxes(), type.getRank())))
    return failure();
  types.assign(1, type);
  return success();
}

} // namespace clika
