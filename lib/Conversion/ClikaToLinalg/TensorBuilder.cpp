#include "Conversion/ClikaToLinalg/TensorBuilder.h"

#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cstring>

using namespace mlir;

namespace clika {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Size TensorBuilder::sizeOf(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return size(type.getDimSize(dim));
  return tensor::getMixedSize(b, b.getLoc(), tensor, dim);
}

Sizes TensorBuilder::sizesOf(Value tensor) {
  Sizes sizes;
  for (int64_t i = 0, rank = cast<RankedTensorType>(tensor.getType()).getRank(); i < rank; ++i)
    sizes.push_back(sizeOf(tensor, i));
  return sizes;
}

Value TensorBuilder::indexOf(Size size) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), size); }

Size TensorBuilder::add(Size x, Size y) {
  std::optional<int64_t> left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left && right)
    return size(*left + *right);
  if (left == 0)
    return y;
  if (right == 0)
    return x;
  return arith::AddIOp::create(b, indexOf(x), indexOf(y)).getResult();
}

Size TensorBuilder::sub(Size x, Size y) {
  std::optional<int64_t> left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left && right)
    return size(*left - *right);
  if (right)
    return add(x, size(-*right));
  return arith::SubIOp::create(b, indexOf(x), indexOf(y)).getResult();
}

Size TensorBuilder::mul(Size x, Size y) {
  std::optional<int64_t> left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left && right)
    return size(*left * *right);
  if (left == 0 || right == 0)
    return size(0);
  if (left == 1)
    return y;
  if (right == 1)
    return x;
  return arith::MulIOp::create(b, indexOf(x), indexOf(y)).getResult();
}

Size TensorBuilder::floorDiv(Size x, int64_t y) {
  if (y == 1)
    return x;
  if (std::optional<int64_t> value = getConstantIntValue(x))
    return size(llvm::divideFloorSigned(*value, y));
  if (llvm::isPowerOf2_64(y))
    return arith::ShRSIOp::create(b, indexOf(x), indexOf(size(llvm::Log2_64(y)))).getResult();
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, indexOf(x), indexOf(size(0)));
  Value lowered = arith::SelectOp::create(b, negative, indexOf(sub(x, size(y - 1))), indexOf(x));
  return arith::DivSIOp::create(b, lowered, indexOf(size(y))).getResult();
}

Size TensorBuilder::max(Size x, Size y) {
  std::optional<int64_t> left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left && right)
    return size(std::max(*left, *right));
  return arith::MaxSIOp::create(b, indexOf(x), indexOf(y)).getResult();
}

Size TensorBuilder::min(Size x, Size y) {
  std::optional<int64_t> left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left && right)
    return size(std::min(*left, *right));
  return arith::MinSIOp::create(b, indexOf(x), indexOf(y)).getResult();
}

Size TensorBuilder::product(ArrayRef<Size> sizes) {
  Size result = size(1);
  for (Size each : sizes)
    result = mul(result, each);
  return result;
}

void TensorBuilder::require(arith::CmpIPredicate predicate, Size x, Size y, const Twine &message) {
  std::optional<int64_t> left = getConstantIntValue(x), right = getConstantIntValue(y);
  if (left && right && arith::applyCmpPredicate(predicate, APInt(64, *left, true), APInt(64, *right, true)))
    return;
  checkAtRunTime(b, op, arith::CmpIOp::create(b, predicate, indexOf(x), indexOf(y)), message);
}

void TensorBuilder::requireSame(Dim x, Dim y, Size xSize, Size ySize, const Twine &message) {
  if (!sameDim(x, y))
    require(arith::CmpIPredicate::eq, xSize, ySize, message);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value TensorBuilder::empty(ArrayRef<Size> sizes, Type element) { return tensor::EmptyOp::create(b, sizes, element); }

Value TensorBuilder::filled(ArrayRef<Size> sizes, Value scalar) {
  return linalg::FillOp::create(b, scalar, empty(sizes, scalar.getType())).getResult(0);
}

Value TensorBuilder::filled(ArrayRef<Size> sizes, TypedAttr scalar) {
  return filled(sizes, arith::ConstantOp::create(b, scalar).getResult());
}

Value TensorBuilder::slice(Value tensor, ArrayRef<Size> offsets, ArrayRef<Size> sizes) {
  SmallVector<Size> ones(offsets.size(), size(1));
  return tensor::ExtractSliceOp::create(b, tensor, offsets, sizes, ones);
}

Value TensorBuilder::insert(Value part, Value into, ArrayRef<Size> offsets, ArrayRef<Size> sizes,
                            ArrayRef<int64_t> strides) {
  SmallVector<Size> steps(offsets.size(), size(1));
  for (auto [step, stride] : llvm::zip(steps, strides))
    step = size(stride);
  return tensor::InsertSliceOp::create(b, part, into, offsets, sizes, steps);
}

// Copies the elements of `from`, `bytes` each, of `shape` to `to` in the order of permuted dimensions.
static void permuteElements(const char *from, char *to, size_t bytes, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> permutation) {
  unsigned rank = shape.size();
  SmallVector<size_t> strides(rank, bytes), steps;
  for (unsigned i = rank - 1; i > 0; --i)
    strides[i - 1] = strides[i] * shape[i];
  for (int64_t dim : permutation)
    steps.push_back(strides[dim]);
  SmallVector<int64_t> at(rank, 0);
  size_t offset = 0, rows = shape[permutation.back()], step = steps.back();
  for (bool done = false; !done;) {
    for (size_t i = 0; i < rows; ++i, to += bytes)
      std::memcpy(to, from + offset + i * step, bytes);
    done = true;
    for (unsigned i = rank - 1; i-- > 0;) {
      offset += steps[i];
      if (++at[i] < shape[permutation[i]]) {
        done = false;
        break;
      }
      offset -= steps[i] * at[i];
      at[i] = 0;
    }
  }
}

// The constant that `tensor` is, with its dimensions permuted; null where it is none, or one whose copy would be large.
static DenseElementsAttr permutedConstant(Value tensor, ArrayRef<int64_t> permutation) {
  constexpr int64_t kLargest = int64_t(1) << 30;
  auto constant = tensor.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements)
    return {};
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(elements.getType().getDimSize(dim));
  auto type = RankedTensorType::get(shape, elements.getElementType());
  if (elements.isSplat())
    return elements.resizeSplat(type);
  unsigned width = elements.getElementType().getIntOrFloatBitWidth();
  ArrayRef<char> data = elements.getRawData();
  if (width % 8 != 0 || elements.getNumElements() == 0 || static_cast<int64_t>(data.size()) > kLargest)
    return {};
  std::vector<char> permuted(data.size());
  permuteElements(data.data(), permuted.data(), width / 8, elements.getType().getShape(), permutation);
  return DenseElementsAttr::getFromRawBuffer(type, permuted);
}

Value TensorBuilder::transpose(Value tensor, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return tensor;
  if (DenseElementsAttr constant = permutedConstant(tensor, permutation))
    return arith::ConstantOp::create(b, cast<TypedAttr>(constant));
  Sizes sizes;
  for (int64_t from : permutation)
    sizes.push_back(sizeOf(tensor, from));
  Value into = empty(sizes, getElementTypeOrSelf(tensor.getType()));
  return linalg::TransposeOp::create(b, tensor, into, permutation)->getResult(0);
}

Value TensorBuilder::collapse(Value tensor, ArrayRef<ReassociationIndices> runs) {
  if (static_cast<int64_t>(runs.size()) == cast<RankedTensorType>(tensor.getType()).getRank())
    return tensor;
  return tensor::CollapseShapeOp::create(b, tensor, runs);
}

Value TensorBuilder::expand(Value tensor, ArrayRef<ReassociationIndices> runs, ArrayRef<Size> sizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape, joined;
  for (Size each : sizes)
    shape.push_back(getConstantIntValue(each).value_or(ShapedType::kDynamic));
  for (const ReassociationIndices &run : runs) {
    int64_t product = 1;
    for (int64_t i : run)
      product =
          ShapedType::isDynamic(product) || ShapedType::isDynamic(shape[i]) ? ShapedType::kDynamic : product * shape[i];
    joined.push_back(product);
  }
  // The op wants a joined size to be static exactly where its parts are.
  auto from = RankedTensorType::get(joined, type.getElementType());
  if (type != from)
    tensor = tensor::CastOp::create(b, from, tensor);
  auto into = RankedTensorType::get(shape, type.getElementType());
  if (into == from)
    return tensor;
  return tensor::ExpandShapeOp::create(b, into, tensor, runs, sizes);
}

Value TensorBuilder::addUnit(Value tensor, unsigned at) {
  Sizes sizes = sizesOf(tensor);
  unsigned rank = sizes.size(), neighbour = at == 0 ? 0 : at - 1;
  sizes.insert(sizes.begin() + at, size(1));
  SmallVector<ReassociationIndices> runs;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t own = i < at ? i : i + 1;
    if (i != neighbour)
      runs.push_back({own});
    else if (at == 0)
      runs.push_back({0, own});
    else
      runs.push_back({own, static_cast<int64_t>(at)});
  }
  return expand(tensor, runs, sizes);
}

Value TensorBuilder::join(Value tensor, unsigned first, unsigned last) {
  if (first == last)
    return addUnit(tensor, first);
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<ReassociationIndices> runs;
  for (unsigned i = 0; i < rank; ++i) {
    if (i > first && i < last)
      runs.back().push_back(i);
    else
      runs.push_back({static_cast<int64_t>(i)});
  }
  return collapse(tensor, runs);
}

Value TensorBuilder::pad(Value tensor, ArrayRef<Size> low, ArrayRef<Size> high, TypedAttr with) {
  auto isZero = [](Size size) { return getConstantIntValue(size) == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return tensor;
  Value scalar = arith::ConstantOp::create(b, with);
  // A null type is inferred.
  return tensor::PadOp::create(b, Type(), tensor, low, high, scalar);
}

Value TensorBuilder::reshape(Value tensor, ArrayRef<Size> sizes) {
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value flat = tensor;
  if (rank != 1)
    flat = join(tensor, 0, rank);
  if (sizes.empty()) {
    auto scalar = RankedTensorType::get({}, getElementTypeOrSelf(tensor.getType()));
    auto one = RankedTensorType::get({1}, scalar.getElementType());
    if (flat.getType() != one)
      flat = tensor::CastOp::create(b, one, flat);
    return tensor::CollapseShapeOp::create(b, scalar, flat, ArrayRef<ReassociationIndices>());
  }
  return expand(flat, {asRun(dimRange(0, sizes.size()))}, sizes);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> TensorBuilder::generic(ValueRange inputs, ValueRange outs, ArrayRef<AffineMap> maps,
                                          ArrayRef<utils::IteratorType> loops, ScalarBody body) {
  auto build = [&](OpBuilder &builder, Location location, ValueRange scalars) {
    ImplicitLocOpBuilder inner(location, builder);
    SmallVector<Value> results;
    body(inner, scalars, results);
    linalg::YieldOp::create(inner, results);
  };
  auto op = linalg::GenericOp::create(b, outs.getTypes(), inputs, outs, maps, loops, build);
  return SmallVector<Value>(op.getResults());
}

Value TensorBuilder::map(ArrayRef<Size> sizes, Type element, ValueRange inputs, ArrayRef<AffineMap> maps,
                         function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(identity(sizes.size()));
  SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
  return generic(inputs, empty(sizes, element), all, loops,
                 [&](ImplicitLocOpBuilder &inner, ValueRange scalars, SmallVectorImpl<Value> &results) {
                   results.push_back(body(inner, scalars.drop_back()));
                 })[0];
}

AffineMap TensorBuilder::mapTo(unsigned rank, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(b.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, b.getContext());
}

SmallVector<int64_t> dimRange(int64_t first, int64_t last) { return llvm::to_vector(llvm::seq<int64_t>(first, last)); }

ReassociationIndices asRun(ArrayRef<int64_t> dims) { return ReassociationIndices(dims.begin(), dims.end()); }

SmallVector<int64_t> dimsWithout(unsigned count, ArrayRef<int64_t> without) {
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    if (!llvm::is_contained(without, i))
      result.push_back(i);
  return result;
}

} // namespace clika
