// concat, split, slice, pad, trilu.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/ListSettings.h"
#include "Dialect/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

struct ConcatLowering : OpConversionPattern<ConcatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    int64_t rank = type.getRank(), axis = op.getAxis();
    axis += axis < 0 ? rank : 0;
    SmallVector<Indices> sizes;
    for (Value input : adaptor.getInputs())
      sizes.push_back(sizesOf(l.b, input));
    Indices whole = wholeSizes(op, l, sizes, axis);
    Value result = joined(l, adaptor.getInputs(), sizes, whole, axis);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, type));
    return success();
  }

private:
  /// How many tensors are joined at once: the analysis that finds where each may be written in place takes the fourth
  /// power of that. More are joined in groups, and then the groups.
  static constexpr size_t kMost = 16;

  /// The inputs side by side along `axis`; `whole` is the result's sizes.
  static Value joined(Lowering &l, ValueRange inputs, ArrayRef<Indices> sizes, ArrayRef<Index> whole, int64_t axis) {
    if (inputs.size() == 1)
      return inputs[0];
    SmallVector<Value> groups(inputs);
    SmallVector<Indices> groupSizes(sizes);
    while (groups.size() > kMost) {
      SmallVector<Value> next;
      SmallVector<Indices> nextSizes;
      for (size_t at = 0; at < groups.size(); at += kMost) {
        size_t count = std::min(kMost, groups.size() - at);
        Indices own(whole);
        own[axis] = l.math.constant(0);
        for (const Indices &each : ArrayRef(groupSizes).slice(at, count))
          own[axis] = l.math.add(own[axis], each[axis]);
        next.push_back(
            joined(l, ValueRange(groups).slice(at, count), ArrayRef(groupSizes).slice(at, count), own, axis));
        nextSizes.push_back(own);
      }
      groups = std::move(next);
      groupSizes = std::move(nextSizes);
    }
    Value result = emptyTensor(l, whole, cast<RankedTensorType>(groups[0].getType()).getElementType());
    Indices offsets(whole.size(), l.math.constant(0));
    for (auto [group, own] : llvm::zip_equal(groups, groupSizes)) {
      result = inserted(l, group, result, offsets);
      offsets[axis] = l.math.add(offsets[axis], own[axis]);
    }
    return result;
  }

  static Indices wholeSizes(ConcatOp op, Lowering &l, ArrayRef<Indices> sizes, int64_t axis) {
    Indices whole = sizes[0];
    Dims result = dimsOf(op.getResult().getType());
    for (int64_t i = 0; i < static_cast<int64_t>(whole.size()); ++i) {
      if (i == axis)
        continue;
      // A size that is known tells more than the first one, with which all must agree as well.
      const auto *told = llvm::find_if(sizes, [&](const Indices &own) { return IndexMath::known(own[i]).has_value(); });
      size_t teller = told == sizes.end() ? 0 : static_cast<size_t>(told - sizes.begin());
      whole[i] = sizes[teller][i];
      for (auto [k, input] : llvm::enumerate(op.getInputs()))
        if (k != teller && !sameDim(dimsOf(input.getType())[i], result[i]))
          l.check(l.math.equal(sizes[k][i], whole[i]),
                  "tensors " + Twine(k) + " and " + Twine(teller) + " have different sizes in dimension " + Twine(i));
    }
    for (const Indices &own : sizes.drop_front())
      whole[axis] = l.math.add(whole[axis], own[axis]);
    return whole;
  }
};

struct SplitLowering : OpConversionPattern<SplitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SplitOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    Indices sizes = sizesOf(l.b, adaptor.getX());
    int64_t rank = sizes.size(), axis = op.getAxis();
    axis += axis < 0 ? rank : 0;
    Indices parts = partSizes(op, adaptor, l, sizes[axis]);
    Indices offsets(rank, l.math.constant(0)), steps(rank, l.math.constant(1));
    SmallVector<Value> results;
    for (auto [part, result] : llvm::zip(parts, op.getParts())) {
      sizes[axis] = part;
      Value piece = sliced(l, adaptor.getX(), offsets, sizes, steps);
      results.push_back(castToLowered(l.b, op.getLoc(), piece, result.getType()));
      offsets[axis] = l.math.add(offsets[axis], part);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static Indices partSizes(SplitOp op, OpAdaptor adaptor, Lowering &l, Index whole) {
    IndexMath &m = l.math;
    Index zero = m.constant(0);
    if (!op.getSizesTensor() && op.getSizes().empty()) {
      Index part = m.ceilDiv(whole, m.constant(op.getNum())), begin = zero;
      Indices parts;
      for (int64_t i = 0; i < static_cast<int64_t>(op.getNum()); ++i) {
        parts.push_back(m.clamp(m.sub(whole, begin), zero, part));
        begin = m.add(begin, part);
      }
      return parts;
    }
    Indices parts;
    auto given = op.getSizesTensor() ? cast<RankedTensorType>(op.getSizesTensor().getType()) : RankedTensorType();
    if (given && !given.hasStaticShape()) {
      l.check(m.equal(sizesOf(l.b, adaptor.getSizesTensor())[0], m.constant(op.getNumResults())),
              "sizes has another number of entries than there are parts");
      for (unsigned i = 0; i < op.getNumResults(); ++i)
        parts.push_back(toIndex(l, elementAt(l, adaptor.getSizesTensor(), m.constant(i)), given.getElementType()));
    } else {
      parts = integerEntries(l, op.getSizes(), op.getSizesTensor(), adaptor.getSizesTensor());
    }
    Index sum = zero, valid = m.constant(1);
    for (Index part : parts) {
      sum = m.add(sum, part);
      valid = m.both(valid, m.both(m.atLeast(part, zero), m.atLeast(whole, part)));
    }
    l.check(m.both(valid, m.equal(sum, whole)), "the sizes are negative or do not add up to the axis' size");
    return parts;
  }
};

//===----------------------------------------------------------------------===//
// Entries by axis
//===----------------------------------------------------------------------===//

// Where the entry for each axis of `rank` stands in lists that speak of `axes`: runs `visit(axis, entry, applies)`.
void eachEntry(Lowering &l, ArrayRef<Index> axes, size_t count, int64_t rank,
               llvm::function_ref<void(int64_t axis, size_t entry, Index applies)> visit) {
  IndexMath &m = l.math;
  for (size_t entry = 0; entry < count; ++entry) {
    if (axes.empty()) {
      visit(entry, entry, m.constant(1));
      continue;
    }
    Index place = m.fromEnd(axes[entry], m.constant(rank));
    l.check(m.both(m.atLeast(place, m.constant(0)), m.less(place, m.constant(rank))), "an axis is out of range");
    for (int64_t axis = 0; axis < rank; ++axis) {
      Index applies = m.equal(place, m.constant(axis));
      if (IndexMath::known(applies) != 0)
        visit(axis, entry, applies);
    }
  }
}

struct SliceLowering : OpConversionPattern<SliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    IndexMath &m = l.math;
    Indices starts = integerEntries(l, op.getStarts(), op.getStartsTensor(), adaptor.getStartsTensor());
    Indices ends = integerEntries(l, op.getEnds(), op.getEndsTensor(), adaptor.getEndsTensor());
    Indices axes = integerEntries(l, op.getAxes(), op.getAxesTensor(), adaptor.getAxesTensor());
    Indices steps = integerEntries(l, op.getSteps(), op.getStepsTensor(), adaptor.getStepsTensor());
    Indices sizes = sizesOf(l.b, adaptor.getX());
    size_t rank = sizes.size();
    Indices offsets(rank, m.constant(0)), strides(rank, m.constant(1));
    bool forward = true;
    eachEntry(l, axes, starts.size(), rank, [&](int64_t axis, size_t entry, Index applies) {
      Index step = steps.empty() ? m.constant(1) : steps[entry];
      Part part = partOf(l, sizes[axis], starts[entry], ends[entry], step);
      forward &= IndexMath::known(step).value_or(0) > 0;
      sizes[axis] = m.select(applies, part.size, sizes[axis]);
      offsets[axis] = m.select(applies, part.offset, offsets[axis]);
      strides[axis] = m.select(applies, step, strides[axis]);
    });
    Value result = forward ? sliced(l, adaptor.getX(), offsets, sizes, strides)
                           : stepped(l, adaptor.getX(), offsets, sizes, strides);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  struct Part {
    Index offset, size;
  };

  static Part partOf(Lowering &l, Index size, Index start, Index end, Index step) {
    IndexMath &m = l.math;
    Index zero = m.constant(0), one = m.constant(1), none = m.constant(-1);
    l.check(m.negated(m.equal(step, zero)), "a step is 0");
    Index up = m.less(zero, step);
    Index low = m.select(up, zero, none), high = m.select(up, size, m.sub(size, one));
    Index first = m.clamp(m.fromEnd(start, size), low, high), last = m.clamp(m.fromEnd(end, size), low, high);
    Index span = m.select(up, m.sub(last, first), m.sub(first, last));
    Index stride = m.select(up, step, m.sub(zero, step));
    // The quotient is unsigned, so that the smallest integer is a stride as well; 0 is kept from it where the check
    // fails.
    Index count = m.add(m.div(m.max(m.sub(span, one), zero), m.select(m.equal(step, zero), one, stride)), one);
    return {first, m.select(m.less(zero, span), count, zero)};
  }

  static Value stepped(Lowering &l, Value x, ArrayRef<Index> offsets, ArrayRef<Index> sizes, ArrayRef<Index> strides) {
    Type element = cast<RankedTensorType>(x.getType()).getElementType();
    return buildElements(l, sizes, element, [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
      Indices from;
      for (auto [i, offset, stride] : llvm::zip(at, offsets, strides))
        from.push_back(inner.math.add(offset, inner.math.mul(i, stride)));
      return elementAt(inner, x, from);
    });
  }
};

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

struct PadLowering : OpConversionPattern<PadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(PadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    IndexMath &m = l.math;
    Indices pads = integerEntries(l, op.getPads(), op.getPadsTensor(), adaptor.getPadsTensor());
    Indices axes = integerEntries(l, op.getAxes(), op.getAxesTensor(), adaptor.getAxesTensor());
    Indices sizes = sizesOf(l.b, adaptor.getX());
    size_t rank = sizes.size(), count = pads.size() / 2;
    Index zero = m.constant(0);
    Indices before(rank, zero), after(rank, zero);
    eachEntry(l, axes, count, rank, [&](int64_t axis, size_t entry, Index applies) {
      before[axis] = m.select(applies, pads[entry], before[axis]);
      after[axis] = m.select(applies, pads[entry + count], after[axis]);
    });
    for (Index pad : llvm::concat<Index>(before, after))
      l.check(m.both(m.less(pad, m.constant(kMostElements)), m.less(m.constant(-kMostElements), pad)),
              "a pad is larger than any tensor");
    // Negative pads take elements away first.
    Indices cut, kept, whole, ones(rank, m.constant(1));
    for (size_t i = 0; i < rank; ++i) {
      Index back = m.min(after[i], zero);
      cut.push_back(m.sub(zero, m.min(before[i], zero)));
      kept.push_back(m.add(m.sub(sizes[i], cut[i]), back));
      l.check(m.atLeast(kept[i], zero), "the pads take more than dimension " + Twine(i) + " has");
      before[i] = m.max(before[i], zero);
      whole.push_back(m.add(m.add(before[i], kept[i]), m.max(after[i], zero)));
    }
    checkCount(l, whole);
    Value x = sliced(l, adaptor.getX(), cut, kept, ones), result;
    if (op.getMode() == "Constant")
      result = surrounded(op, adaptor, l, x, before, whole);
    else
      result = repeated(op, l, x, before, kept, whole);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static Value surrounded(PadOp op, OpAdaptor adaptor, Lowering &l, Value x, ArrayRef<Index> before,
                          ArrayRef<Index> whole) {
    Type element = cast<RankedTensorType>(op.getX().getType()).getElementType();
    Value value =
        op.getValueTensor() ? onlyElement(l, adaptor.getValueTensor()) : storedScalar(l, op.getValueAttr(), element);
    return inserted(l, x, filled(l, whole, value), before);
  }

  static Value repeated(PadOp op, Lowering &l, Value x, ArrayRef<Index> before, ArrayRef<Index> kept,
                        ArrayRef<Index> whole) {
    StringRef mode = op.getMode();
    Index zero = l.math.constant(0), one = l.math.constant(1);
    for (auto [i, size, total] : llvm::enumerate(kept, whole))
      l.check(l.math.either(l.math.less(zero, size), l.math.equal(total, zero)),
              "dimension " + Twine(i) + " has no element to repeat");
    return buildElements(l, whole, cast<RankedTensorType>(x.getType()).getElementType(),
                         [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
                           IndexMath &m = inner.math;
                           Indices from;
                           for (auto [i, offset, size, total] : llvm::zip(at, before, kept, whole)) {
                             if (size == total) {
                               from.push_back(i);
                               continue;
                             }
                             Index place = m.sub(i, offset), last = m.sub(size, one);
                             if (mode == "Edge") {
                               place = m.clamp(place, zero, last);
                             } else if (mode == "Wrap") {
                               place = m.floorMod(place, m.max(size, one));
                             } else {
                               Index period = m.mul(last, m.constant(2));
                               Index turn = m.floorMod(place, m.max(period, one));
                               place = m.select(m.less(turn, size), turn, m.sub(period, turn));
                             }
                             from.push_back(place);
                           }
                           return elementAt(inner, x, from);
                         });
  }
};

//===----------------------------------------------------------------------===//
// trilu
//===----------------------------------------------------------------------===//

struct TriluLowering : OpConversionPattern<TriluOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TriluOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    RankedTensorType type = loweredType(op.getX().getType());
    Index k = l.math.constant(op.getKAttr() ? cast<IntegerAttr>(op.getKAttr()).getInt() : 0);
    if (op.getKTensor())
      k = toIndex(l, onlyElement(l, adaptor.getKTensor()),
                  cast<RankedTensorType>(op.getKTensor().getType()).getElementType());
    Value zero = storedScalar(l, {}, cast<RankedTensorType>(op.getX().getType()).getElementType());
    unsigned row = type.getRank() - 2, column = row + 1;
    auto build = [&](Lowering &inner, ArrayRef<Index> at, ValueRange x) -> Value {
      IndexMath &m = inner.math;
      Index diagonal = m.sub(at[column], at[row]);
      Index inside = op.getUpper() ? m.atLeast(diagonal, k) : m.atLeast(k, diagonal);
      return arith::SelectOp::create(inner.b, m.truth(inside), x[0], zero);
    };
    Value result = buildElements(l, sizesOf(l.b, adaptor.getX()), type.getElementType(), adaptor.getX(),
                                 l.b.getMultiDimIdentityMap(type.getRank()), build);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

} // namespace

void populateSliceToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConcatLowering, SplitLowering, SliceLowering, PadLowering, TriluLowering>(converter,
                                                                                         patterns.getContext());
}

} // namespace clika
