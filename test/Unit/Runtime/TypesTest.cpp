#include <ClikaRT/error.h>
#include <ClikaRT/types.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace ClikaRT;

TEST(DataType, HasNamesAndSizes) {
  EXPECT_EQ(item_size(DataType::Bool), 1u);
  EXPECT_EQ(item_size(DataType::BFloat16), 2u);
  EXPECT_EQ(item_size(DataType::Float64), 8u);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < data_type_count; ++i) {
    const auto dtype = static_cast<DataType>(i);
    names.insert(data_type_name(dtype));
    EXPECT_EQ(data_type_from_name(data_type_name(dtype)), dtype);
  }
  EXPECT_EQ(names.size(), data_type_count);
  EXPECT_EQ(data_type_from_name("float"), std::nullopt);
}

TEST(DataType, RefusesACastInteger) {
  EXPECT_THROW(item_size(static_cast<DataType>(13)), Error);
  EXPECT_THROW(data_type_name(static_cast<DataType>(255)), Error);
  EXPECT_FALSE(is_valid(static_cast<DataType>(13)));
}

TEST(DataType, KnowsItsKind) {
  EXPECT_TRUE(is_floating_point(DataType::BFloat16));
  EXPECT_FALSE(is_floating_point(DataType::UInt64));
  EXPECT_TRUE(is_integer(DataType::Int8));
  EXPECT_FALSE(is_integer(DataType::Bool));
  EXPECT_TRUE(is_unsigned_integer(DataType::UInt8));
  EXPECT_FALSE(is_unsigned_integer(DataType::Int64));
}

TEST(DataType, FollowsTheElementType) {
  EXPECT_EQ(detail::data_type_of<long long>(), DataType::Int64);
  EXPECT_EQ(detail::data_type_of<long>(), DataType::Int64);
  EXPECT_EQ(detail::data_type_of<unsigned char>(), DataType::UInt8);
  EXPECT_EQ(detail::data_type_of<bool>(), DataType::Bool);
  EXPECT_EQ(detail::data_type_of<Float16>(), DataType::Float16);
}

namespace {

// Nearest representable value by search over every finite encoding, ties to the even one: the slow definition.
template <class Half>
std::uint16_t nearestBySearch(double value, std::uint16_t infinity) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  std::uint16_t low = 0, high = infinity;
  const auto decode = [&](std::uint16_t bits) {
    Half half;
    half.bits = bits;
    if (bits != infinity)
      return static_cast<double>(half);
    // Where the next value would be if the range went on.
    Half last, before;
    last.bits = static_cast<std::uint16_t>(infinity - 1);
    before.bits = static_cast<std::uint16_t>(infinity - 2);
    return 2 * static_cast<double>(last) - static_cast<double>(before);
  };
  if (magnitude >= decode(infinity))
    return sign | infinity;
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (decode(middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - decode(low), above = decode(high) - magnitude;
  const bool up = above < below || (above == below && (low & 1));
  return sign | (up ? high : low);
}

template <class Half>
void checkRounding(std::uint16_t infinity) {
  std::uint64_t state = 88172645463325252ULL;
  for (int i = 0; i < 200000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    // Doubles of the format's neighbourhood, ties and near-ties among them.
    Half half;
    half.bits = static_cast<std::uint16_t>(state);
    if ((half.bits & 0x7FFF) >= infinity)
      continue;
    Half next;
    next.bits = static_cast<std::uint16_t>(half.bits + 1);
    const double here = static_cast<double>(half);
    double there = static_cast<double>(next);
    if (!std::isfinite(there))
      there = here;
    const double offsets[] = {0.0, 0.25, 0.5, 0.5000001, 0.4999999, 0.75};
    const double value = here + (there - here) * offsets[(state >> 20) % 6];
    ASSERT_EQ(Half(value).bits, nearestBySearch<Half>(value, infinity)) << value;
  }
}

template <class Half>
void checkRoundTrip(std::uint16_t infinity) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const float value = static_cast<float>(half);
    if ((bits & 0x7FFF) > infinity) {
      ASSERT_TRUE(std::isnan(value));
      ASSERT_TRUE(std::isnan(static_cast<float>(Half(value))));
    } else {
      ASSERT_EQ(Half(value).bits, bits);
    }
  }
}

} // namespace

TEST(Float16, RoundsToNearestEven) { checkRounding<Float16>(0x7C00); }
TEST(Float16, EveryEncodingComesBack) { checkRoundTrip<Float16>(0x7C00); }
TEST(BFloat16, RoundsToNearestEven) { checkRounding<BFloat16>(0x7F80); }
TEST(BFloat16, EveryEncodingComesBack) { checkRoundTrip<BFloat16>(0x7F80); }

TEST(Float16, HasTheKnownValues) {
  EXPECT_EQ(Float16(1.0).bits, 0x3C00);
  EXPECT_EQ(Float16(-0.0).bits, 0x8000);
  EXPECT_EQ(Float16(65504.0).bits, 0x7BFF);
  EXPECT_EQ(Float16(65519.99).bits, 0x7BFF);
  EXPECT_EQ(Float16(65520.0).bits, 0x7C00);
  EXPECT_EQ(Float16(0x1p-24).bits, 0x0001);
  EXPECT_EQ(Float16(0x1p-25).bits, 0x0000);
  EXPECT_EQ(Float16(0x1.000001p-25).bits, 0x0001);
  EXPECT_EQ(Float16(std::numeric_limits<double>::infinity()).bits, 0x7C00);
  EXPECT_EQ(Float16(std::numeric_limits<double>::denorm_min()).bits, 0x0000);
  // One rounding from double: by way of float this would be a tie that goes to 1.
  EXPECT_EQ(Float16(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3C01);
}

TEST(BFloat16, HasTheKnownValues) {
  EXPECT_EQ(BFloat16(1.0).bits, 0x3F80);
  EXPECT_EQ(BFloat16(1.00390625).bits, 0x3F80);
  EXPECT_EQ(BFloat16(1.01171875).bits, 0x3F82);
  EXPECT_EQ(BFloat16(1e300).bits, 0x7F80);
  EXPECT_EQ(BFloat16(-1e300).bits, 0xFF80);
}

TEST(Scalar, KeepsItsKind) {
  EXPECT_TRUE(Scalar(true).is_bool());
  EXPECT_TRUE(Scalar(3).is_int());
  EXPECT_TRUE(Scalar(3U).is_int());
  EXPECT_TRUE(Scalar(3LL).is_int());
  EXPECT_TRUE(Scalar(3.0F).is_float());
  EXPECT_EQ(Scalar(3).int_value(), 3);
  EXPECT_EQ(Scalar(0.5).float_value(), 0.5);
  EXPECT_EQ(Scalar(true).to_double(), 1.0);
  EXPECT_THROW(Scalar(3).float_value(), Error);
  EXPECT_THROW(Scalar(0.5).int_value(), Error);
  EXPECT_THROW(Scalar(1).bool_value(), Error);
  const auto largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW((Scalar{largest}), Error);
}

TEST(Scalar, ComparesKindAndBits) {
  EXPECT_EQ(Scalar(1), Scalar(1L));
  EXPECT_NE(Scalar(1), Scalar(1.0));
  EXPECT_NE(Scalar(0.0), Scalar(-0.0));
  EXPECT_EQ(Scalar(std::nan("")), Scalar(std::nan("")));
  EXPECT_NE(Scalar(true), Scalar(1));
}

TEST(Scalar, Prints) {
  EXPECT_EQ(Scalar(true).to_string(), "true");
  EXPECT_EQ(Scalar(-7).to_string(), "-7");
  EXPECT_EQ(Scalar(0.1).to_string(), "0.1");
  EXPECT_EQ(Scalar(-0.0).to_string(), "-0.0");
  EXPECT_EQ(Scalar(1e30).to_string(), "1e+30");
  EXPECT_EQ(Scalar(std::nan("")).to_string(), "nan");
  EXPECT_EQ(Scalar(-INFINITY).to_string(), "-inf");
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 0, 3}), 0);
  EXPECT_EQ(element_count({2, 3}), 6);
  EXPECT_EQ(shape_string({2, -1, 3}), "[2, ?, 3]");
  EXPECT_EQ(shape_string({}), "[]");
}

TEST(Shape, RefusesNegativeAndOverflowingSizes) {
  EXPECT_THROW(element_count({2, -1}), Error);
  const std::int64_t large = std::int64_t{1} << 32;
  EXPECT_THROW(element_count({large, large}), Error);
  EXPECT_THROW(element_count({0, large, large}), Error);
  try {
    element_count({2, -3}, "from_data");
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()).find("from_data: size -3 at dimension 1"), 0u) << error.what();
  }
}

TEST(Device, Prints) {
  EXPECT_EQ(Device{}.to_string(), "cpu");
  EXPECT_EQ((Device{"gpu", 1}.to_string()), "gpu:1");
  EXPECT_NE((Device{"gpu", 1}), (Device{"gpu", 0}));
}
