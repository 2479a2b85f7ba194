// gather, gather_elements, gather_nd, scatter_elements, scatter_nd.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Loops.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/IndexOps.h"
#include "Dialect/ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// A stored index as a position in `size`. It is held inside, whatever it is: a check before has ended the run where it
// is out of range, and no order of operations may make that a read outside.
Index position(Lowering &l, Value stored, Index size) {
  IndexMath &m = l.math;
  Index index = arith::IndexCastOp::create(l.b, l.b.getIndexType(), stored).getResult();
  return m.max(m.min(m.fromEnd(index, size), m.sub(size, m.constant(1))), m.constant(0));
}

// Whether constant indices are known to lie inside.
bool provenInside(Value original, ArrayRef<Index> limits) {
  std::optional<Dims> values = shapeValues(original);
  if (!values)
    return false;
  for (auto [i, value] : llvm::enumerate(*values)) {
    std::optional<int64_t> index = constantOf(value), size = IndexMath::known(limits[i % limits.size()]);
    if (!index || !size || *index < -*size || *index >= *size)
      return false;
  }
  return true;
}

int64_t fromFront(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

// "axis 1 of x, whose size is n", or of axes from `first` on. `dims` says what is known of all sizes; empty: nothing.
std::string placeText(ArrayRef<Index> limits, ArrayRef<Dim> dims, int64_t first, StringRef what) {
  std::string axes, sizes;
  bool known = true;
  for (auto [i, limit] : llvm::enumerate(limits)) {
    Dim dim = dims.empty() ? Dim() : dims[first + i];
    std::optional<int64_t> size = IndexMath::known(limit);
    known &= size || dim;
    axes += (i ? " and " : "") + std::to_string(first + i);
    sizes += (i ? " and " : "") + (size ? std::to_string(*size) : describe(dim));
  }
  bool several = limits.size() > 1;
  std::string text = (several ? "axes " : "axis ") + axes + " of " + what.str();
  return known ? text + (several ? ", whose sizes are " : ", whose size is ") + sizes : text;
}

// Checks that each index lies in [-size, size); the sizes are `limits`, by position in the last dimension where there
// are several, of axes of `what` from `first` on.
void checkIndices(Lowering &l, Value original, Value indices, ArrayRef<Index> limits, int64_t first, ArrayRef<Dim> dims,
                  StringRef what = "x") {
  if (provenInside(original, limits))
    return;
  auto type = cast<RankedTensorType>(indices.getType());
  Type i64 = l.b.getI64Type();
  SmallVector<Value> sizes;
  for (Index limit : limits)
    sizes.push_back(arith::IndexCastOp::create(l.b, i64, l.math.value(limit)));
  Value bounds = tensor::FromElementsOp::create(l.b, sizes);
  int64_t rank = type.getRank();
  AffineExpr last = limits.size() > 1 ? l.b.getAffineDimExpr(rank - 1) : l.b.getAffineConstantExpr(0);
  SmallVector<AffineMap> maps{l.b.getMultiDimIdentityMap(rank), AffineMap::get(rank, 0, {last}, l.b.getContext()),
                              AffineMap::get(rank, 0, l.b.getContext())};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
  Value none = filled(l, {}, arith::ConstantOp::create(l.b, l.b.getI8IntegerAttr(0)));
  auto body = [&](OpBuilder &builder, Location at, ValueRange args) {
    ImplicitLocOpBuilder b(at, builder);
    Value index = args[0];
    if (!index.getType().isInteger(64))
      index = arith::ExtSIOp::create(b, i64, index);
    // In range exactly where index + size, as an unsigned number, is below 2 * size.
    Value shifted = arith::AddIOp::create(b, index, args[1]);
    Value width = arith::AddIOp::create(b, args[1], args[1]);
    Value outside = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, shifted, width);
    Value flag = arith::ExtUIOp::create(b, b.getI8Type(), outside);
    linalg::YieldOp::create(b, Value(arith::OrIOp::create(b, args[2], flag)));
  };
  Value found =
      linalg::GenericOp::create(l.b, none.getType(), ValueRange{indices, bounds}, none, maps, loops, body).getResult(0);
  Value flag = elementAt(l, found, {});
  Value zero = arith::ConstantOp::create(l.b, l.b.getI8IntegerAttr(0));
  Index inside = arith::CmpIOp::create(l.b, arith::CmpIPredicate::eq, flag, zero).getResult();
  l.check(inside, "an index is out of range for " + placeText(limits, dims, first, what));
}

// Sizes of `small` may not exceed those of `large` but at `axis`.
void checkNoLarger(Lowering &l, ArrayRef<Index> small, ArrayRef<Index> large, int64_t axis) {
  for (auto [i, size] : llvm::enumerate(small))
    if (static_cast<int64_t>(i) != axis)
      l.check(l.math.atLeast(large[i], size), "indices is larger than x in dimension " + Twine(i));
}

// Whether the dimensions from `first` on are worth copying as a whole: enough elements, as far as is known.
bool copiesRows(ArrayRef<Index> sizes, size_t first) {
  int64_t least = 1;
  for (Index size : sizes.drop_front(first)) {
    std::optional<int64_t> known = IndexMath::known(size);
    if (known == 0)
      return false;
    least *= known.value_or(16);
  }
  return first < sizes.size() && least >= 8;
}

// `into` with the row of `from` at `source` copied to `target`.
Value copiedRow(Lowering &l, Value from, ArrayRef<Index> source, Value into, ArrayRef<Index> target,
                ArrayRef<Index> row) {
  return withRow(l, rowAt(l, from, source, row), into, target, row);
}

// A tensor of `sizes` whose rows, which begin at dimension `leading`, are those of `x` at the places `source` gives.
Value copiedRows(Lowering &l, Value x, ArrayRef<Index> sizes, int64_t leading,
                 llvm::function_ref<Indices(Lowering &inner, ArrayRef<Index> at)> source) {
  Value empty = emptyTensor(l, sizes, cast<RankedTensorType>(x.getType()).getElementType());
  ArrayRef<Index> row = sizes.drop_front(leading);
  return loopNest(l, sizes.take_front(leading), empty,
                  [&](Lowering &inner, ArrayRef<Index> at, ValueRange state) {
                    return SmallVector<Value>{copiedRow(inner, x, source(inner, at), state[0], at, row)};
                  })
      .front();
}

// Adds to `where` the positions that the tuple of `indices` at `at` holds, one in each of `limits`.
void addTuple(Lowering &l, Indices &where, Value indices, ArrayRef<Index> at, ArrayRef<Index> limits) {
  for (auto [k, limit] : llvm::enumerate(limits)) {
    Indices entry(at);
    entry.push_back(l.math.constant(k));
    where.push_back(position(l, elementAt(l, indices, entry), limit));
  }
}

Value gatheredElements(Lowering &l, Value x, Value indices, ArrayRef<Index> sizes, Index size, int64_t axis,
                       int64_t many) {
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < many; ++i)
    exprs.push_back(l.b.getAffineDimExpr(axis + i));
  AffineMap map = AffineMap::get(sizes.size(), 0, exprs, l.b.getContext());
  auto build = [&](Lowering &inner, ArrayRef<Index> at, ValueRange inputs) {
    Indices place(at.begin(), at.begin() + axis);
    place.push_back(position(inner, inputs[0], size));
    place.append(at.begin() + axis + many, at.end());
    return elementAt(inner, x, place);
  };
  return buildElements(l, sizes, cast<RankedTensorType>(x.getType()).getElementType(), indices, map, build);
}

Value gatheredRows(Lowering &l, Value x, Value indices, ArrayRef<Index> sizes, Index size, int64_t axis, int64_t many) {
  return copiedRows(l, x, sizes, axis + many, [&](Lowering &inner, ArrayRef<Index> at) {
    Indices source(at.take_front(axis));
    source.push_back(position(inner, elementAt(inner, indices, at.drop_front(axis)), size));
    return source;
  });
}

struct GatherLowering : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    int64_t axis = fromFront(op.getAxis(), cast<RankedTensorType>(op.getX().getType()).getRank());
    Value result =
        gathered(l, adaptor.getX(), op.getIndices(), adaptor.getIndices(), axis, dimsOf(op.getX().getType()), "x");
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct GatherElementsLowering : OpConversionPattern<GatherElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX(), indices = adaptor.getIndices();
    Indices from = sizesOf(l.b, x), sizes = sizesOf(l.b, indices);
    int64_t axis = fromFront(op.getAxis(), from.size());
    checkIndices(l, op.getIndices(), indices, from[axis], axis, dimsOf(op.getX().getType()));
    checkNoLarger(l, sizes, from, axis);
    auto build = [&](Lowering &inner, ArrayRef<Index> at, ValueRange inputs) {
      Indices place(at);
      place[axis] = position(inner, inputs[0], from[axis]);
      return elementAt(inner, x, place);
    };
    Value result = buildElements(l, sizes, cast<RankedTensorType>(x.getType()).getElementType(), indices,
                                 l.b.getMultiDimIdentityMap(sizes.size()), build);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct GatherNdLowering : OpConversionPattern<GatherNdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherNdOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX(), indices = adaptor.getIndices();
    Indices from = sizesOf(l.b, x), sizes = sizesOf(l.b, indices);
    int64_t batch = op.getBatchDims(), length = *IndexMath::known(sizes.pop_back_val()), rows = sizes.size();
    ArrayRef<Index> limits = ArrayRef(from).slice(batch, length);
    checkIndices(l, op.getIndices(), indices, limits, batch, dimsOf(op.getX().getType()));
    for (int64_t i = 0; i < batch; ++i)
      l.check(l.math.equal(sizes[i], from[i]), "x and indices differ in dimension " + Twine(i) + ", which they share");
    sizes.append(from.begin() + batch + length, from.end());
    auto place = [&](Lowering &inner, ArrayRef<Index> at) {
      Indices where(at.take_front(batch));
      addTuple(inner, where, indices, at.take_front(rows), limits);
      return where;
    };
    Value result;
    if (copiesRows(sizes, rows)) {
      result = copiedRows(l, x, sizes, rows, place);
    } else {
      Type element = cast<RankedTensorType>(x.getType()).getElementType();
      result = buildElements(l, sizes, element, [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
        Indices where = place(inner, at);
        where.append(at.begin() + rows, at.end());
        return elementAt(inner, x, where);
      });
    }
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// scatter_elements, scatter_nd
//===----------------------------------------------------------------------===//

// What an update makes of the element it meets, both stored.
Value reduced(Lowering &l, StringRef reduction, Value old, Value update, Type element) {
  if (reduction == "Replace")
    return update;
  Value x = toComputed(l.b, old, element), y = toComputed(l.b, update, element), result;
  bool isFloat = isa<FloatType>(x.getType()), isUnsigned = element.isUnsignedInteger();
  if (reduction == "Add")
    result = isFloat ? Value(arith::AddFOp::create(l.b, x, y)) : Value(arith::AddIOp::create(l.b, x, y));
  else if (reduction == "Mul")
    result = isFloat ? Value(arith::MulFOp::create(l.b, x, y)) : Value(arith::MulIOp::create(l.b, x, y));
  else if (reduction == "Max")
    result = isFloat      ? Value(arith::MaximumFOp::create(l.b, x, y))
             : isUnsigned ? Value(arith::MaxUIOp::create(l.b, x, y))
                          : Value(arith::MaxSIOp::create(l.b, x, y));
  else
    result = isFloat      ? Value(arith::MinimumFOp::create(l.b, x, y))
             : isUnsigned ? Value(arith::MinUIOp::create(l.b, x, y))
                          : Value(arith::MinSIOp::create(l.b, x, y));
  return toStored(l.b, result, element);
}

// `x` with each element of `updates`, in row-major order, applied at the place that `place` gives for its position.
Value scattered(Lowering &l, Value x, Value updates, StringRef reduction, Type element,
                llvm::function_ref<Indices(Lowering &inner, ArrayRef<Index> at)> place) {
  return loopNest(l, sizesOf(l.b, updates), x,
                  [&](Lowering &inner, ArrayRef<Index> at, ValueRange state) {
                    Indices where = place(inner, at);
                    Value update = elementAt(inner, updates, at);
                    Value old = reduction == "Replace" ? Value() : elementAt(inner, state[0], where);
                    Value next = reduced(inner, reduction, old, update, element);
                    return SmallVector<Value>{
                        tensor::InsertOp::create(inner.b, next, state[0], inner.math.values(where))};
                  })
      .front();
}

struct ScatterElementsLowering : OpConversionPattern<ScatterElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX(), indices = adaptor.getIndices();
    Indices from = sizesOf(l.b, x), sizes = sizesOf(l.b, indices);
    int64_t axis = fromFront(op.getAxis(), from.size());
    checkIndices(l, op.getIndices(), indices, from[axis], axis, dimsOf(op.getX().getType()));
    checkNoLarger(l, sizes, from, axis);
    for (auto [i, size] : llvm::enumerate(sizesOf(l.b, adaptor.getUpdates())))
      l.check(l.math.equal(size, sizes[i]), "updates and indices differ in dimension " + Twine(i));
    auto place = [&](Lowering &inner, ArrayRef<Index> at) {
      Indices where(at);
      where[axis] = position(inner, elementAt(inner, indices, at), from[axis]);
      return where;
    };
    Type element = cast<RankedTensorType>(op.getX().getType()).getElementType();
    Value result = scattered(l, x, adaptor.getUpdates(), op.getReduction(), element, place);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

struct ScatterNdLowering : OpConversionPattern<ScatterNdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ScatterNdOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Value x = adaptor.getX(), indices = adaptor.getIndices();
    Indices from = sizesOf(l.b, x), sizes = sizesOf(l.b, indices);
    int64_t length = *IndexMath::known(sizes.pop_back_val()), rows = sizes.size();
    ArrayRef<Index> limits = ArrayRef(from).take_front(length);
    checkIndices(l, op.getIndices(), indices, limits, 0, dimsOf(op.getX().getType()));
    sizes.append(from.begin() + length, from.end());
    for (auto [i, size] : llvm::enumerate(sizesOf(l.b, adaptor.getUpdates())))
      l.check(l.math.equal(size, sizes[i]),
              "updates has another size than x and indices ask for in dimension " + Twine(i));
    auto place = [&](Lowering &inner, ArrayRef<Index> at) {
      Indices where;
      addTuple(inner, where, indices, at.take_front(rows), limits);
      return where;
    };
    Value result;
    if (op.getReduction() == "Replace" && copiesRows(sizes, rows)) {
      ArrayRef<Index> row = ArrayRef(sizes).drop_front(rows);
      result =
          loopNest(l, ArrayRef(sizes).take_front(rows), x, [&](Lowering &inner, ArrayRef<Index> at, ValueRange state) {
            return SmallVector<Value>{copiedRow(inner, adaptor.getUpdates(), at, state[0], place(inner, at), row)};
          }).front();
    } else {
      Type element = cast<RankedTensorType>(op.getX().getType()).getElementType();
      auto whole = [&](Lowering &inner, ArrayRef<Index> at) {
        Indices where = place(inner, at);
        where.append(at.begin() + rows, at.end());
        return where;
      };
      result = scattered(l, x, adaptor.getUpdates(), op.getReduction(), element, whole);
    }
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

} // namespace

Value gathered(Lowering &l, Value x, Value original, Value indices, int64_t axis, ArrayRef<Dim> dims, StringRef what) {
  Indices from = sizesOf(l.b, x), picked = sizesOf(l.b, indices);
  int64_t many = picked.size();
  checkIndices(l, original, indices, from[axis], axis, dims, what);
  Indices sizes(from.begin(), from.begin() + axis);
  llvm::append_range(sizes, picked);
  sizes.append(from.begin() + axis + 1, from.end());
  if (copiesRows(sizes, axis + many))
    return gatheredRows(l, x, indices, sizes, from[axis], axis, many);
  return gatheredElements(l, x, indices, sizes, from[axis], axis, many);
}

void populateGatherToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<GatherLowering, GatherElementsLowering, GatherNdLowering, ScatterElementsLowering, ScatterNdLowering>(
      converter, patterns.getContext());
}

} // namespace clika
