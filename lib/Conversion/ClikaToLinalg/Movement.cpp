#include "Conversion/ClikaToLinalg/Movement.h"

#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/ListSettings.h"
#include "Dialect/Numbers.h"
#include "Dialect/ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace clika {

void Lowering::check(Index condition, const Twine &message) {
  std::optional<int64_t> known = IndexMath::known(condition);
  if (!known || *known == 0)
    checkAtRunTime(b, op, math.truth(condition), message);
}

void checkCount(Lowering &l, ArrayRef<Index> sizes) {
  if (llvm::all_of(sizes, [](Index size) { return IndexMath::known(size).has_value(); }))
    return;
  // In float64, which does not wrap.
  Value count = arith::ConstantOp::create(l.b, l.b.getF64FloatAttr(1.0));
  Index counts = l.math.constant(1);
  for (Index size : sizes) {
    counts = l.math.both(counts, l.math.atLeast(size, l.math.constant(0)));
    Value integer = arith::IndexCastOp::create(l.b, l.b.getI64Type(), l.math.value(size));
    count = arith::MulFOp::create(l.b, count, arith::SIToFPOp::create(l.b, l.b.getF64Type(), integer));
  }
  Value most = arith::ConstantOp::create(l.b, l.b.getF64FloatAttr(static_cast<double>(kMostElements)));
  Index fits = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLE, count, most).getResult();
  l.check(l.math.both(counts, fits), "the result has more elements than memory can hold");
}

Indices integerEntries(Lowering &l, ArrayRef<int64_t> literal, Value original, Value tensor) {
  Indices entries;
  if (!original) {
    for (int64_t entry : literal)
      entries.push_back(l.math.constant(entry));
    return entries;
  }
  auto type = cast<RankedTensorType>(original.getType());
  std::optional<Dims> values = shapeValues(original);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    std::optional<int64_t> value = values ? constantOf((*values)[i]) : std::nullopt;
    if (value) {
      entries.push_back(l.math.constant(*value));
      continue;
    }
    Indices position(type.getRank(), l.math.constant(i));
    entries.push_back(toIndex(l, elementAt(l, tensor, position), type.getElementType()));
  }
  return entries;
}

Value onlyElement(Lowering &l, Value tensor) {
  Indices zeros(cast<RankedTensorType>(tensor.getType()).getRank(), l.math.constant(0));
  for (auto [i, size] : llvm::enumerate(sizesOf(l.b, tensor)))
    l.check(l.math.equal(size, l.math.constant(1)),
            "a tensor that stands for one number holds another count of elements");
  return elementAt(l, tensor, zeros);
}

Value toIndex(Lowering &l, Value scalar, Type element) {
  Type index = l.b.getIndexType(), i64 = l.b.getI64Type();
  if (isa<FloatType>(element)) {
    // Held where the conversion is defined: positions lie far below 2^62.
    if (!scalar.getType().isF64())
      scalar = arith::ExtFOp::create(l.b, l.b.getF64Type(), scalar);
    auto bound = [&](double value) { return arith::ConstantOp::create(l.b, l.b.getF64FloatAttr(value)); };
    scalar = arith::MinNumFOp::create(l.b, arith::MaxNumFOp::create(l.b, scalar, bound(-4e18)), bound(4e18));
    scalar = arith::FPToSIOp::create(l.b, i64, scalar);
  } else if (element.isUnsignedInteger() || element.isInteger(1)) {
    return arith::IndexCastUIOp::create(l.b, index, scalar);
  }
  return arith::IndexCastOp::create(l.b, index, scalar);
}

Value storedScalar(Lowering &l, Attribute literal, Type element) {
  Type stored = storedElement(element);
  if (!literal)
    literal = l.b.getI64IntegerAttr(0);
  if (auto type = dyn_cast<FloatType>(stored))
    return arith::ConstantOp::create(l.b, FloatAttr::get(type, floatNumber(type, literal)));
  APInt value = *integerNumber(cast<IntegerType>(element), literal);
  return arith::ConstantOp::create(l.b, IntegerAttr::get(stored, value.zextOrTrunc(stored.getIntOrFloatBitWidth())));
}

Value buildElements(Lowering &l, ArrayRef<Index> sizes, Type stored, ValueRange inputs, ArrayRef<AffineMap> maps,
                    ElementBuilder build) {
  unsigned rank = sizes.size();
  Value empty = emptyTensor(l, sizes, stored);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(l.b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location at, ValueRange args) {
    OpBuilder::InsertionGuard guard(builder);
    Lowering inner(builder, l.op);
    Indices position;
    for (unsigned i = 0; i < rank; ++i)
      position.push_back(linalg::IndexOp::create(inner.b, i).getResult());
    linalg::YieldOp::create(inner.b, build(inner, position, args.drop_back()));
  };
  return linalg::GenericOp::create(l.b, empty.getType(), inputs, empty, allMaps, loops, body).getResult(0);
}

Value buildElements(Lowering &l, ArrayRef<Index> sizes, Type stored, ElementBuilder build) {
  return buildElements(l, sizes, stored, ValueRange(), {}, build);
}

Value elementAt(Lowering &l, Value tensor, ArrayRef<Index> position) {
  return tensor::ExtractOp::create(l.b, tensor, l.math.values(position));
}

Value emptyTensor(Lowering &l, ArrayRef<Index> sizes, Type stored) {
  return tensor::EmptyOp::create(l.b, sizes, stored);
}

Value filled(Lowering &l, ArrayRef<Index> sizes, Value scalar) {
  return linalg::FillOp::create(l.b, scalar, emptyTensor(l, sizes, scalar.getType())).getResult(0);
}

RankedTensorType typeOfSizes(ArrayRef<Index> sizes, Type stored) {
  SmallVector<int64_t> shape;
  for (Index size : sizes)
    shape.push_back(IndexMath::known(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, stored);
}

RankedTensorType loweredType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), storedElement(tensor.getElementType()));
}

//===----------------------------------------------------------------------===//
// reshaped
//===----------------------------------------------------------------------===//

namespace {

Value castTo(Lowering &l, Value value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, cast<RankedTensorType>(value.getType()).getElementType());
  return value.getType() == type ? value : Value(tensor::CastOp::create(l.b, type, value));
}

int64_t staticProduct(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    product *= size;
  }
  return product;
}

// [[0], …, [first … first + count - 1], …, [last]]: groups of one but for one.
SmallVector<ReassociationIndices> oneGroup(unsigned first, unsigned count, unsigned rank) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned i = 0; i < rank;) {
    unsigned size = i == first ? count : 1;
    ReassociationIndices group;
    for (unsigned k = 0; k < size; ++k)
      group.push_back(i + k);
    groups.push_back(group);
    i += size;
  }
  return groups;
}

// To or from a scalar: all sizes are 1.
Value reshapedScalar(Lowering &l, Value value, RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0) {
    value = castTo(l, value, SmallVector<int64_t>(from.getRank(), 1));
    return tensor::CollapseShapeOp::create(l.b, type, value, ArrayRef<ReassociationIndices>());
  }
  auto ones = RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1), type.getElementType());
  value = tensor::ExpandShapeOp::create(l.b, ones, value, ArrayRef<ReassociationIndices>());
  return castTo(l, value, type.getShape());
}

Value reshapedAtRunTime(Lowering &l, Value value, ArrayRef<Index> sizes, RankedTensorType type) {
  Value shape = tensor::FromElementsOp::create(l.b, l.math.values(sizes));
  return tensor::ReshapeOp::create(l.b, type, value, shape);
}

} // namespace

Value reshaped(Lowering &l, Value value, ArrayRef<Index> old, ArrayRef<Index> sizes) {
  RankedTensorType type = typeOfSizes(sizes, cast<RankedTensorType>(value.getType()).getElementType());
  auto from = cast<RankedTensorType>(value.getType());
  if (llvm::equal(old, sizes))
    return value;
  if (from.getRank() == 0 || type.getRank() == 0)
    return from.getRank() == type.getRank() ? value : reshapedScalar(l, value, type);
  if (from.hasStaticShape() && type.hasStaticShape()) {
    if (auto groups = getReassociationIndicesForReshape(from, type)) {
      if (from.getRank() > type.getRank())
        return tensor::CollapseShapeOp::create(l.b, type, value, *groups);
      return tensor::ExpandShapeOp::create(l.b, type, value, *groups);
    }
  }
  // Equal dimensions in front and at the back stay; those between become one, then the new ones.
  auto stays = [&](unsigned i, unsigned k) { return old[i] == sizes[k] && from.getDimSize(i) == type.getDimSize(k); };
  unsigned m = from.getRank(), n = type.getRank(), front = 0, back = 0;
  while (front < m && front < n && stays(front, front))
    ++front;
  while (front + back < m && front + back < n && stays(m - 1 - back, n - 1 - back))
    ++back;
  // A group has dimensions on both sides.
  if (front + back == std::min(m, n) && m != n)
    front > 0 ? --front : --back;
  unsigned many = m - front - back, wanted = n - front - back;
  // No elements: the sizes between need not agree.
  if (llvm::is_contained(from.getShape(), 0) || llvm::is_contained(type.getShape(), 0))
    return emptyTensor(l, sizes, type.getElementType());
  int64_t before = staticProduct(from.getShape().slice(front, many)),
          after = staticProduct(type.getShape().slice(front, wanted));
  bool mayDiffer =
      ShapedType::isStatic(before) && ShapedType::isStatic(after) ? before != after : many == 1 && wanted == 1;
  if (mayDiffer)
    return reshapedAtRunTime(l, value, sizes, type);
  SmallVector<int64_t> shape(from.getShape());
  if (many > 1) {
    int64_t size = staticProduct(ArrayRef(shape).slice(front, many));
    shape.erase(shape.begin() + front + 1, shape.begin() + front + many);
    shape[front] = size;
    auto collapsed = RankedTensorType::get(shape, type.getElementType());
    value = tensor::CollapseShapeOp::create(l.b, collapsed, value, oneGroup(front, many, m));
  }
  if (wanted > 1) {
    ArrayRef<int64_t> middle = type.getShape().slice(front, wanted);
    // A view of a dimension as several that only run time knows is a reshape of the whole.
    if (llvm::count_if(middle, ShapedType::isDynamic) > 1)
      return reshapedAtRunTime(l, value, sizes, type);
    SmallVector<int64_t> target(shape);
    shape[front] = staticProduct(middle);
    value = castTo(l, value, shape);
    target.erase(target.begin() + front);
    target.insert(target.begin() + front, middle.begin(), middle.end());
    auto expanded = RankedTensorType::get(target, type.getElementType());
    SmallVector<OpFoldResult> mixed;
    for (auto [i, size] : llvm::enumerate(target))
      mixed.push_back(ShapedType::isDynamic(size) ? OpFoldResult(l.math.value(sizes[i])) : l.b.getIndexAttr(size));
    value = tensor::ExpandShapeOp::create(l.b, expanded, value, oneGroup(front, wanted, n), mixed);
  }
  return castTo(l, value, type.getShape());
}

//===----------------------------------------------------------------------===//
// sliced, inserted, transposed
//===----------------------------------------------------------------------===//

Value sliced(Lowering &l, Value value, ArrayRef<Index> offsets, ArrayRef<Index> sizes, ArrayRef<Index> steps) {
  auto type = cast<RankedTensorType>(value.getType());
  bool all = true;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    // An empty slice may not be written as one: its offset need not lie inside.
    if (IndexMath::known(size) == 0)
      return emptyTensor(l, sizes, type.getElementType());
    all &= IndexMath::known(offsets[i]) == 0 && IndexMath::known(steps[i]) == 1 &&
           IndexMath::known(size) == type.getDimSize(i);
  }
  if (all)
    return value;
  return tensor::ExtractSliceOp::create(l.b, value, offsets, sizes, steps);
}

Value inserted(Lowering &l, Value value, Value into, ArrayRef<Index> offsets) {
  Indices sizes = sizesOf(l.b, value), steps(sizes.size(), l.math.constant(1));
  for (Index size : sizes)
    if (IndexMath::known(size) == 0)
      return into;
  return tensor::InsertSliceOp::create(l.b, value, into, offsets, sizes, steps);
}

Value transposed(Lowering &l, Value value, ArrayRef<int64_t> perm) {
  if (llvm::equal(perm, llvm::seq<int64_t>(0, perm.size())))
    return value;
  Indices sizes = sizesOf(l.b, value), moved;
  for (int64_t axis : perm)
    moved.push_back(sizes[axis]);
  Value empty = emptyTensor(l, moved, cast<RankedTensorType>(value.getType()).getElementType());
  return linalg::TransposeOp::create(l.b, value, empty, perm)->getResult(0);
}

} // namespace clika
