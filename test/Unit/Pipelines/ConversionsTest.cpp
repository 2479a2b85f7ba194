// Conversions to and from half precision: one rounding, to nearest even, subnormals and NaN included.
#include "Harness.h"
#include <gtest/gtest.h>
#include <bit>
#include <cmath>
#include <limits>

using namespace clika;
using namespace clika::test;

namespace {

std::uint16_t bfloatOf(double value) {
  if (std::isnan(value))
    return 0x7FC0;
  // The two neighbours of eight significant bits, and the nearer one; a tie goes to the even one.
  float nearest = static_cast<float>(value);
  std::uint16_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  int top = std::bit_cast<std::uint32_t>(nearest) >> 16;
  for (int candidate : {top - 1, top, top + 1}) {
    if (candidate < 0 || candidate > 0xFFFF)
      continue;
    double other = std::bit_cast<float>(static_cast<std::uint32_t>(candidate) << 16);
    if (std::isnan(other) || std::signbit(other) != std::signbit(value))
      continue;
    // An infinity stands where the next finite number would.
    if (std::isinf(other))
      other = std::copysign(std::ldexp(1.0, 128), value);
    double now = std::isinf(value)
                     ? (std::isinf(std::bit_cast<float>(static_cast<std::uint32_t>(candidate) << 16)) ? 0 : 1)
                     : std::abs(other - value);
    if (now < distance || (now == distance && candidate % 2 == 0)) {
      distance = now;
      best = static_cast<std::uint16_t>(candidate);
    }
  }
  return best;
}

std::uint16_t halfOf(double value) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)); }

std::vector<double> numbers() {
  std::vector<double> values = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                INFINITY,
                                -INFINITY,
                                65504,
                                65519.999,
                                65520,
                                3.4e38,
                                3.39e38,
                                1e-40,
                                -1e-41,
                                5.9604644775390625e-8,
                                2.98e-8,
                                1 + 1.0 / 256,
                                1 + 3.0 / 256,
                                1 + 1.0 / 256 + 1e-12,
                                1 + 1.0 / 2048,
                                1 + 1.0 / 2048 + 1e-13,
                                1e300,
                                -1e-300};
  std::vector<float> random = randomFloats(400);
  for (std::size_t i = 0; i + 1 < random.size(); ++i)
    values.push_back(std::ldexp(static_cast<double>(random[i]) + random[i + 1] * 1e-9, static_cast<int>(i % 60) - 30));
  return values;
}

std::vector<std::uint16_t> convert(const std::string &op, const std::string &from, const std::string &to,
                                   const Array &input) {
  std::string n = std::to_string(input.shape[0]);
  std::string a = "tensor<" + n + "x" + from + ">", r = "tensor<" + n + "x" + to + ">";
  return evaluate("func.func @main(%a: " + a + ") -> " + r + " {\n%0 = " + op + " %a : " + a + " to " + r +
                      "\nreturn %0 : " + r + "\n}",
                  {input})
      .at(0)
      .as<std::uint16_t>();
}

template <typename T>
Array arrayOf(const std::vector<T> &values) {
  return Array::of({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Conversions, DoubleToHalf) {
  std::vector<double> values = numbers();
  std::vector<std::uint16_t> half, bfloat;
  for (double value : values) {
    half.push_back(halfOf(value));
    bfloat.push_back(bfloatOf(value));
  }
  EXPECT_EQ(convert("arith.truncf", "f64", "f16", arrayOf(values)), half);
  EXPECT_EQ(convert("arith.truncf", "f64", "bf16", arrayOf(values)), bfloat);
}

TEST(Conversions, FloatToHalf) {
  std::vector<float> values;
  for (double value : numbers())
    values.push_back(static_cast<float>(value));
  std::vector<std::uint16_t> half, bfloat;
  for (float value : values) {
    half.push_back(halfOf(value));
    bfloat.push_back(bfloatOf(value));
  }
  EXPECT_EQ(convert("arith.truncf", "f32", "f16", arrayOf(values)), half);
  EXPECT_EQ(convert("arith.truncf", "f32", "bf16", arrayOf(values)), bfloat);
}

TEST(Conversions, NanStaysNan) {
  Array nans = arrayOf(std::vector<float>{NAN, -NAN, std::bit_cast<float>(0x7F800001u)});
  for (std::uint16_t bits : convert("arith.truncf", "f32", "bf16", nans))
    EXPECT_GT(bits & 0x7FFF, 0x7F80);
  for (std::uint16_t bits : convert("arith.truncf", "f32", "f16", nans))
    EXPECT_GT(bits & 0x7FFF, 0x7C00);
}

TEST(Conversions, IntegersToHalf) {
  std::vector<std::int64_t> values = {0,
                                      1,
                                      -1,
                                      255,
                                      257,
                                      258,
                                      65519,
                                      65520,
                                      -65520,
                                      INT64_MAX,
                                      INT64_MIN,
                                      (std::int64_t(1) << 60) + (std::int64_t(1) << 52) + 1,
                                      (std::int64_t(1) << 60) + (std::int64_t(1) << 52),
                                      -(std::int64_t(1) << 60) - (std::int64_t(1) << 52) - 1};
  std::vector<std::uint16_t> half, bfloat;
  for (std::int64_t value : values) {
    half.push_back(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)));
    // 2^60 + 2^52 lies half-way between two bfloat16; one more or less decides, which a double does not show.
    double wide = static_cast<double>(value);
    std::int64_t back = std::abs(wide) < 9e18 ? static_cast<std::int64_t>(wide) : value;
    bfloat.push_back(bfloatOf(value == back ? wide : wide * (1 + (value > 0) * 1e-15 + (value < 0) * 1e-15)));
  }
  EXPECT_EQ(convert("arith.sitofp", "i64", "f16", arrayOf(values)), half);
  EXPECT_EQ(convert("arith.sitofp", "i64", "bf16", arrayOf(values)), bfloat);
}

TEST(Conversions, HalfToFloatIsExact) {
  std::vector<std::uint16_t> all;
  for (int bits = 0; bits != 0x10000; ++bits)
    all.push_back(static_cast<std::uint16_t>(bits));
  auto widen = [&](const std::string &type) {
    return evaluate("func.func @main(%a: tensor<65536x" + type + ">) -> tensor<65536xf32> {\n%0 = arith.extf %a : " +
                        "tensor<65536x" + type + "> to tensor<65536xf32>\nreturn %0 : tensor<65536xf32>\n}",
                    {arrayOf(all)})
        .at(0)
        .as<float>();
  };
  std::vector<float> half = widen("f16"), bfloat = widen("bf16");
  for (int bits = 0; bits != 0x10000; ++bits) {
    auto number = static_cast<float>(std::bit_cast<_Float16>(all[bits]));
    if (std::isnan(number))
      EXPECT_TRUE(std::isnan(half[bits]));
    else
      EXPECT_EQ(std::bit_cast<std::uint32_t>(half[bits]), std::bit_cast<std::uint32_t>(number));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(bfloat[bits]), static_cast<std::uint32_t>(bits) << 16);
  }
}

TEST(Conversions, HalfArithmeticRoundsOnce) {
  std::vector<_Float16> a, b, expected;
  for (float x : randomFloats(100, 1))
    a.push_back(static_cast<_Float16>(x));
  for (float x : randomFloats(100, 2))
    b.push_back(static_cast<_Float16>(x));
  for (int i = 0; i != 100; ++i)
    expected.push_back(static_cast<_Float16>(static_cast<float>(a[i]) * static_cast<float>(b[i])));
  auto got = evaluate("func.func @main(%a: tensor<100xf16>, %b: tensor<100xf16>) -> tensor<100xf16> {\n"
                      "%0 = arith.mulf %a, %b : tensor<100xf16>\nreturn %0 : tensor<100xf16>\n}",
                      {arrayOf(a), arrayOf(b)});
  EXPECT_EQ(got.at(0).bytes, arrayOf(expected).bytes);
}

} // namespace
