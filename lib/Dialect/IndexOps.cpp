#include "Dialect/IndexOps.h"

#include "Dialect/ListSettings.h"
#include "Dialect/NodeRegistration.h"
#include "Dialect/ShapeValues.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Dialect/IndexOps.cpp.inc"

namespace clika {

void ClikaDialect::addIndexOps() {
  addNodes<
#define GET_OP_LIST
#include "Dialect/IndexOps.cpp.inc"
      >();
}

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

// The length of an indices tensor's last dimension: how many dimensions one of its rows addresses.
FailureOr<int64_t> rowLength(MaybeLocation location, StringRef op, RankedTensorType indices, int64_t most) {
  int64_t length = indices.getRank() == 0 ? 0 : indices.getShape().back();
  if (length >= 1 && length <= most)
    return length;
  return emitOptionalError(location, op, ": indices is ", describe(indices),
                           "; its last dimension, the length of a position, must be known and lie in [1, ", most, "]");
}

// `indices` of one rank with x, and sizes that fit x's outside axis.
LogicalResult checkAlongAxis(MaybeLocation location, StringRef op, RankedTensorType x, RankedTensorType indices,
                             int64_t axis) {
  if (indices.getRank() != x.getRank())
    return emitOptionalError(location, op, ": indices has rank ", indices.getRank(), ", x rank ", x.getRank(),
                             "; they must be equal");
  for (int64_t i = 0; i < x.getRank(); ++i)
    if (i != axis && !x.isDynamicDim(i) && !indices.isDynamicDim(i) && indices.getDimSize(i) > x.getDimSize(i))
      return emitOptionalError(location, op, ": indices ", describe(dimsOf(indices)), " is larger than x ",
                               describe(dimsOf(x)), " outside axis ", axis);
  return success();
}

// Rules of the updates of a scatter.
LogicalResult checkUpdates(MaybeLocation location, StringRef op, RankedTensorType x, RankedTensorType updates,
                           ArrayRef<Dim> shape, StringRef reduction) {
  if (updates.getElementType() != x.getElementType())
    return emitOptionalError(location, op, ": x has dtype ", dtypeName(x.getElementType()), ", updates ",
                             dtypeName(updates.getElementType()), "; cast one of them");
  Dims own = dimsOf(updates);
  bool fits = own.size() == shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i)
    fits = canMatch(own[i], shape[i]);
  if (!fits)
    return emitOptionalError(location, op, ": updates has shape ", describe(own), "; it must be ", describe(shape));
  if (x.getElementType().isInteger(1) && reduction != "Replace")
    return emitOptionalError(location, op, ": reduction ", reduction, " does not take bool tensors");
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// gather, gather_elements, gather_nd
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = typeOf(adaptor.getX());
  FailureOr<int64_t> axis = normalAxis(location, "gather", adaptor.getAxis(), x.getRank());
  if (failed(axis))
    return failure();
  Dims from = dimsOf(x), dims(from.begin(), from.begin() + *axis);
  llvm::append_range(dims, dimsOf(adaptor.getIndices().getType()));
  dims.append(from.begin() + *axis + 1, from.end());
  types.assign(1, tensorOf(dims, x.getElementType()));
  return success();
}

std::optional<Dims> GatherOp::resultValues(ArrayRef<std::optional<Dims>> operands, unsigned) {
  if (!operands[0] || !operands[1] || typeOf(getX()).getRank() != 1)
    return std::nullopt;
  int64_t n = operands[0]->size();
  Dims values;
  for (Dim entry : *operands[1]) {
    std::optional<int64_t> index = constantOf(entry);
    if (!index || *index < -n || *index >= n)
      return std::nullopt;
    values.push_back((*operands[0])[*index < 0 ? *index + n : *index]);
  }
  return values;
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  RankedTensorType x = typeOf(adaptor.getX()), indices = typeOf(adaptor.getIndices());
  FailureOr<int64_t> axis = normalAxis(location, "gather_elements", adaptor.getAxis(), x.getRank());
  if (failed(axis) || failed(checkAlongAxis(location, "gather_elements", x, indices, *axis)))
    return failure();
  types.assign(1, tensorOf(dimsOf(indices), x.getElementType()));
  return success();
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType x = typeOf(adaptor.getX()), indices = typeOf(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  // C1: the shared dimensions exist.
  if (batch < 0 || batch >= std::min(x.getRank(), indices.getRank()))
    return emitOptionalError(location, "gather_nd: batch_dims is ", batch,
                             "; it must be 0 or more and below the ranks, ", x.getRank(), " and ", indices.getRank());
  // C2: a position addresses dimensions of x.
  FailureOr<int64_t> length = rowLength(location, "gather_nd", indices, x.getRank() - batch);
  if (failed(length))
    return failure();
  Dims from = dimsOf(x), dims = dimsOf(indices);
  dims.pop_back();
  for (int64_t i = 0; i < batch; ++i) {
    // C3: the shared dimensions agree.
    if (!canMatch(from[i], dims[i]))
      return emitOptionalError(location, "gather_nd: x ", describe(from), " and indices ", describe(dimsOf(indices)),
                               " differ in dimension ", i, ", which batch_dims says they share");
    dims[i] = refine(dims[i], from[i]);
  }
  dims.append(from.begin() + batch + *length, from.end());
  types.assign(1, tensorOf(dims, x.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// scatter_elements, scatter_nd
//===----------------------------------------------------------------------===//

LogicalResult ScatterElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  RankedTensorType x = typeOf(adaptor.getX()), indices = typeOf(adaptor.getIndices());
  FailureOr<int64_t> axis = normalAxis(location, "scatter_elements", adaptor.getAxis(), x.getRank());
  if (failed(axis) || failed(checkAlongAxis(location, "scatter_elements", x, indices, *axis)) ||
      failed(checkUpdates(location, "scatter_elements", x, typeOf(adaptor.getUpdates()), dimsOf(indices),
                          adaptor.getReduction())))
    return failure();
  types.assign(1, x);
  return success();
}

LogicalResult ScatterNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType x = typeOf(adaptor.getX()), indices = typeOf(adaptor.getIndices());
  FailureOr<int64_t> length = rowLength(location, "scatter_nd", indices, x.getRank());
  if (failed(length))
    return failure();
  Dims from = dimsOf(x), dims = dimsOf(indices);
  dims.pop_back();
  dims.append(from.begin() + *length, from.end());
  if (failed(checkUpdates(location, "scatter_nd", x, typeOf(adaptor.getUpdates()), dims, adaptor.getReduction())))
    return failure();
  types.assign(1, x);
  return success();
}

//===----------------------------------------------------------------------===//
// one_hot, topk, non_zero
//===----------------------------------------------------------------------===//

namespace {

// `depth` and `k`: a number given as a literal (cut to an integer) or as a tensor.
FailureOr<Dim> count(MaybeLocation location, StringRef op, StringRef name, MLIRContext *context, Attribute literal,
                     Value tensor) {
  if (!literal && !tensor)
    return emitOptionalError(location, op, ": ", name, " is missing");
  FailureOr<Dim> value = integerScalar(location, op, name, context, literal, tensor);
  if (failed(value) || *value)
    return value;
  if (std::optional<SmallVector<double>> numbers = constantNumbers(tensor))
    return constantDim(context, static_cast<int64_t>(numbers->front()));
  return value;
}

} // namespace

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType indices = typeOf(adaptor.getIndices()), values = typeOf(adaptor.getValues());
  FailureOr<int64_t> axis = normalAxis(location, "one_hot", adaptor.getAxis(), indices.getRank() + 1);
  FailureOr<Dim> depth = count(location, "one_hot", "depth", context, adaptor.getDepthAttr(), adaptor.getDepthTensor());
  if (failed(axis) || failed(depth))
    return failure();
  // C1: a value elsewhere and a value at the index.
  if (values.getRank() != 1 || !canMatch(dimsOf(values)[0], constantDim(context, 2)))
    return emitOptionalError(location, "one_hot: values is ", describe(values),
                             "; it must be a 1-d tensor of two elements");
  // C2: the new axis has a size.
  if (constantOf(*depth).value_or(0) < 0)
    return emitOptionalError(location, "one_hot: depth is ", *constantOf(*depth), "; it must be 0 or more");
  Dims dims = dimsOf(indices);
  dims.insert(dims.begin() + *axis, *depth);
  types.assign(1, tensorOf(dims, values.getElementType()));
  return checkCount(location, "one_hot", dims);
}

LogicalResult TopkOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType x = typeOf(adaptor.getX());
  FailureOr<int64_t> axis = normalAxis(location, "topk", adaptor.getAxis(), x.getRank());
  FailureOr<Dim> k = count(location, "topk", "k", context, adaptor.getKAttr(), adaptor.getKTensor());
  if (failed(axis) || failed(k))
    return failure();
  Dims dims = dimsOf(x);
  std::optional<int64_t> known = constantOf(*k), size = constantOf(dims[*axis]);
  // C1: there are k elements.
  if (known && (*known < 0 || (size && *known > *size)))
    return emitOptionalError(location, "topk: k is ", *known, ", axis ", *axis, " has size ", describe(dims[*axis]),
                             "; k must lie between 0 and the size");
  dims[*axis] = *k;
  types.assign({tensorOf(dims, x.getElementType()), tensorOf(dims, IntegerType::get(context, 64))});
  return success();
}

LogicalResult NonZeroOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.assign(
      1, tensorOf({constantDim(context, typeOf(adaptor.getX()).getRank()), Dim()}, IntegerType::get(context, 64)));
  return success();
}

} // namespace clika
