// one_hot, topk, non_zero.
#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Conversion/ClikaToLinalg/Loops.h"
#include "Conversion/ClikaToLinalg/Movement.h"
#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "Dialect/IndexOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace clika {
namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// `depth` and `k`: a Scalar setting or an operand of one element.
Index countOf(Lowering &l, Attribute literal, Value original, Value tensor) {
  if (original)
    return toIndex(l, onlyElement(l, tensor), elementOf(original));
  return l.math.constant(cast<IntegerAttr>(literal).getInt());
}

struct OneHotLowering : OpConversionPattern<OneHotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(OneHotOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    IndexMath &m = l.math;
    Indices sizes = sizesOf(l.b, adaptor.getIndices());
    int64_t rank = sizes.size(), axis = op.getAxis();
    axis += axis < 0 ? rank + 1 : 0;
    Index depth = countOf(l, op.getDepthAttr(), op.getDepthTensor(), adaptor.getDepthTensor());
    l.check(m.atLeast(depth, m.constant(0)), "depth is negative");
    l.check(m.equal(sizesOf(l.b, adaptor.getValues())[0], m.constant(2)), "values does not hold two elements");
    Value off = elementAt(l, adaptor.getValues(), m.constant(0)), on = elementAt(l, adaptor.getValues(), m.constant(1));
    sizes.insert(sizes.begin() + axis, depth);
    checkCount(l, sizes);
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i <= rank; ++i)
      if (i != axis)
        exprs.push_back(l.b.getAffineDimExpr(i));
    AffineMap map = AffineMap::get(rank + 1, 0, exprs, l.b.getContext());
    Type element = elementOf(op.getIndices());
    auto build = [&](Lowering &inner, ArrayRef<Index> at, ValueRange inputs) -> Value {
      Index index = inner.math.fromEnd(toIndex(inner, inputs[0], element), depth);
      return arith::SelectOp::create(inner.b, inner.math.truth(inner.math.equal(index, at[axis])), on, off);
    };
    Value result = buildElements(l, sizes, off.getType(), adaptor.getIndices(), map, build);
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// topk
//===----------------------------------------------------------------------===//

// Sorts positions along an axis by a bottom-up merge sort, which keeps equal elements in order. The positions stand in
// one half of a tensor [2, size, 1 …], each pass merges them into the other. (It is one tensor, of a rank that no other
// here has: two equal empty tensors would become one.)
class RowSorter {
public:
  RowSorter(TopkOp op, Value x, int64_t axis, Index size)
      : op(op), x(x), axis(axis), size(size), element(elementOf(op.getX())) {}

  Value newHalves(Lowering &l) {
    Indices sizes{l.math.constant(2), size};
    sizes.append(cast<RankedTensorType>(x.getType()).getRank() - 1, l.math.constant(1));
    return emptyTensor(l, sizes, l.b.getI64Type());
  }

  // `halves` with the positions of the row at `row` in order, and in which half they stand.
  Value sorted(Lowering &l, ArrayRef<Index> row, Value halves, Index &half) {
    this->row = Indices(row);
    halves = loopNest(l, size, halves, [&](Lowering &inner, ArrayRef<Index> at, ValueRange state) {
               return SmallVector<Value>{put(inner, at[0], state[0], inner.math.constant(0), at[0])};
             }).front();
    Index count = passes(l);
    half = l.math.mod(count, l.math.constant(2));
    return loopNest(l, count, halves,
                    [&](Lowering &inner, ArrayRef<Index> pass, ValueRange state) {
                      IndexMath &m = inner.math;
                      Index width = shifted(inner, pass[0]), pair = m.mul(width, m.constant(2));
                      Index from = m.mod(pass[0], m.constant(2));
                      return loopNest(
                          inner, m.ceilDiv(size, pair), state, [&](Lowering &run, ArrayRef<Index> at, ValueRange now) {
                            return SmallVector<Value>{mergedPair(run, now[0], from, run.math.mul(at[0], pair), width)};
                          });
                    })
        .front();
  }

  // `halves` with the first `k` of the row at `row` in order in half 0: each element is put into its place among the
  // best so far, which few of many elements get to.
  Value selected(Lowering &l, ArrayRef<Index> row, Value halves, int64_t k) {
    this->row = Indices(row);
    return loopNest(
               l, size, halves,
               [&](Lowering &inner, ArrayRef<Index> at, ValueRange state) {
                 IndexMath &m = inner.math;
                 Index zero = m.constant(0), last = m.constant(k - 1), filling = m.less(at[0], m.constant(k));
                 Index worst = m.select(filling, zero, getIndex(inner, state[0], zero, last));
                 Value better = before(inner, elementOfRow(inner, at[0]), elementOfRow(inner, worst));
                 auto branch = scf::IfOp::create(
                     inner.b, m.truth(m.either(filling, Index(better))),
                     [&](OpBuilder &builder, Location) {
                       Lowering then(builder, op);
                       scf::YieldOp::create(then.b, placed(then, state[0], at[0], then.math.min(at[0], last)));
                     },
                     [&](OpBuilder &builder, Location location) { scf::YieldOp::create(builder, location, state[0]); });
                 return SmallVector<Value>{branch.getResult(0)};
               })
        .front();
  }

  Value get(Lowering &l, Value halves, Index half, Index at) {
    return elementAt(l, halves, placeOf(l, halves, half, at));
  }

private:
  Indices placeOf(Lowering &l, Value halves, Index half, Index at) {
    Indices place{half, at};
    place.append(cast<RankedTensorType>(halves.getType()).getRank() - 2, l.math.constant(0));
    return place;
  }

  Value getIndex(Lowering &l, Value halves, Index half, Index at) {
    return arith::IndexCastOp::create(l.b, l.b.getIndexType(), get(l, halves, half, at));
  }

  Value put(Lowering &l, Index position, Value halves, Index half, Index at) {
    Value stored = arith::IndexCastOp::create(l.b, l.b.getI64Type(), l.math.value(position));
    return tensor::InsertOp::create(l.b, stored, halves, l.math.values(placeOf(l, halves, half, at)));
  }

  Value elementOfRow(Lowering &l, Index place) {
    Indices at(row);
    at[axis] = place;
    return elementAt(l, x, at);
  }

  Index shifted(Lowering &l, Index by) {
    return Index(arith::ShLIOp::create(l.b, l.math.value(l.math.constant(1)), l.math.value(by)).getResult());
  }

  // Moves what comes after `position` one place on, from `end`, and puts it into the gap.
  Value placed(Lowering &l, Value halves, Index position, Index end) {
    Value mine = elementOfRow(l, position);
    SmallVector<Value> state{l.math.truth(l.math.constant(1)), l.math.value(end), halves};
    SmallVector<Value> moved = loopNest(l, end, state, [&](Lowering &inner, ArrayRef<Index> at, ValueRange now) {
      IndexMath &m = inner.math;
      Index place = m.sub(end, at[0]), zero = m.constant(0), front = m.sub(place, m.constant(1));
      Index other = getIndex(inner, now[2], zero, front);
      Index moves = m.both(Index(now[0]), Index(before(inner, mine, elementOfRow(inner, other))));
      Index kept = getIndex(inner, now[2], zero, place);
      Value next = put(inner, m.select(moves, other, kept), now[2], zero, place);
      return SmallVector<Value>{m.truth(moves), m.value(m.select(moves, front, Index(now[1]))), next};
    });
    return put(l, position, moved[2], l.math.constant(0), Index(moved[1]));
  }

  // How often the sorted width doubles until it covers the row.
  Index passes(Lowering &l) {
    if (std::optional<int64_t> known = IndexMath::known(size))
      return l.math.constant(*known < 2 ? 0 : llvm::Log2_64_Ceil(*known));
    Value last = l.math.value(l.math.max(l.math.sub(size, l.math.constant(1)), l.math.constant(0)));
    Value zeros = math::CountLeadingZerosOp::create(l.b, arith::IndexCastOp::create(l.b, l.b.getI64Type(), last));
    return l.math.sub(l.math.constant(64),
                      Index(arith::IndexCastOp::create(l.b, l.b.getIndexType(), zeros).getResult()));
  }

  // Merges [low, low + width) and the run behind it from the half `from` into the other.
  Value mergedPair(Lowering &l, Value halves, Index from, Index low, Index width) {
    IndexMath &m = l.math;
    Index middle = m.min(m.add(low, width), size), high = m.min(m.add(middle, width), size), one = m.constant(1);
    Index count = m.sub(high, low), lastPlace = m.sub(size, one), to = m.sub(one, from);
    SmallVector<Value> state{m.value(low), m.value(middle), halves};
    return loopNest(l, count, state,
                    [&](Lowering &inner, ArrayRef<Index> at, ValueRange now) {
                      IndexMath &n = inner.math;
                      Index left = now[0], right = now[1];
                      Index leftPlace = getIndex(inner, now[2], from, n.min(left, lastPlace));
                      Index rightPlace = getIndex(inner, now[2], from, n.min(right, lastPlace));
                      Value sooner = before(inner, elementOfRow(inner, rightPlace), elementOfRow(inner, leftPlace));
                      Index takeRight = n.both(n.less(right, high), n.either(n.atLeast(left, middle), Index(sooner)));
                      Value written =
                          put(inner, n.select(takeRight, rightPlace, leftPlace), now[2], to, n.add(low, at[0]));
                      return SmallVector<Value>{n.value(n.select(takeRight, left, n.add(left, one))),
                                                n.value(n.select(takeRight, n.add(right, one), right)), written};
                    })
        .back();
  }

  // Whether `a` comes strictly before `c`.
  Value before(Lowering &l, Value a, Value c) {
    a = toComputed(l.b, a, element);
    c = toComputed(l.b, c, element);
    bool largest = op.getLargest();
    if (!isa<FloatType>(a.getType())) {
      bool isUnsigned = element.isUnsignedInteger();
      auto kind = largest ? (isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt)
                          : (isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt);
      return arith::CmpIOp::create(l.b, kind, a, c);
    }
    // NaN is larger than any number and as large as NaN.
    Value ordered = largest ? c : a;
    Value number = arith::CmpFOp::create(l.b, arith::CmpFPredicate::ORD, ordered, ordered);
    auto kind = largest ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
    return arith::AndIOp::create(l.b, arith::CmpFOp::create(l.b, kind, a, c), number);
  }

  TopkOp op;
  Value x;
  int64_t axis;
  Index size;
  Type element;
  Indices row;
};

struct TopkLowering : OpConversionPattern<TopkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(TopkOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    IndexMath &m = l.math;
    Value x = adaptor.getX();
    Indices sizes = sizesOf(l.b, x), rows = sizes;
    int64_t axis = op.getAxis();
    axis += axis < 0 ? sizes.size() : 0;
    Index size = sizes[axis], k = countOf(l, op.getKAttr(), op.getKTensor(), adaptor.getKTensor());
    l.check(m.both(m.atLeast(k, m.constant(0)), m.atLeast(size, k)), "k is negative or more than the axis' size");
    sizes[axis] = k;
    rows[axis] = m.constant(1);
    RowSorter sorter(op, x, axis, size);
    std::optional<int64_t> many = IndexMath::known(k), all = IndexMath::known(size);
    bool few = many && *many > 0 && *many <= 32 && all.value_or(INT64_MAX) > 2 * *many;
    SmallVector<Value> state{emptyTensor(l, sizes, l.b.getI64Type()), sorter.newHalves(l)};
    Value indices =
        loopNest(l, rows, state, [&](Lowering &inner, ArrayRef<Index> row, ValueRange now) {
          Index half = inner.math.constant(0);
          Value halves =
              few ? sorter.selected(inner, row, now[1], *IndexMath::known(k)) : sorter.sorted(inner, row, now[1], half);
          Value taken =
              loopNest(inner, k, now[0], [&](Lowering &copy, ArrayRef<Index> at, ValueRange out) {
                Indices place(row);
                place[axis] = at[0];
                Value index = sorter.get(copy, halves, half, at[0]);
                return SmallVector<Value>{tensor::InsertOp::create(copy.b, index, out[0], copy.math.values(place))};
              }).front();
          return SmallVector<Value>{taken, halves};
        }).front();
    AffineMap identity = l.b.getMultiDimIdentityMap(sizes.size());
    Value values = buildElements(
        l, sizes, elementOf(x), indices, identity, [&](Lowering &inner, ArrayRef<Index> at, ValueRange args) {
          Indices from(at);
          from[axis] = arith::IndexCastOp::create(inner.b, inner.b.getIndexType(), args[0]).getResult();
          return elementAt(inner, x, from);
        });
    rewriter.replaceOp(op, {castToLowered(l.b, op.getLoc(), values, op.getValues().getType()),
                            castToLowered(l.b, op.getLoc(), indices, op.getIndices().getType())});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// non_zero
//===----------------------------------------------------------------------===//

struct NonZeroLowering : OpConversionPattern<NonZeroOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(NonZeroOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Lowering l(rewriter, op);
    IndexMath &m = l.math;
    Value x = adaptor.getX(), zero = storedScalar(l, {}, elementOf(op.getX()));
    Indices sizes = sizesOf(l.b, x);
    int64_t rank = sizes.size();
    Index none = m.constant(0), one = m.constant(1);
    Value count = loopNest(l, sizes, m.value(none), [&](Lowering &inner, ArrayRef<Index> at, ValueRange found) {
                    Index more = inner.math.select(differs(inner, elementAt(inner, x, at), zero), one, none);
                    return SmallVector<Value>{inner.math.value(inner.math.add(found[0], more))};
                  }).front();
    Value empty = emptyTensor(l, {m.constant(rank), Index(count)}, l.b.getI64Type());
    SmallVector<Value> state{m.value(none), empty};
    Value result =
        loopNest(l, sizes, state, [&](Lowering &inner, ArrayRef<Index> at, ValueRange now) {
          Value here = inner.math.truth(differs(inner, elementAt(inner, x, at), zero));
          auto branch = scf::IfOp::create(
              inner.b, here,
              [&](OpBuilder &builder, Location) {
                Lowering then(builder, op);
                scf::YieldOp::create(then.b, written(then, now[1], at, now[0]));
              },
              [&](OpBuilder &builder, Location location) { scf::YieldOp::create(builder, location, now[1]); });
          Index next = inner.math.add(now[0], inner.math.select(Index(here), one, none));
          return SmallVector<Value>{inner.math.value(next), branch.getResult(0)};
        }).back();
    rewriter.replaceOp(op, castToLowered(l.b, op.getLoc(), result, op.getResult().getType()));
    return success();
  }

private:
  static Index differs(Lowering &l, Value element, Value zero) {
    if (isa<FloatType>(element.getType()))
      return Index(arith::CmpFOp::create(l.b, arith::CmpFPredicate::UNE, element, zero).getResult());
    return Index(arith::CmpIOp::create(l.b, arith::CmpIPredicate::ne, element, zero).getResult());
  }

  static Value written(Lowering &l, Value out, ArrayRef<Index> at, Value column) {
    for (auto [i, position] : llvm::enumerate(at)) {
      Value stored = arith::IndexCastOp::create(l.b, l.b.getI64Type(), l.math.value(position));
      SmallVector<Value> where{l.math.value(l.math.constant(i)), column};
      out = tensor::InsertOp::create(l.b, stored, out, where);
    }
    return out;
  }
};

} // namespace

void populateSortToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<OneHotLowering, TopkLowering, NonZeroLowering>(converter, patterns.getContext());
}

} // namespace clika
