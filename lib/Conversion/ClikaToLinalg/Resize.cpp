// resize: tables of neighbours and weights along each axis, then a gather (Nearest) or one pass an axis (Linear,
// Cubic).
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Loops.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/ResizeAxis.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// The type weights and sums have.
Type weightType(Type element) {
  bool wide = element.isF64() || (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() >= 32);
  return wide ? Type(Float64Type::get(element.getContext())) : Type(Float32Type::get(element.getContext()));
}

Value toWeight(Lowering &l, Value stored, Type element, Type type) {
  Value value = toComputed(l.b, stored, element);
  if (isa<FloatType>(value.getType()))
    return value;
  if (element.isUnsignedInteger())
    return arith::UIToFPOp::create(l.b, type, value);
  return arith::SIToFPOp::create(l.b, type, value);
}

// Back to the dtype: rounded once, or for integers cut off and saturated, NaN being 0.
Value fromWeight(Lowering &l, Value value, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return toStored(l.b, value, element);
  Type stored = storedElement(element), number = value.getType();
  auto constant = [&](double x) -> Value { return arith::ConstantOp::create(l.b, l.b.getFloatAttr(number, x)); };
  bool isUnsigned = integer.isUnsigned();
  unsigned width = integer.getWidth();
  double range = std::ldexp(1.0, width - !isUnsigned), low = isUnsigned ? 0.0 : -range;
  APInt largest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Value above = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGE, value, constant(range));
  Value inside =
      arith::AndIOp::create(l.b, arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGT, value, constant(low - 1.0)),
                            arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, value, constant(range)));
  Value held = arith::SelectOp::create(l.b, inside, value, constant(0.0));
  Value cut = isUnsigned ? Value(arith::FPToUIOp::create(l.b, stored, held))
                         : Value(arith::FPToSIOp::create(l.b, stored, held));
  Value below = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLE, value, constant(low));
  APInt smallest = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  auto bound = [&](const APInt &bits) { return arith::ConstantOp::create(l.b, IntegerAttr::get(stored, bits)); };
  cut = arith::SelectOp::create(l.b, below, bound(smallest), cut);
  return arith::SelectOp::create(l.b, above, bound(largest), cut);
}

AffineMap alongAxis(Lowering &l, int64_t rank, int64_t axis) {
  return AffineMap::get(rank, 0, {l.b.getAffineDimExpr(axis)}, l.b.getContext());
}

struct ResizeLowering : OpConversionPattern<ResizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ResizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    SmallVector<ResizeAxis> axes = resizeAxes(l, op, adaptor);
    Indices sizes = sizesOf(l.b, adaptor.getX());
    for (const ResizeAxis &axis : axes)
      sizes[axis.axis] = axis.out;
    checkCount(l, sizes);
    Value result;
    if (llvm::any_of(sizes, [](Index size) { return IndexMath::known(size) == 0; }))
      result = emptyTensor(l, sizes, loweredType(op.getX().getType()).getElementType());
    else if (axes.empty())
      result = adaptor.getX();
    else if (op.getMode() == "Nearest")
      result = nearest(l, op, adaptor.getX(), axes);
    else
      result = interpolated(l, op, adaptor.getX(), axes);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  // One read of x an element.
  static Value nearest(Lowering &l, ResizeOp op, Value x, ArrayRef<ResizeAxis> axes) {
    Indices sizes = sizesOf(l.b, x);
    SmallVector<Value> tables;
    SmallVector<AffineMap> maps;
    for (const ResizeAxis &axis : axes) {
      tables.push_back(nearestTable(l, op, axis));
      maps.push_back(alongAxis(l, sizes.size(), axis.axis));
      sizes[axis.axis] = axis.out;
    }
    bool crops = op.getCoordinateTransformationMode() == "TfCropAndResize";
    Type element = cast<RankedTensorType>(op.getX().getType()).getElementType();
    Value extrapolated = crops ? storedScalar(l, op.getExtrapolationValueAttr(), element) : Value();
    return buildElements(
        l, sizes, storedElement(element), tables, maps, [&](Lowering &inner, ArrayRef<Index> at, ValueRange places) {
          IndexMath &m = inner.math;
          Indices from(at);
          Index inside = m.constant(1);
          for (auto [axis, place] : llvm::zip(axes, places)) {
            Index index = arith::IndexCastOp::create(inner.b, inner.b.getIndexType(), place).getResult();
            if (crops)
              inside = m.both(inside, m.atLeast(index, m.constant(0)));
            from[axis.axis] = crops ? m.max(index, m.constant(0)) : index;
          }
          Value value = elementAt(inner, x, from);
          return crops ? Value(arith::SelectOp::create(inner.b, m.truth(inside), value, extrapolated)) : value;
        });
  }

  static Value interpolated(Lowering &l, ResizeOp op, Value x, ArrayRef<ResizeAxis> axes) {
    Type element = cast<RankedTensorType>(op.getX().getType()).getElementType(), type = weightType(element);
    Value value = x;
    // From the last axis, whose neighbours lie apart only within a row.
    for (auto [i, axis] : llvm::enumerate(llvm::reverse(axes))) {
      Taps taps = tapTables(l, op, axis, type);
      auto read = [&, first = i == 0](Lowering &inner, Value tensor, ArrayRef<Index> at) {
        Value stored = elementAt(inner, tensor, at);
        return first ? toWeight(inner, stored, element, type) : stored;
      };
      std::optional<int64_t> count = IndexMath::known(taps.count);
      if (count && *count <= 4 && axis.axis + 1 < cast<RankedTensorType>(x.getType()).getRank())
        value = rowPass(l, value, axis, taps, *count, type, i == 0 ? element : type);
      else if (count && *count <= 4)
        value = unrolledPass(l, value, axis, taps, *count, type, read);
      else
        value = reducedPass(l, value, axis, taps, type, read);
    }
    return finished(l, op, value, axes, element);
  }

  using Reader = llvm::function_ref<Value(Lowering &inner, Value tensor, ArrayRef<Index> at)>;

  // weight * value; -0.0, which changes no sum, where the weight is 0: a neighbour that does not count may be infinite,
  // and an axis whose size stays is the same whether its size is known or not.
  static Value weighted(Lowering &l, Value weight, Value value) {
    Value zero = arith::ConstantOp::create(l.b, l.b.getFloatAttr(value.getType(), 0.0));
    Value none = arith::ConstantOp::create(l.b, l.b.getFloatAttr(value.getType(), -0.0));
    Value counts = arith::CmpFOp::create(l.b, arith::CmpFPredicate::UNE, weight, zero);
    return arith::SelectOp::create(l.b, counts, Value(arith::MulFOp::create(l.b, weight, value)), none);
  }

  static Value product(Lowering &l, Value x, const ResizeAxis &axis, ArrayRef<Index> at, Value place, Value weight,
                       Reader read) {
    Indices from(at);
    from[axis.axis] = arith::IndexCastOp::create(l.b, l.b.getIndexType(), place).getResult();
    return weighted(l, weight, read(l, x, from));
  }

  static Value unrolledPass(Lowering &l, Value x, const ResizeAxis &axis, const Taps &taps, int64_t count, Type type,
                            Reader read) {
    Indices sizes = sizesOf(l.b, x);
    sizes[axis.axis] = axis.out;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (int64_t k = 0; k < count; ++k) {
      inputs.append({taps.places, taps.weights});
      AffineMap map = AffineMap::get(sizes.size(), 0, {l.b.getAffineDimExpr(axis.axis), l.b.getAffineConstantExpr(k)},
                                     l.b.getContext());
      maps.append({map, map});
    }
    return buildElements(l, sizes, type, inputs, maps, [&](Lowering &inner, ArrayRef<Index> at, ValueRange args) {
      Value sum = product(inner, x, axis, at, args[0], args[1], read);
      for (int64_t k = 1; k < count; ++k)
        sum = arith::AddFOp::create(inner.b, sum, product(inner, x, axis, at, args[2 * k], args[2 * k + 1], read));
      return sum;
    });
  }

  // Rows of the result as sums of whole rows of x. `element` is x's dtype, or `type` after the first pass.
  static Value rowPass(Lowering &l, Value x, const ResizeAxis &axis, const Taps &taps, int64_t count, Type type,
                       Type element) {
    Indices sizes = sizesOf(l.b, x);
    sizes[axis.axis] = axis.out;
    ArrayRef<Index> row = ArrayRef(sizes).drop_front(axis.axis + 1);
    int64_t rank = row.size();
    SmallVector<AffineMap> maps(count + 1, l.b.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    return loopNest(
               l, ArrayRef(sizes).take_front(axis.axis + 1), emptyTensor(l, sizes, type),
               [&](Lowering &inner, ArrayRef<Index> at, ValueRange state) {
                 SmallVector<Value> rows, weights;
                 for (int64_t k = 0; k < count; ++k) {
                   Indices tap{at.back(), inner.math.constant(k)}, from(at);
                   Value place = elementAt(inner, taps.places, tap);
                   from.back() = arith::IndexCastOp::create(inner.b, inner.b.getIndexType(), place).getResult();
                   rows.push_back(rowAt(inner, x, from, row));
                   weights.push_back(elementAt(inner, taps.weights, tap));
                 }
                 Value into = rowAt(inner, state[0], at, row);
                 auto body = [&](OpBuilder &builder, Location, ValueRange args) {
                   Lowering sum(builder, l.op);
                   Value total;
                   for (int64_t k = 0; k < count; ++k) {
                     Value value = element == type ? args[k] : toWeight(sum, args[k], element, type);
                     value = weighted(sum, weights[k], value);
                     total = total ? Value(arith::AddFOp::create(sum.b, total, value)) : value;
                   }
                   linalg::YieldOp::create(sum.b, total);
                 };
                 Value filled =
                     linalg::GenericOp::create(inner.b, into.getType(), rows, into, maps, loops, body).getResult(0);
                 return SmallVector<Value>{withRow(inner, filled, state[0], at, row)};
               })
        .front();
  }

  static Value reducedPass(Lowering &l, Value x, const ResizeAxis &axis, const Taps &taps, Type type, Reader read) {
    Indices sizes = sizesOf(l.b, x);
    sizes[axis.axis] = axis.out;
    int64_t rank = sizes.size();
    Value init = filled(l, sizes, arith::ConstantOp::create(l.b, l.b.getFloatAttr(type, 0.0)));
    AffineMap table =
        AffineMap::get(rank + 1, 0, {l.b.getAffineDimExpr(axis.axis), l.b.getAffineDimExpr(rank)}, l.b.getContext());
    SmallVector<AffineExpr> outer;
    for (int64_t i = 0; i < rank; ++i)
      outer.push_back(l.b.getAffineDimExpr(i));
    SmallVector<AffineMap> maps{table, table, AffineMap::get(rank + 1, 0, outer, l.b.getContext())};
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    loops.push_back(utils::IteratorType::reduction);
    auto body = [&](OpBuilder &builder, Location, ValueRange args) {
      Lowering inner(builder, l.op);
      Indices at;
      for (int64_t i = 0; i < rank; ++i)
        at.push_back(linalg::IndexOp::create(inner.b, i).getResult());
      Value next = product(inner, x, axis, at, args[0], args[1], read);
      linalg::YieldOp::create(inner.b, Value(arith::AddFOp::create(inner.b, args[2], next)));
    };
    return linalg::GenericOp::create(l.b, init.getType(), ValueRange{taps.places, taps.weights}, init, maps, loops,
                                     body)
        .getResult(0);
  }

  // The dtype again, and the extrapolation value where a position lies outside.
  static Value finished(Lowering &l, ResizeOp op, Value sums, ArrayRef<ResizeAxis> axes, Type element) {
    bool crops = op.getCoordinateTransformationMode() == "TfCropAndResize";
    if (!crops && storedElement(element) == cast<RankedTensorType>(sums.getType()).getElementType())
      return sums;
    Indices sizes = sizesOf(l.b, sums);
    SmallVector<Value> inputs{sums};
    SmallVector<AffineMap> maps{l.b.getMultiDimIdentityMap(sizes.size())};
    if (crops)
      for (const ResizeAxis &axis : axes) {
        inputs.push_back(insideTable(l, op, axis));
        maps.push_back(alongAxis(l, sizes.size(), axis.axis));
      }
    Value extrapolated = crops ? storedScalar(l, op.getExtrapolationValueAttr(), element) : Value();
    return buildElements(l, sizes, storedElement(element), inputs, maps,
                         [&](Lowering &inner, ArrayRef<Index>, ValueRange args) {
                           Value value = fromWeight(inner, args[0], element);
                           Value zero = arith::ConstantOp::create(inner.b, inner.b.getI8IntegerAttr(0));
                           for (Value inside : args.drop_front()) {
                             Value outside = arith::CmpIOp::create(inner.b, arith::CmpIPredicate::eq, inside, zero);
                             value = arith::SelectOp::create(inner.b, outside, extrapolated, value);
                           }
                           return value;
                         });
  }
};

} // namespace

void populateResizeToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ResizeLowering>(converter, patterns.getContext());
}

} // namespace clika
