#include "Conversion/ClikaToLinalg/ResizeAxis.h"

#include "Dialect/ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace clika {
namespace {

// Float64 arithmetic, spelled short.
struct Numbers {
  explicit Numbers(Lowering &l) : l(l), b(l.b) {}

  Value of(double value) { return arith::ConstantOp::create(b, b.getF64FloatAttr(value)); }
  Value of(Index index) {
    return arith::SIToFPOp::create(b, b.getF64Type(),
                                   arith::IndexCastOp::create(b, b.getI64Type(), l.math.value(index)));
  }
  Value of(Value number) {
    Type f64 = b.getF64Type();
    return number.getType() == f64 ? number : Value(arith::ExtFOp::create(b, f64, number));
  }
  Index whole(Value number) { return Index(toIndex(l, number, b.getF64Type())); }
  Value integer(Value number) { return arith::FPToSIOp::create(b, b.getI64Type(), number); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value min(Value x, Value y) { return arith::MinNumFOp::create(b, x, y); }
  Value max(Value x, Value y) { return arith::MaxNumFOp::create(b, x, y); }
  Value floor(Value x) { return math::FloorOp::create(b, x); }
  Value ceil(Value x) { return math::CeilOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value compare(arith::CmpFPredicate kind, Value x, Value y) { return arith::CmpFOp::create(b, kind, x, y); }
  Value less(Value x, Value y) { return compare(arith::CmpFPredicate::OLT, x, y); }
  Value equal(Value x, Value y) { return compare(arith::CmpFPredicate::OEQ, x, y); }
  // Rounded to float32.
  Value narrowed(Value x) { return of(arith::TruncFOp::create(b, b.getF32Type(), x)); }

  Lowering &l;
  ImplicitLocOpBuilder &b;
};

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

// A ratio that all axes share.
struct Ratio {
  Index want, have;
};

Ratio sharedRatio(Lowering &l, StringRef policy, ArrayRef<Index> want, ArrayRef<Index> have) {
  IndexMath &m = l.math;
  Ratio ratio{want[0], have[0]};
  for (size_t i = 1; i < want.size(); ++i) {
    Index mine = m.mul(want[i], ratio.have), best = m.mul(ratio.want, have[i]);
    Index better = policy == "NotLarger" ? m.less(mine, best) : m.less(best, mine);
    ratio = {m.select(better, want[i], ratio.want), m.select(better, have[i], ratio.have)};
  }
  return ratio;
}

void sizeByWish(Lowering &l, ResizeOp op, ArrayRef<Index> wanted, SmallVectorImpl<ResizeAxis> &axes) {
  IndexMath &m = l.math;
  Numbers f(l);
  if (op.getKeepAspectRatioPolicy() == "Stretch") {
    for (auto [axis, want] : llvm::zip(axes, wanted)) {
      axis.out = want;
      axis.length = f.of(want);
    }
    return;
  }
  Indices have;
  for (ResizeAxis &axis : axes)
    have.push_back(axis.in);
  Ratio ratio = sharedRatio(l, op.getKeepAspectRatioPolicy(), wanted, have);
  Index divisor = m.max(ratio.have, m.constant(1)), two = m.constant(2);
  for (ResizeAxis &axis : axes) {
    Index product = m.mul(axis.in, ratio.want);
    axis.out = m.div(m.add(m.mul(product, two), divisor), m.mul(divisor, two));
    axis.length = f.div(f.of(product), f.of(divisor));
  }
}

void sizeByScale(Lowering &l, ResizeOp op, Value scales, SmallVectorImpl<ResizeAxis> &axes) {
  Numbers f(l);
  Dims known = dimsOf(op.getResult().getType());
  std::optional<SmallVector<double>> constants = constantNumbers(op.getScales());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value scale;
    if (constants) {
      scale = f.of((*constants)[i]);
    } else {
      Value stored = elementAt(l, scales, l.math.constant(i));
      scale = f.of(stored);
      Value sound = f.compare(arith::CmpFPredicate::OGT, scale, f.of(0.0));
      Value finite = f.less(scale, f.of(1e15));
      l.check(l.math.both(Index(sound), Index(finite)),
              "the scale of axis " + Twine(axis.axis) + " is not a positive number below 1e15");
    }
    Value in = f.of(axis.in);
    if (std::optional<int64_t> size = constantOf(known[axis.axis]))
      axis.out = l.math.constant(*size);
    else
      axis.out = f.whole(f.floor(f.narrowed(f.mul(f.narrowed(in), f.narrowed(scale)))));
    Value out = f.of(axis.out);
    Value ratio = f.narrowed(f.div(out, in));
    axis.length = f.select(f.equal(ratio, f.narrowed(scale)), out, f.mul(in, scale));
  }
}

// Whether the result is x along the axis, whatever the mode of interpolation.
bool isIdentity(ResizeOp op, const ResizeAxis &axis, unsigned place) {
  StringRef mode = op.getCoordinateTransformationMode();
  if (mode == "TfCropAndResize" || mode == "TfHalfPixelForNn")
    return false;
  if (std::optional<SmallVector<double>> scales = constantNumbers(op.getScales()))
    return (*scales)[place] == 1.0;
  if (op.getScales() || op.getKeepAspectRatioPolicy() != "Stretch")
    return false;
  return axis.in == axis.out ||
         sameDim(dimsOf(op.getX().getType())[axis.axis], dimsOf(op.getResult().getType())[axis.axis]);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

// Where element `i` of the result lies in x. One division each, of numbers that are exact, so that whole and half
// positions come out exactly.
Value positionOf(Lowering &l, ResizeOp op, const ResizeAxis &axis, Index i) {
  Numbers f(l);
  StringRef mode = op.getCoordinateTransformationMode();
  Value x = f.of(i), in = f.of(axis.in), half = f.of(0.5), one = f.of(1.0), length = axis.length;
  Value last = f.sub(in, one), steps = f.sub(length, one);
  auto scaled = [&](Value place) { return f.div(f.mul(place, in), length); };
  if (mode == "HalfPixel")
    return f.sub(scaled(f.add(x, half)), half);
  if (mode == "PytorchHalfPixel") {
    Value many = l.math.truth(l.math.less(l.math.constant(1), axis.out));
    return f.select(many, f.sub(scaled(f.add(x, half)), half), f.of(0.0));
  }
  if (mode == "HalfPixelSymmetric") {
    Value offset = f.sub(f.add(x, half), f.mul(f.of(axis.out), half));
    return f.add(scaled(offset), f.mul(last, half));
  }
  if (mode == "Asymmetric")
    return scaled(x);
  if (mode == "TfHalfPixelForNn")
    return scaled(f.add(x, half));
  Value single = f.equal(length, one);
  if (mode == "AlignCorners")
    return f.select(single, f.of(0.0), f.div(f.mul(x, last), steps));
  Value span = f.sub(axis.end, axis.start), begin = f.mul(axis.start, last);
  Value middle = f.div(f.mul(span, last), f.of(2.0));
  return f.add(begin, f.select(single, middle, f.div(f.mul(f.mul(x, span), last), steps)));
}

// Held in [0, size), as an int64.
Value held(Lowering &l, Value position, const ResizeAxis &axis) {
  Numbers f(l);
  Value last = f.max(f.sub(f.of(axis.in), f.of(1.0)), f.of(0.0));
  return f.integer(f.min(f.max(position, f.of(0.0)), last));
}

Value inside(Lowering &l, Value position, const ResizeAxis &axis) {
  Numbers f(l);
  Value reached = f.compare(arith::CmpFPredicate::OGE, position, f.of(0.0));
  Value notPassed = f.compare(arith::CmpFPredicate::OLE, position, f.sub(f.of(axis.in), f.of(1.0)));
  return arith::AndIOp::create(l.b, reached, notPassed);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

// The filter at distance `x`, before its weights are made to add up to 1.
Value filterAt(Lowering &l, ResizeOp op, Value x) {
  Numbers f(l);
  Value t = f.abs(x), zero = f.of(0.0), one = f.of(1.0);
  if (op.getMode() == "Linear")
    return f.max(f.sub(one, t), zero);
  double a = op.getCubicCoeffA().convertToDouble();
  // ((a + 2) t - (a + 3)) t^2 + 1 up to 1, and ((a t - 5a) t + 8a) t - 4a from there up to 2.
  Value near = f.add(f.mul(f.mul(f.sub(f.mul(f.of(a + 2), t), f.of(a + 3)), t), t), one);
  Value far = f.sub(f.mul(f.add(f.mul(f.sub(f.mul(f.of(a), t), f.of(5 * a)), t), f.of(8 * a)), t), f.of(4 * a));
  Value outer = f.select(f.less(t, f.of(2.0)), far, zero);
  return f.select(f.compare(arith::CmpFPredicate::OLE, t, one), near, outer);
}

// How far the filter reaches to each side, in elements of x: an integer for the neighbours that it covers.
Index reachOf(Lowering &l, ResizeOp op, const ResizeAxis &axis, int64_t radius) {
  Index least = l.math.constant(radius);
  if (!op.getAntialias())
    return least;
  std::optional<int64_t> in = IndexMath::known(axis.in), out = IndexMath::known(axis.out);
  if (in && out && *out > 0 && !op.getScales() && op.getKeepAspectRatioPolicy() == "Stretch")
    return l.math.constant(std::max(radius, (radius * *in + *out - 1) / *out));
  Numbers f(l);
  Value stretched = f.div(f.mul(f.of(static_cast<double>(radius)), f.of(axis.in)), axis.length);
  return l.math.max(f.whole(f.ceil(f.min(stretched, f.of(4e9)))), least);
}

} // namespace

SmallVector<ResizeAxis> resizeAxes(Lowering &l, ResizeOp op, ResizeOp::Adaptor adaptor) {
  Indices from = sizesOf(l.b, adaptor.getX());
  SmallVector<ResizeAxis> axes;
  int64_t rank = from.size();
  for (int64_t i = 0, count = op.getAxes().empty() ? rank : op.getAxes().size(); i < count; ++i) {
    ResizeAxis &axis = axes.emplace_back();
    axis.axis = op.getAxes().empty() ? i : op.getAxes()[i] + (op.getAxes()[i] < 0 ? rank : 0);
    axis.in = from[axis.axis];
  }
  auto checkLength = [&](Value tensor, size_t count, StringRef name) {
    l.check(l.math.equal(sizesOf(l.b, tensor)[0], l.math.constant(count)),
            name + " has another number of entries than needed");
  };
  if (op.getScales()) {
    checkLength(adaptor.getScales(), axes.size(), "scales");
    sizeByScale(l, op, adaptor.getScales(), axes);
  } else {
    sizeByWish(l, op, integerEntries(l, op.getSizes(), op.getSizesTensor(), adaptor.getSizesTensor()), axes);
  }
  bool crops = op.getCoordinateTransformationMode() == "TfCropAndResize";
  if (crops)
    checkLength(adaptor.getRoi(), 2 * axes.size(), "roi");
  SmallVector<ResizeAxis> kept;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Index zero = l.math.constant(0);
    l.check(l.math.both(l.math.atLeast(axis.out, zero),
                        l.math.either(l.math.less(zero, axis.in), l.math.equal(axis.out, zero))),
            "axis " + Twine(axis.axis) + " cannot be resized to a negative size, nor from nothing to something");
    if (crops) {
      Numbers f(l);
      axis.start = f.of(elementAt(l, adaptor.getRoi(), l.math.constant(i)));
      axis.end = f.of(elementAt(l, adaptor.getRoi(), l.math.constant(i + axes.size())));
    }
    if (!isIdentity(op, axis, i))
      kept.push_back(axis);
  }
  return kept;
}

Value nearestTable(Lowering &l, ResizeOp op, const ResizeAxis &axis) {
  StringRef mode = op.getNearestMode();
  bool crops = op.getCoordinateTransformationMode() == "TfCropAndResize";
  return buildElements(l, axis.out, l.b.getI64Type(), [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
    Numbers f(inner);
    Value position = positionOf(inner, op, axis, at[0]), half = f.of(0.5), nearest;
    if (mode == "RoundPreferFloor")
      nearest = f.ceil(f.sub(position, half));
    else if (mode == "RoundPreferCeil")
      nearest = f.floor(f.add(position, half));
    else
      nearest = mode == "Floor" ? f.floor(position) : f.ceil(position);
    Value place = held(inner, nearest, axis);
    if (!crops)
      return place;
    Value outside = arith::ConstantOp::create(inner.b, inner.b.getI64IntegerAttr(-1));
    return f.select(inside(inner, position, axis), place, outside);
  });
}

Value insideTable(Lowering &l, ResizeOp op, const ResizeAxis &axis) {
  return buildElements(l, axis.out, l.b.getI8Type(), [&](Lowering &inner, ArrayRef<Index> at, ValueRange) -> Value {
    Value truth = inside(inner, positionOf(inner, op, axis, at[0]), axis);
    return arith::ExtUIOp::create(inner.b, inner.b.getI8Type(), truth);
  });
}

Taps tapTables(Lowering &l, ResizeOp op, const ResizeAxis &axis, Type type) {
  IndexMath &m = l.math;
  bool antialias = op.getAntialias();
  Index reach = reachOf(l, op, axis, op.getMode() == "Linear" ? 1 : 2);
  Taps taps{m.mul(reach, m.constant(2)), Value(), Value()};
  Indices sizes{axis.out, taps.count};
  Type f64 = l.b.getF64Type();

  // The k-th neighbour and the position it is a neighbour of.
  auto neighbour = [&](Lowering &inner, ArrayRef<Index> at, Value &position) {
    Numbers f(inner);
    position = positionOf(inner, op, axis, at[0]);
    Value base = antialias ? f.sub(f.ceil(position), f.of(1.0)) : f.floor(position);
    Index offset = inner.math.sub(at[1], inner.math.sub(reach, inner.math.constant(1)));
    return f.add(base, f.of(offset));
  };
  taps.places = buildElements(l, sizes, l.b.getI64Type(), [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
    Value position;
    return held(inner, neighbour(inner, at, position), axis);
  });
  Value raw = buildElements(l, sizes, f64, [&](Lowering &inner, ArrayRef<Index> at, ValueRange) {
    Numbers f(inner);
    Value position, place = neighbour(inner, at, position), distance = f.sub(place, position);
    if (antialias)
      distance = f.mul(distance, f.min(f.div(axis.length, f.of(axis.in)), f.of(1.0)));
    Value weight = filterAt(inner, op, distance);
    return op.getExcludeOutside() ? f.select(inside(inner, place, axis), weight, f.of(0.0)) : weight;
  });
  bool divides = antialias || op.getExcludeOutside();
  Value sums;
  AffineMap row = AffineMap::get(2, 0, {l.b.getAffineDimExpr(0)}, l.b.getContext());
  AffineMap identity = l.b.getMultiDimIdentityMap(2);
  if (divides) {
    Value zeros = filled(l, axis.out, arith::ConstantOp::create(l.b, l.b.getF64FloatAttr(0.0)));
    SmallVector<AffineMap> maps{identity, row};
    SmallVector<utils::IteratorType> loops{utils::IteratorType::parallel, utils::IteratorType::reduction};
    auto body = [](OpBuilder &builder, Location at, ValueRange args) {
      linalg::YieldOp::create(builder, at, Value(arith::AddFOp::create(builder, at, args[1], args[0])));
    };
    sums = linalg::GenericOp::create(l.b, zeros.getType(), raw, zeros, maps, loops, body).getResult(0);
  }
  SmallVector<Value> inputs{raw};
  SmallVector<AffineMap> maps{identity};
  if (divides) {
    inputs.push_back(sums);
    maps.push_back(row);
  }
  taps.weights =
      buildElements(l, sizes, type, inputs, maps, [&](Lowering &inner, ArrayRef<Index>, ValueRange args) -> Value {
        Value weight = divides ? Value(arith::DivFOp::create(inner.b, args[0], args[1])) : args[0];
        return weight.getType() == type ? weight : Value(arith::TruncFOp::create(inner.b, type, weight));
      });
  return taps;
}

} // namespace clika
