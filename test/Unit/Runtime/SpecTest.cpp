#include <ClikaRT/error.h>
#include <ClikaRT/spec.h>

#include <gtest/gtest.h>

using namespace ClikaRT;
using spec::Dim;
using spec::TensorSpec;

TEST(Dim, IsASizeANameOrFresh) {
  EXPECT_TRUE(Dim(0).is_static());
  EXPECT_EQ(Dim(std::int64_t{1} << 40).size(), std::int64_t{1} << 40);
  EXPECT_EQ(Dim("batch").name(), "batch");
  EXPECT_FALSE(Dim("batch").is_static());
  EXPECT_EQ(Dim(-1), Dim(std::nullopt));
  EXPECT_FALSE(Dim(-1).is_named());
  EXPECT_NE(Dim("a"), Dim("b"));
}

TEST(Dim, RefusesNegativeSizesAndEmptyNames) {
  EXPECT_THROW(Dim(-2), Error);
  EXPECT_THROW(Dim(""), Error);
  EXPECT_THROW(Dim(static_cast<const char *>(nullptr)), Error);
}

TEST(TensorSpec, IsAnAggregateThatPrints) {
  const TensorSpec spec = {"x", DataType::Float32, {2, "batch", -1}};
  EXPECT_EQ(spec.to_string(), "x: float32[2, batch, ?]");
  const TensorSpec scalar = {"s", DataType::Int64, {}};
  EXPECT_EQ(scalar.to_string(), "s: int64[]");
}
