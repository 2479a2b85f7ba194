#include "Runtime/TensorImpl.h"

#include <ClikaRT/error.h>
#include <ClikaRT/tensor.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace ClikaRT;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

/// The message of the Error that `fn` throws; fails the test when it throws none.
template <class Fn>
std::string refusal(Fn fn, Status status = Status::InvalidArgument) {
  try {
    fn();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was raised";
  return "";
}

class FakeTraced : public detail::TracedTensor {
public:
  explicit FakeTraced(bool live) : live(live) {}
  DataType dtype() const override { return DataType::Float32; }
  Shape shape() const override { return {2, -1}; }
  std::string describe() const override { return "the output of Relu 'relu_1'"; }
  bool isLive() const noexcept override { return live; }

private:
  bool live;
};

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};
Tensor six() { return Tensor::from_data(kSix.data(), {2, 3}, DataType::Float32); }

} // namespace

TEST(Tensor, FromDataCopies) {
  std::vector<float> source = kSix;
  const Tensor tensor = Tensor::from_data(source.data(), {2, 3}, DataType::Float32);
  source[0] = 99;
  EXPECT_EQ(tensor.data<float>()[0], 1);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.dtype(), DataType::Float32);
  EXPECT_EQ(tensor.size(), 6);
  EXPECT_EQ(tensor.rank(), 2);
  EXPECT_EQ(tensor.device().to_string(), "cpu");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data<float>()) % 64, 0u);
  EXPECT_EQ(tensor.to_string(), "Tensor(float32[2, 3])");
}

TEST(Tensor, FromDataRefusesBadInput) {
  const float value = 0;
  EXPECT_THAT(refusal([&] { Tensor::from_data(nullptr, {2}, DataType::Float32); }), StartsWith("from_data: "));
  EXPECT_THAT(refusal([&] { Tensor::from_data(&value, {-1}, DataType::Float32); }), HasSubstr("size -1"));
  EXPECT_THAT(refusal([&] { Tensor::from_data(&value, {1}, static_cast<DataType>(77)); }), HasSubstr("77"));
  const std::int64_t large = std::int64_t{1} << 61;
  EXPECT_THAT(refusal([&] { Tensor::from_data(&value, {large}, DataType::Float64); }), HasSubstr("bytes"));
  EXPECT_THAT(refusal([&] { Tensor::from_data(&value, {large, 8}, DataType::Bool); }), HasSubstr("int64_t"));
}

TEST(Tensor, TooLargeIsOutOfMemory) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer's allocator aborts instead of failing";
#endif
  EXPECT_THAT(refusal([] { Tensor::empty({std::int64_t{1} << 62}, DataType::Int8); }, Status::OutOfMemory),
              StartsWith("empty: no memory"));
}

TEST(Tensor, ZeroSizeAndRankZeroAreLegal) {
  const Tensor none = Tensor::from_data(nullptr, {2, 0}, DataType::Int64);
  EXPECT_EQ(none.size(), 0);
  EXPECT_TRUE(none.item_as_vec<std::int64_t>().empty());
  EXPECT_EQ(none.reshape({0, 7}).shape(), (Shape{0, 7}));
  const double half = 0.5;
  const Tensor scalar = Tensor::from_data(&half, {}, DataType::Float64);
  EXPECT_EQ(scalar.item<double>(), 0.5);
  EXPECT_EQ(scalar.reshape({1, -1}).shape(), (Shape{1, 1}));
}

TEST(Tensor, BoolIsAByteOfZeroOrOne) {
  const std::uint8_t bytes[] = {0, 1, 2, 255};
  const Tensor flags = Tensor::from_data(bytes, {4}, DataType::Bool);
  EXPECT_THAT(flags.item_as_vec<bool>(), ElementsAre(false, true, true, true));
  EXPECT_THAT(flags.item_as_vec<int>(), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(refusal([&] { Tensor::from_external(bytes, {4}, DataType::Bool, nullptr); }), HasSubstr("byte 2"));
}

TEST(Tensor, FromExternalSharesAndReleases) {
  std::vector<float> source = kSix;
  int released = 0;
  {
    const Tensor tensor = Tensor::from_external(source.data(), {6}, DataType::Float32, [&](void *data) {
      EXPECT_EQ(data, source.data());
      ++released;
    });
    source[0] = 99;
    EXPECT_EQ(tensor.data<float>()[0], 99);
    const Tensor view = tensor.reshape({3, 2});
    EXPECT_EQ(view.data<float>(), source.data());
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  const auto count = [&](void *) { ++released; };
  EXPECT_THAT(refusal([&] { Tensor::from_external(source.data(), {-6}, DataType::Float32, count); }),
              StartsWith("from_external: "));
  EXPECT_EQ(released, 2) << "a refused call must release the data too";
  const char *odd = reinterpret_cast<const char *>(source.data()) + 1;
  EXPECT_THAT(refusal([&] { Tensor::from_external(odd, {2}, DataType::Float32, count); }), HasSubstr("multiple"));
  EXPECT_THAT(refusal([&] { Tensor::from_external(nullptr, {2}, DataType::Float32, count); }), HasSubstr("null"));
}

TEST(Tensor, ReshapeSharesAndChecks) {
  const Tensor tensor = six();
  const Tensor flat = tensor.reshape({-1});
  EXPECT_EQ(flat.shape(), (Shape{6}));
  EXPECT_EQ(flat.data<float>(), tensor.data<float>());
  EXPECT_EQ(tensor.reshape({3, -1}).shape(), (Shape{3, 2}));
  EXPECT_THAT(refusal([&] { tensor.reshape({4, -1}); }), StartsWith("reshape: "));
  EXPECT_THAT(refusal([&] { tensor.reshape({-1, -1}); }), HasSubstr("only one"));
  EXPECT_THAT(refusal([&] { tensor.reshape({5}); }), HasSubstr("6 elements"));
  EXPECT_THAT(refusal([&] { tensor.reshape({-2, 3}); }), HasSubstr("size -2"));
  const Tensor none = Tensor::empty({0, 3}, DataType::Float32);
  EXPECT_THAT(refusal([&] { none.reshape({0, -1}); }), HasSubstr("any size"));
  EXPECT_EQ(none.reshape({-1, 3}).shape(), (Shape{0, 3}));
}

TEST(Tensor, ItemReadsExactlyOne) {
  EXPECT_EQ(Tensor::scalar(7, DataType::Int32).item<std::int64_t>(), 7);
  EXPECT_EQ(Tensor::full({1, 1}, 2.5, DataType::Float16).item<float>(), 2.5F);
  EXPECT_EQ(Tensor::scalar(true, DataType::Bool).item<bool>(), true);
  EXPECT_THAT(refusal([] { six().item<float>(); }), StartsWith("item: the tensor [2, 3] has 6 elements"));
}

TEST(Tensor, ItemsConvertOnlyWithoutLoss) {
  const std::int32_t ints[] = {-1, 2147483647};
  const Tensor tensor = Tensor::from_data(ints, {2}, DataType::Int32);
  EXPECT_THAT(tensor.item_as_vec<double>(), ElementsAre(-1.0, 2147483647.0));
  EXPECT_THAT(tensor.item_as_vec<long long>(), ElementsAre(-1, 2147483647));
  EXPECT_THAT(refusal([&] { tensor.item_as_vec<float>(); }),
              StartsWith("item_as_vec: float32 does not hold every int32"));
  EXPECT_THAT(refusal([&] { tensor.item_as_vec<std::uint64_t>(); }), HasSubstr("uint64"));
  EXPECT_THAT(refusal([&] { tensor.item_as_vec<bool>(); }), HasSubstr("bool"));
  EXPECT_THAT(refusal([&] { six().item_as_vec<int>(); }), HasSubstr("int32"));
  EXPECT_THAT(refusal([&] { Tensor::full({1}, 1.0, DataType::BFloat16).item<Float16>(); }), HasSubstr("float16"));
  const std::uint8_t small[] = {200, 255};
  EXPECT_THAT(Tensor::from_data(small, {2}, DataType::UInt8).item_as_vec<std::int16_t>(), ElementsAre(200, 255));
  const auto halves = Tensor::from_data(small, {2}, DataType::UInt8).item_as_vec<Float16>();
  EXPECT_EQ(static_cast<float>(halves[1]), 255.0F);
}

TEST(Tensor, DataIsOfTheTensorsOwnType) {
  EXPECT_EQ(six().data<float>()[5], 6);
  EXPECT_THAT(refusal([] { six().data<double>(); }), StartsWith("data: the elements are float32, not the float64"));
}

TEST(Tensor, FullChecksThatTheValueFits) {
  EXPECT_THAT(Tensor::full({3}, -5, DataType::Int8).item_as_vec<std::int8_t>(), ElementsAre(-5, -5, -5));
  EXPECT_EQ(Tensor::scalar(4.0, DataType::UInt8).item<std::uint8_t>(), 4);
  EXPECT_EQ(Tensor::scalar(0.1, DataType::Float32).item<float>(), 0.1F);
  EXPECT_EQ(Tensor::scalar(-9223372036854775807LL - 1, DataType::Int64).item<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Tensor::scalar(0x1p63, DataType::UInt64).item<std::uint64_t>(), std::uint64_t{1} << 63);
  EXPECT_TRUE(std::isnan(Tensor::scalar(NAN, DataType::BFloat16).item<float>()));
  EXPECT_THAT(refusal([] { Tensor::scalar(128, DataType::Int8); }), StartsWith("full: 128 does not fit"));
  EXPECT_THAT(refusal([] { Tensor::scalar(-1, DataType::UInt64); }), HasSubstr("uint64"));
  EXPECT_THAT(refusal([] { Tensor::scalar(0.5, DataType::Int32); }), HasSubstr("whole number"));
  EXPECT_THAT(refusal([] { Tensor::scalar(NAN, DataType::Int32); }), HasSubstr("nan"));
  EXPECT_THAT(refusal([] { Tensor::scalar(0x1p63, DataType::Int64); }), HasSubstr("range"));
  EXPECT_THAT(refusal([] { Tensor::scalar(INFINITY, DataType::UInt64); }), HasSubstr("range"));
  EXPECT_THAT(refusal([] { Tensor::scalar(2, DataType::Bool); }), HasSubstr("true or false"));
}

TEST(Tensor, UndefinedRefusesEverything) {
  const Tensor none;
  EXPECT_FALSE(none.is_defined());
  EXPECT_FALSE(none.is_traced());
  EXPECT_EQ(none.to_string(), "Tensor(undefined)");
  EXPECT_THAT(refusal([&] { none.shape(); }), StartsWith("shape: the tensor is undefined"));
  EXPECT_THAT(refusal([&] { none.dtype(); }), StartsWith("dtype: "));
  EXPECT_THAT(refusal([&] { none.data<float>(); }), StartsWith("data: "));
  EXPECT_THAT(refusal([&] { none.reshape({1}); }), StartsWith("reshape: "));
  EXPECT_THAT(refusal([&] { none.item<float>(); }), StartsWith("item: "));
  EXPECT_THAT(refusal([&] { none.device(); }), StartsWith("device: "));
}

TEST(Tensor, TracedHasNoData) {
  const Tensor live(std::make_shared<FakeTraced>(true));
  EXPECT_TRUE(live.is_traced());
  EXPECT_EQ(live.shape(), (Shape{2, -1}));
  EXPECT_EQ(live.to_string(), "Tensor(float32[2, ?], traced)");
  EXPECT_THAT(refusal([&] { live.item<float>(); }), StartsWith("item: the tensor is the output of Relu 'relu_1'"));
  EXPECT_THAT(refusal([&] { live.item_as_vec<float>(); }), HasSubstr("recording"));
  EXPECT_THAT(refusal([&] { live.data<float>(); }), HasSubstr("no data yet"));
  EXPECT_THAT(refusal([&] { live.size(); }), HasSubstr("dimension 1"));
  const Tensor over(std::make_shared<FakeTraced>(false));
  EXPECT_THAT(refusal([&] { over.raw_data(); }), HasSubstr("trace is over"));
}

TEST(Tensor, TracedReshapeGoesToTheHook) {
  static Shape asked;
  detail::setTracedReshape([](const Tensor &tensor, const Shape &shape) {
    asked = shape;
    return tensor;
  });
  const Tensor live(std::make_shared<FakeTraced>(true));
  live.reshape({-1});
  EXPECT_EQ(asked, (Shape{-1}));
  detail::setTracedReshape(nullptr);
  EXPECT_THAT(refusal([&] { live.reshape({-1}); }, Status::Internal), StartsWith("reshape: "));
}
