// Sine and cosine with full range reduction.
#include "Pipelines/MathFunctions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace clika {
namespace {

using Floats = arith::CmpFPredicate;
using Integers = arith::CmpIPredicate;

// Minimax fits of (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2 on |r| <= pi / 4.
constexpr double kSin[] = {-0.16666655242443085, 0.0083321873098611832, -0.00019517897453624755};
constexpr double kCos[] = {0.041666645556688309, -0.0013887309469282627, 2.4432327336398885e-05};

// pi / 2 as a sum: 33 bits, so that a product with up to 20 bits is exact, and the rest.
constexpr double kHalfPiHigh = 0x1.921fb544p+0, kHalfPiLow = 0x1.0b4611a626331p-34;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
// Up to here the quotient by pi / 2 has 20 bits.
constexpr double kNearLimit = 0x1p20;
// 2 / pi in pieces of 29 bits: the product of one with a float is exact in f64. Together they carry 203 bits, 75 more
// than the largest float has before its point.
constexpr double kPieces[] = {0x1.45f306dp-1,   0x1.9391054p-30, 0x1.4fe13abp-59, 0x1.d1f534dp-88,
                              0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175};
constexpr double kRounder = 0x1.8p52;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x = quadrant * pi / 2 + r with |r| <= pi / 4, the quadrant modulo 4 in its lowest bits.
struct Angle {
  Value quadrant, r;
};

Angle reduceNear(MathBuilder &b, Value x) {
  Value wide = b.widen(x);
  Value shifted = b.add(b.mul(wide, kTwoOverPi), kRounder);
  Value turns = b.sub(shifted, kRounder);
  Value r = b.sub(b.sub(wide, b.mul(turns, kHalfPiHigh)), b.mul(turns, kHalfPiLow));
  return {b.truncate(b.bits(b.i64(), shifted)), b.narrow(r)};
}

// The quotient by pi / 2 modulo 4: each piece's share is exact, and so is taking multiples of 4 off it.
Angle reduceFar(MathBuilder &b, Value x) {
  Value wide = b.widen(x);
  Value sum, lost;
  for (double piece : kPieces) {
    Value share = b.mul(wide, piece);
    share = b.sub(share, b.mul(b.roundEven(b.mul(share, 0.25)), 4.0));
    if (!sum) {
      sum = share;
      continue;
    }
    // The sum and what its rounding loses.
    Value next = b.add(sum, share);
    Value part = b.sub(next, sum);
    Value error = b.add(b.sub(sum, b.sub(next, part)), b.sub(share, part));
    lost = lost ? b.add(lost, error) : error;
    sum = next;
  }
  Value turns = b.roundEven(sum);
  Value rest = b.add(b.sub(sum, turns), lost);
  Value r = b.narrow(b.mul(rest, kHalfPiHigh + kHalfPiLow));
  return {b.toInteger(b.i32(), turns), r};
}

// Whether any element of `condition` is true.
Value any(MathBuilder &b, Value condition) {
  auto vector = dyn_cast<VectorType>(condition.getType());
  if (!vector)
    return condition;
  if (vector.getRank() != 1) {
    auto flat = VectorType::get({vector.getNumElements()}, vector.getElementType());
    condition = vector::ShapeCastOp::create(b.builder, b.location, flat, condition);
  }
  return vector::ReductionOp::create(b.builder, b.location, vector::CombiningKind::OR, condition);
}

// The costly reduction runs only where an element needs it; each element's result depends on that element alone.
Angle reduce(MathBuilder &b, Value x) {
  Angle near = reduceNear(b, x);
  Value size = b.abs(x);
  Value isFar = b.both(b.is(Floats::OGE, size, kNearLimit), b.is(Floats::OLT, size, kInfinity));
  auto branch = scf::IfOp::create(b.builder, b.location, TypeRange{near.quadrant.getType(), near.r.getType()},
                                  any(b, isFar), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(branch.thenBlock());
  Angle far = reduceFar(b, b.select(isFar, x, b.number(x, 0.0)));
  Value quadrant = b.select(isFar, far.quadrant, near.quadrant), r = b.select(isFar, far.r, near.r);
  scf::YieldOp::create(b.builder, b.location, ValueRange{quadrant, r});
  b.builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b.builder, b.location, ValueRange{near.quadrant, near.r});
  return {branch.getResult(0), branch.getResult(1)};
}

// sin(r + quadrant * pi / 2).
Value sineOf(MathBuilder &b, Angle angle) {
  Value square = b.mul(angle.r, angle.r);
  Value sine = b.mulAdd(b.mul(angle.r, square), b.polynomial(square, kSin), angle.r);
  sine = b.copySign(sine, angle.r);
  Value cosine = b.mulAdd(square, -0.5, b.number(square, 1.0));
  cosine = b.mulAdd(b.mul(square, square), b.polynomial(square, kCos), cosine);
  Value even = b.is(Integers::eq, b.iand(angle.quadrant, 1), 0);
  Value result = b.select(even, sine, cosine);
  Value negative = b.is(Integers::ne, b.iand(angle.quadrant, 2), 0);
  return b.select(negative, b.neg(result), result);
}

} // namespace

// Within 2 ulp.
Value buildSin(MathBuilder &b, Value x) { return sineOf(b, reduce(b, x)); }

// Within 2 ulp.
Value buildCos(MathBuilder &b, Value x) {
  Angle angle = reduce(b, x);
  angle.quadrant = b.iadd(angle.quadrant, 1);
  return sineOf(b, angle);
}

} // namespace clika
