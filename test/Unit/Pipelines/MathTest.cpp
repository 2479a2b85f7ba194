// Elementary functions of compiled programs over the whole range of f32, against the C library's f64 ones.
#include "Harness.h"
#include <gtest/gtest.h>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace clika;
using namespace clika::test;

namespace {

using Function = double (*)(double);

struct Case {
  const char *op;
  Function reference;
  double ulps;
};

void PrintTo(const Case &c, std::ostream *os) { *os << c.op; }

double ulpOf(double value) {
  constexpr double kSmallestNormal = std::numeric_limits<float>::min();
  return std::ldexp(1.0, std::max(std::ilogb(std::max(std::fabs(value), kSmallestNormal)), -126) - 23);
}

float fromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Floats of every exponent and sign, evenly over their bits; with CLIKA_ALL_FLOATS set, every one.
std::vector<float> sweep(std::uint64_t first, std::uint64_t count, std::uint64_t step) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i != count; ++i) {
    std::uint64_t bits = first + i * step;
    if (bits > 0xffffffffull)
      break;
    values.push_back(fromBits(static_cast<std::uint32_t>(bits)));
  }
  return values;
}

std::string program(const std::string &op, const std::string &type) {
  return "func.func @main(%x: tensor<" + type + ">) -> tensor<" + type + "> {\n  %0 = math." + op + " %x : tensor<" +
         type + ">\n  return %0 : tensor<" + type + ">\n}";
}

// How many ulp `got` is off; infinity where it is wrong in kind or sign.
double errorInUlps(float got, double exact) {
  float rounded = static_cast<float>(exact);
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0.0 : INFINITY;
  if (std::signbit(got) != std::signbit(rounded))
    return INFINITY;
  if (std::isinf(got) || std::isinf(rounded))
    return got == rounded ? 0.0 : INFINITY;
  return std::fabs(got - exact) / ulpOf(exact);
}

class Elementary : public testing::TestWithParam<Case> {};

TEST_P(Elementary, HoldsItsBoundOverAllFloats) {
  const Case &c = GetParam();
  auto compiled = compileText(program(c.op, "?xf32"));
  ASSERT_TRUE(compiled);
  bool all = std::getenv("CLIKA_ALL_FLOATS") != nullptr;
  const std::uint64_t step = all ? 1 : 4093, chunk = 1 << 20;
  double worst = 0.0;
  float at = 0.0f;
  for (std::uint64_t first = 0; first <= 0xffffffffull; first += chunk * step) {
    std::vector<float> x = sweep(first, chunk, step);
    std::vector<float> y = run(*compiled, {Array::of({std::int64_t(x.size())}, x)})[0].as<float>();
    for (std::size_t i = 0; i != x.size(); ++i) {
      double error = errorInUlps(y[i], c.reference(x[i]));
      if (error > worst)
        worst = error, at = x[i];
    }
  }
  RecordProperty("ulp", std::to_string(worst));
  EXPECT_LE(worst, c.ulps) << c.op << " at " << std::hexfloat << at;
}

// What the bound says nothing of: the bits are the same wherever an element lies, beside whatever.
TEST_P(Elementary, DoesNotDependOnNeighbours) {
  const Case &c = GetParam();
  std::vector<float> x = {0.0f,     -0.0f,      1.5f,  -1.5f,    1e-41f,    -1e-41f,    3e38f,     -1e30f,     88.7f,
                          -100.0f,  2097152.5f, -7.0f, INFINITY, -INFINITY, NAN,        0.55f,     1.0f,       -1.0f,
                          0x1p-25f, 2.718281f,  1e5f,  1e10f,    -0.5f,     -0x1p-126f, 0x1p-149f, 3.1415927f, 0.1f};
  auto dynamic = compileText(program(c.op, "?xf32")), scalar = compileText(program(c.op, "f32"));
  ASSERT_TRUE(dynamic && scalar);
  std::vector<float> together = run(*dynamic, {Array::of({std::int64_t(x.size())}, x)})[0].as<float>();
  for (std::size_t i = 0; i != x.size(); ++i) {
    float alone = run(*scalar, {Array::of<float>({}, {x[i]})})[0].as<float>()[0];
    EXPECT_TRUE(std::memcmp(&alone, &together[i], sizeof alone) == 0 || (std::isnan(alone) && std::isnan(together[i])))
        << c.op << "(" << x[i] << ")";
    double error = errorInUlps(alone, c.reference(x[i]));
    EXPECT_LE(error, c.ulps) << c.op << "(" << x[i] << ") = " << alone;
  }
}

INSTANTIATE_TEST_SUITE_P(Math, Elementary,
                         testing::Values(Case{"exp", std::exp, 1.0}, Case{"expm1", std::expm1, 1.5},
                                         Case{"log", std::log, 1.0}, Case{"log1p", std::log1p, 1.6},
                                         Case{"tanh", std::tanh, 1.6}, Case{"erf", std::erf, 1.2},
                                         Case{"sin", std::sin, 1.7}, Case{"cos", std::cos, 1.7},
                                         Case{"tan", std::tan, 2.0}, Case{"asinh", std::asinh, 3.0},
                                         Case{"atanh", std::atanh, 3.0}),
                         [](const auto &info) { return std::string(info.param.op); });

TEST(Power, IsTheNearestFloat) {
  auto compiled = compileText(R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = math.powf %x, %y : tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
  ASSERT_TRUE(compiled);
  const float special[] = {0.0f,    -0.0f,   1.0f,     -1.0f,       2.0f,       -2.0f, 0.5f,
                           -0.5f,   3.0f,    -3.0f,    INFINITY,    -INFINITY,  NAN,   1e-45f,
                           -1e-45f, 3.4e38f, -3.4e38f, 16777217.0f, 8388607.5f, 1.5f,  -1.5f};
  std::vector<float> x, y;
  for (float left : special)
    for (float right : special)
      x.push_back(left), y.push_back(right);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> power(-40.0f, 40.0f), base(0.0f, 4.0f);
  for (int i = 0; i != 100000; ++i) {
    x.push_back(fromBits(random()));
    y.push_back(power(random));
    x.push_back(base(random));
    y.push_back(power(random));
  }
  std::int64_t count = x.size();
  std::vector<float> got = run(*compiled, {Array::of({count}, x), Array::of({count}, y)})[0].as<float>();
  for (std::int64_t i = 0; i != count; ++i)
    ASSERT_LE(errorInUlps(got[i], std::pow(double(x[i]), double(y[i]))), 0.5001)
        << x[i] << "^" << y[i] << " = " << got[i];
}

// f64 goes to the C library, element by element.
TEST(Double, IsTheLibrarys) {
  for (auto [op, reference] : {std::pair<const char *, Function>{"exp", std::exp},
                               {"log", std::log},
                               {"tanh", std::tanh},
                               {"erf", std::erf},
                               {"sin", std::sin},
                               {"cos", std::cos},
                               {"expm1", std::expm1},
                               {"acosh", std::acosh}}) {
    auto compiled = compileText(program(op, "?xf64"));
    ASSERT_TRUE(compiled);
    std::vector<double> x;
    std::mt19937_64 random(3);
    for (int i = 0; i != 1000; ++i) {
      double value;
      std::uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof value);
      x.push_back(value);
      x.push_back((i - 500) / 40.0);
    }
    std::vector<double> y = run(*compiled, {Array::of({std::int64_t(x.size())}, x)})[0].as<double>();
    for (std::size_t i = 0; i != x.size(); ++i) {
      double expected = reference(x[i]);
      EXPECT_TRUE(y[i] == expected || (std::isnan(y[i]) && std::isnan(expected))) << op << "(" << x[i] << ")";
    }
  }
}

} // namespace
