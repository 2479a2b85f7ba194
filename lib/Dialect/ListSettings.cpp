#include "Dialect/ListSettings.h"

#include "Dialect/ShapeValues.h"
#include "Runtime/Counted.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace clika {

FailureOr<int64_t> normalAxis(MaybeLocation location, StringRef op, int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  if (rank == 0)
    return emitOptionalError(location, op, ": axis ", axis, " is given, but the tensor has no dimensions");
  return emitOptionalError(location, op, ": axis ", axis, " is out of range for ", counted(rank, "dimension"),
                           "; it lies in [", -rank, ", ", rank - 1, "]");
}

FailureOr<SmallVector<int64_t>> normalAxes(MaybeLocation location, StringRef op, ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = normalAxis(location, op, axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return emitOptionalError(location, op, ": axis ", axis, " stands twice in axes");
    result.push_back(*normal);
  }
  return result;
}

FailureOr<Dims> integerList(MaybeLocation location, StringRef op, StringRef name, MLIRContext *context,
                            ArrayRef<int64_t> literal, Value tensor) {
  Dims list;
  if (!tensor) {
    for (int64_t entry : literal)
      list.push_back(constantDim(context, entry));
    return list;
  }
  if (!literal.empty())
    return emitOptionalError(location, op, ": ", name, " is given as a literal and as a tensor; give one of them");
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape())
    return emitOptionalError(location, op, ": ", name, " is ", describe(tensor.getType()),
                             "; it must be a 1-d tensor of known length");
  if (std::optional<Dims> values = shapeValues(tensor))
    return *values;
  list.resize(type.getNumElements());
  return list;
}

FailureOr<Dim> integerScalar(MaybeLocation location, StringRef op, StringRef name, MLIRContext *context,
                             Attribute literal, Value tensor) {
  if (tensor) {
    if (literal)
      return emitOptionalError(location, op, ": ", name, " is given as a literal and as a tensor; give one of them");
    if (!mayBeOneElement(tensor))
      return emitOptionalError(location, op, ": ", name, " is ", describe(tensor.getType()),
                               "; it must hold one element");
    std::optional<Dims> values = shapeValues(tensor);
    return values && values->size() == 1 ? values->front() : Dim();
  }
  if (!literal)
    return Dim();
  auto integer = dyn_cast<IntegerAttr>(literal);
  if (!integer || isa<BoolAttr>(literal))
    return emitOptionalError(location, op, ": ", name, " must be an integer");
  return constantDim(context, integer.getInt());
}

std::optional<SmallVector<int64_t>> knownIntegers(ArrayRef<Dim> list) {
  SmallVector<int64_t> result;
  for (Dim entry : list) {
    std::optional<int64_t> value = constantOf(entry);
    if (!value)
      return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

bool isPossibleSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  double count = 1;
  for (int64_t size : tensor ? tensor.getShape() : ArrayRef<int64_t>())
    count *= ShapedType::isDynamic(size) ? 1.0 : std::max(1.0, static_cast<double>(size));
  return count <= static_cast<double>(kMostElements);
}

LogicalResult checkCount(MaybeLocation location, StringRef op, ArrayRef<Dim> dims) {
  double count = 1;
  for (Dim dim : dims)
    count *= static_cast<double>(constantOf(dim).value_or(1));
  if (count <= static_cast<double>(kMostElements))
    return success();
  return emitOptionalError(location, op, ": the result ", describe(dims), " has more elements than memory can hold");
}

bool mayBeOneElement(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && llvm::all_of(type.getShape(), [](int64_t size) { return size == 1 || ShapedType::isDynamic(size); });
}

} // namespace clika
