#include "Pipelines/MathFunctions.h"

#include <limits>

using namespace mlir;

namespace clika {
namespace {

using Floats = arith::CmpFPredicate;
using Integers = arith::CmpIPredicate;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// log(2) as a sum whose first part times a small integer is exact.
constexpr double kLn2High = 0.693359375, kLn2Low = -2.12194440054690583e-4;
constexpr double kLog2E = 1.44269504088896340736;
// Added to a small number it leaves the nearest integer in the lowest bits.
constexpr double kRounder = 12582912.0;
constexpr int64_t kRounderBits = 0x4B400000;

// Minimax fits of (e^r - 1 - r) / r^2 on |r| <= log(2) / 2, for e^r and for e^r - 1.
constexpr double kExp[] = {0.49999994039535522, 0.16666521131992340, 0.041668388992547989, 0.0083687445148825645,
                           0.0013814565027132630};
constexpr double kExpM1[] = {0.5,
                             0.16666665673255920,
                             0.041666358709335327,
                             0.0083333896473050117,
                             0.0013940668432042003,
                             0.00019845878705382347};
// Of (log(1 + f) - f + f^2 / 2) / f^3 on sqrt(1/2) - 1 <= f <= sqrt(2) - 1.
constexpr double kLog[] = {0.33333313465118408,  -0.25000008940696716, 0.20002117753028870,
                           -0.16667996346950531, 0.14219561219215393,  -0.12405591458082199,
                           0.11888108402490616,  -0.11675619333982468, 0.067467123270034790};
// Of (tanh(x) / x - 1) / x^2 in x^2 on |x| <= 0.55.
constexpr double kTanh[] = {-0.33333316445350647, 0.13332585990428925, -0.053852319717407227, 0.021071719005703926,
                            -0.0062742894515395164};
// Of erf(x) / x - 1 in x^2 on |x| <= 1, and of log(1 - erf(x)) / x on 1 <= x <= 4, weighted so that 1 - erf(x) is off
// by 2.5e-9 at most.
constexpr double kErfNear[] = {0.12837916612625122,   -0.37612625956535339,  0.11283585429191589,
                               -0.026853812858462334, 0.0051883277483284473, -0.00080101937055587769,
                               7.8538614616263658e-05};
constexpr double kErfFar[] = {-1.128475546836853,   -0.6358463764190674,   -0.10509667545557022,
                              0.022786088287830353, -0.003183118300512433, 0.00021018223196733743};
// 2^n of an i32, -126 <= n <= 127.
Value powerOfTwo(MathBuilder &b, Value n) { return b.bits(b.f32(), b.shiftLeft(b.iadd(n, 127), 23)); }
Value minusPowerOfTwo(MathBuilder &b, Value n) { return b.bits(b.f32(), b.shiftLeft(b.iadd(n, 127 + 256), 23)); }

// x = n log(2) + r with |r| <= log(2) / 2.
struct Reduced {
  Value n, r;
};

Reduced reduceByLn2(MathBuilder &b, Value x) {
  Value shifted = b.mulAdd(x, b.number(x, kLog2E), kRounder);
  Value n = b.sub(shifted, kRounder);
  Value r = b.mulAdd(n, -kLn2Low, b.mulAdd(n, -kLn2High, x));
  return {b.iadd(b.bits(b.i32(), shifted), -kRounderBits), r};
}

Value expOfReduced(MathBuilder &b, Value r) { return b.add(b.mulAdd(b.mul(r, r), b.polynomial(r, kExp), r), 1.0); }

// e^r - 1.
Value expM1OfReduced(MathBuilder &b, Value r) { return b.mulAdd(b.mul(r, r), b.polynomial(r, kExpM1), r); }

} // namespace

// Within 1 ulp. The power of two is applied in two steps: the first is exact, the second rounds a subnormal result
// once.
Value buildExp(MathBuilder &b, Value x) {
  auto [n, r] = reduceByLn2(b, b.atLeast(b.atMost(x, 89.0), -104.0));
  Value half = b.shiftRight(n, 1);
  Value scaled = b.mul(expOfReduced(b, r), powerOfTwo(b, half));
  return b.mul(scaled, powerOfTwo(b, b.isub(n, half)));
}

// Within 2 ulp. 2^n (p + 1) - 1 with p = e^r - 1, halved so that 2^n does not overflow before the result does.
Value buildExpM1(MathBuilder &b, Value x) {
  auto [n, r] = reduceByLn2(b, b.atLeast(b.atMost(x, 89.0), -30.0));
  Value scale = powerOfTwo(b, b.iadd(n, -1));
  Value half = b.mulAdd(expM1OfReduced(b, r), scale, b.sub(scale, 0.5));
  return b.copySign(b.add(half, half), x);
}

// Within 1 ulp. x = 2^k (1 + f), a subnormal x scaled first.
Value buildLog(MathBuilder &b, Value x) {
  Value tiny = b.is(Floats::OLT, x, std::numeric_limits<float>::min());
  Value scaled = b.select(tiny, b.mul(x, 0x1p25), x);
  Value bits = b.bits(b.i32(), scaled);
  constexpr int64_t kRootHalf = 0x3F3504F3;
  Value k = b.shiftRight(b.iadd(bits, -kRootHalf), 23);
  Value f = b.sub(b.bits(b.f32(), b.isub(bits, b.shiftLeft(k, 23))), 1.0);
  Value exponent = b.toFloat(b.f32(), k);
  exponent = b.select(tiny, b.sub(exponent, 25.0), exponent);

  Value square = b.mul(f, f);
  Value tail = b.mul(b.mul(f, square), b.polynomial(f, kLog));
  tail = b.mulAdd(exponent, kLn2Low, tail);
  tail = b.mulAdd(square, -0.5, tail);
  Value result = b.mulAdd(exponent, kLn2High, b.add(f, tail));

  Value regular = b.both(b.is(Floats::OGT, x, 0.0), b.is(Floats::OLT, x, kInfinity));
  // What is left is +infinity and NaN, which stay.
  Value other = b.select(b.is(Floats::OLT, x, 0.0), kNan, b.select(b.is(Floats::OEQ, x, 0.0), -kInfinity, x));
  return b.select(regular, result, other);
}

// Within 2 ulp. log(u) with u = 1 + x rounded, and what that rounding lost over u.
Value buildLog1p(MathBuilder &b, Value x) {
  Value u = b.add(x, 1.0);
  Value lost = b.sub(x, b.sub(u, 1.0));
  Value log = buildLog(b, u);
  Value finite = b.is(Floats::OLT, b.abs(log), kInfinity);
  Value result = b.select(finite, b.add(log, b.div(lost, u)), log);
  return b.select(b.is(Floats::OLT, b.abs(x), 0x1p-24), x, result);
}

// Within 2 ulp. Away from zero t / (t + 2) with t = e^(2|x|) - 1.
Value buildTanh(MathBuilder &b, Value x) {
  Value magnitude = b.abs(x);
  Value square = b.mul(x, x);
  Value near = b.mulAdd(b.mul(x, square), b.polynomial(square, kTanh), x);
  Value size = b.atMost(magnitude, 10.0);
  auto [n, r] = reduceByLn2(b, b.add(size, size));
  Value scale = powerOfTwo(b, n);
  Value t = b.mulAdd(expM1OfReduced(b, r), scale, b.sub(scale, 1.0));
  Value far = b.div(t, b.add(t, 2.0));
  return b.copySign(b.select(b.is(Floats::OLT, magnitude, 0.55), near, far), x);
}

// Within 2 ulp.
Value buildErf(MathBuilder &b, Value x) {
  Value size = b.abs(x);
  Value near = b.mulAdd(x, b.polynomial(b.mul(x, x), kErfNear), x);
  Value bounded = b.atMost(size, 4.0);
  auto [n, r] = reduceByLn2(b, b.mul(bounded, b.polynomial(bounded, kErfFar)));
  Value far = b.copySign(b.mulAdd(expOfReduced(b, r), minusPowerOfTwo(b, n), 1.0), x);
  return b.select(b.is(Floats::OLT, size, 1.0), near, far);
}

} // namespace clika
