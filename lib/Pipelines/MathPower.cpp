// Powers.
#include "Pipelines/MathFunctions.h"

using namespace mlir;

namespace clika {
namespace {

using Floats = arith::CmpFPredicate;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Minimax fits: of log2((1 + s) / (1 - s)) / s in s^2 for mantissas of [sqrt(1/2), sqrt(2)], and of 2^f on |f| <= 1/2.
constexpr double kLog2[] = {2.8853900817779268,  0.96179669392598993, 0.57707801634542841, 0.41219858585990715,
                            0.32059853304146785, 0.26233444717234805, 0.22091071153707836, 0.21368231366001453};
constexpr double kExp2[] = {1.0000000000000269,     0.69314718054593072,    0.24022650695467535,
                            0.055504109412147236,   0.0096181292284985147,  0.0013333450560979849,
                            0.00015403411629797968, 1.5310081006195025e-05, 1.3264069525587168e-06};
constexpr double kRounder = 0x1.8p52;

// log2 of a positive f64 that came of an f32 (so it is normal); infinities and NaN are the caller's.
Value log2(MathBuilder &b, Value x) {
  constexpr int64_t kRootHalf = 0x3FE6A09E667F3BCD;
  Value bits = b.bits(b.i64(), x);
  Value k = b.shiftRight(b.iadd(bits, -kRootHalf), 52);
  Value m = b.bits(b.f64(), b.isub(bits, b.shiftLeft(k, 52)));
  Value s = b.div(b.sub(m, 1.0), b.add(m, 1.0));
  return b.mulAdd(s, b.polynomial(b.mul(s, s), kLog2), b.toFloat(b.f64(), b.truncate(k)));
}

// 2^x for |x| <= 1000.
Value exp2(MathBuilder &b, Value x) {
  Value shifted = b.add(x, kRounder);
  Value fraction = b.sub(x, b.sub(shifted, kRounder));
  Value scale = b.bits(b.f64(), b.shiftLeft(b.iadd(b.bits(b.i64(), shifted), 1023), 52));
  return b.mul(b.polynomial(fraction, kExp2), scale);
}

} // namespace

// Within 1 ulp: computed in f64, of which f32 takes the last rounding, and with it overflow and underflow.
Value buildPow(MathBuilder &b, Value x, Value y) {
  Value size = b.abs(x);
  Value base = b.widen(size), power = b.widen(y);
  Value log = b.select(b.is(Floats::OEQ, base, 0.0), -kInfinity,
                       b.select(b.is(Floats::OLT, base, kInfinity), log2(b, base), base));
  Value exponent = b.atLeast(b.atMost(b.mul(log, power), 400.0), -400.0);
  Value result = b.narrow(exp2(b, exponent));
  // exp2 above makes nothing of a NaN.
  result = b.select(b.is(Floats::UNO, exponent, exponent), kNan, result);

  // A negative base: the sign of an odd power, and no value for a power that is not whole.
  Value negative = b.is(Floats::OLT, x, 0.0);
  Value half = b.mul(y, 0.5);
  Value odd = b.both(b.is(Floats::OEQ, b.roundEven(y), y), b.is(Floats::ONE, b.roundEven(half), half));
  result = b.select(odd, b.copySign(result, x), result);
  Value finite = b.both(b.is(Floats::OLT, size, kInfinity), b.is(Floats::OLT, b.abs(y), kInfinity));
  Value fractional = b.is(Floats::ONE, b.roundEven(y), y);
  result = b.select(b.both(b.both(negative, finite), fractional), kNan, result);

  Value one = b.either(b.is(Floats::OEQ, y, 0.0), b.is(Floats::OEQ, x, 1.0));
  one = b.either(one, b.both(b.is(Floats::OEQ, size, 1.0), b.is(Floats::OEQ, b.abs(y), kInfinity)));
  return b.select(one, 1.0, result);
}

} // namespace clika
