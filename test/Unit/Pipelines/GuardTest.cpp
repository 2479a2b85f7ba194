// No code leaves its buffers or reads what it has not written, on shapes that hit tiles, peels and remainders.
#include "Guarded.h"
#include "Harness.h"
#include <gtest/gtest.h>
#include <ClikaRT/clika_rt.h>
#include <random>

using namespace clika::test;
namespace ops = ClikaRT::ops;
using ClikaRT::DataType;
using ClikaRT::Shape;
using ClikaRT::Tensor;
using Tensors = std::vector<Tensor>;

namespace {

std::size_t countOf(const Shape &shape) {
  std::size_t count = 1;
  for (std::int64_t size : shape)
    count *= static_cast<std::size_t>(size);
  return count;
}

Tensor numbers(const Shape &shape, unsigned seed = 1) {
  return Tensor::from_data(randomFloats(countOf(shape), seed).data(), shape, DataType::Float32);
}

template <typename T>
Tensor integers(const Shape &shape, DataType dtype, int from, int to) {
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> uniform(from, to);
  std::vector<T> values(countOf(shape));
  for (T &value : values)
    value = static_cast<T>(uniform(engine));
  return Tensor::from_data(values.data(), shape, dtype);
}

Tensor indices(const Shape &shape, int below) { return integers<std::int64_t>(shape, DataType::Int64, 0, below - 1); }

std::string text(const Shape &shape) {
  std::string text;
  for (std::int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// One input, one result.
void expectUnary(const std::string &name, const Tensor &x, const std::function<Tensor(const Tensor &)> &fn,
                 bool dynamic = false, bool sameWithoutFusing = true) {
  GuardedCase test{name + " " + text(x.shape()), [&](const Tensors &in) -> Tensors { return {fn(in[0])}; }, {x}};
  test.sameWithoutFusing = sameWithoutFusing;
  if (dynamic) {
    test.name += " dynamic";
    test.dims.emplace_back();
    for (std::size_t d = 0; d != x.shape().size(); ++d)
      test.dims[0].push_back("d" + std::to_string(d));
  }
  expectGuarded(test);
}

TEST(Guard, MatMul) {
  const std::int64_t sizes[][3] = {{1, 1, 1},   {1, 17, 33}, {2, 3, 5},    {7, 1, 16},  {13, 31, 15},
                                   {14, 8, 48}, {17, 65, 1}, {33, 20, 67}, {5, 129, 79}};
  for (auto [m, k, n] : sizes)
    for (int kind = 0; kind != 3; ++kind) {
      GuardedCase test{"matmul " + text({m, k, n}) +
                           (kind == 0   ? ""
                            : kind == 1 ? " dynamic"
                                        : " constant weights"),
                       [](const Tensors &in) -> Tensors { return {ops::matmul(in[0], in[1])}; },
                       {numbers({m, k}), numbers({k, n}, 2)}};
      if (kind == 1)
        test.dims = {{"m", "k"}, {"k", "n"}};
      test.constants = kind == 2;
      expectGuarded(test);
    }
}

TEST(Guard, MatMulForms) {
  for (std::int64_t odd : {3, 19}) {
    const std::int64_t m = odd, k = 2 * odd + 1, n = 3 * odd + 2;
    for (bool constant : {false, true}) {
      const std::string what = text({m, k, n}) + (constant ? " constant" : "");
      GuardedCase test{"transposed matmul " + what,
                       [](const Tensors &in) -> Tensors { return {ops::matmul(in[0], in[1], true, true)}; },
                       {numbers({k, m}), numbers({n, k}, 2)},
                       constant};
      expectGuarded(test);
      test = {"batch matmul " + what,
              [](const Tensors &in) -> Tensors { return {ops::matmul(in[0], in[1])}; },
              {numbers({3, m, k}), numbers({3, k, n}, 2)},
              constant};
      expectGuarded(test);
      test = {"linear " + what,
              [](const Tensors &in) -> Tensors {
                return {ops::add(ops::linear(in[0], in[1], in[2], ops::Activation::Relu), 1.5)};
              },
              {numbers({m, k}), numbers({n, k}, 2), numbers({n}, 3)},
              constant ? 2U : 0U};
      test.dims = {{"m"}};
      expectGuarded(test);
      test = {"half matmul " + what,
              [](const Tensors &in) -> Tensors { return {ops::matmul(in[0], in[1])}; },
              {ops::cast(numbers({m, k}), DataType::Float16), ops::cast(numbers({k, n}, 2), DataType::Float16)},
              constant};
      expectGuarded(test);
    }
  }
}

struct Conv {
  std::int64_t batch, in, height, width, out, kernel, stride, pad, dilation, groups;
};

GuardedCase convCase(const Conv &c, bool constant) {
  const std::int64_t perGroup = c.in / c.groups;
  GuardedCase test{"conv " + text({c.batch, c.in, c.height, c.width}) + " to " + std::to_string(c.out) + " by " +
                       text({c.kernel, c.kernel}) + " stride " + std::to_string(c.stride) + " pad " +
                       std::to_string(c.pad) + " dilation " + std::to_string(c.dilation) + " groups " +
                       std::to_string(c.groups) + (constant ? " constant weights" : ""),
                   [c](const Tensors &in) -> Tensors {
                     const std::vector<std::int64_t> strides(2, c.stride), pads(2, c.pad), dilations(2, c.dilation);
                     return {ops::conv(in[0], in[1], in[2], strides, pads, dilations, c.groups, ops::AutoPad::Explicit,
                                       ops::Activation::Relu)};
                   },
                   {numbers({c.batch, c.in, c.height, c.width}), numbers({c.out, perGroup, c.kernel, c.kernel}, 2),
                    numbers({c.out}, 3)}};
  test.constants = constant ? 2 : 0;
  return test;
}

/// Around a zero point, in int32.
Tensor centered(const Tensor &bytes, double zero) {
  return ops::sub(ops::cast(bytes, DataType::Int32), Tensor::scalar(zero, DataType::Int32));
}

TEST(Guard, ProductsOfBytes) {
  const std::int64_t sizes[][3] = {{1, 5, 17}, {1, 64, 64}, {3, 7, 33}, {8, 31, 32}, {14, 4, 48}, {33, 20, 67}};
  for (auto [m, k, n] : sizes)
    for (int kind = 0; kind != 4; ++kind) {
      bool isSigned = kind % 2 != 0;
      Tensor a = isSigned ? integers<std::int8_t>({m, k}, DataType::Int8, -128, 127)
                          : integers<std::uint8_t>({m, k}, DataType::UInt8, 0, 255);
      Tensor b = isSigned ? integers<std::uint8_t>({k, n}, DataType::UInt8, 0, 255)
                          : integers<std::int8_t>({k, n}, DataType::Int8, -128, 127);
      GuardedCase test{
          "bytes " + text({m, k, n}) + (isSigned ? " signed" : "") + (kind >= 2 ? " constant weights" : ""),
          [](const Tensors &in) -> Tensors { return {ops::matmul(centered(in[0], 3), centered(in[1], 5))}; },
          {a, b}};
      test.constants = kind >= 2;
      expectGuarded(test);
    }
}

TEST(Guard, ConvolutionsOfBytes) {
  for (std::int64_t channels : {3, 8})
    for (std::int64_t groups : {1, 2})
      for (int constants : {0, 1}) {
        Tensor x = integers<std::uint8_t>({1, channels * groups, 7, 6}, DataType::UInt8, 0, 255);
        Tensor weight = integers<std::int8_t>({20 * groups, channels, 3, 2}, DataType::Int8, -128, 127);
        GuardedCase test{
            "convolution of bytes " + text({channels, groups}),
            [groups](const Tensors &in) -> Tensors {
              return {ops::conv(centered(in[0], 9), centered(in[1], -2), {}, {2, 1}, {1, 0, 1, 1}, {}, groups)};
            },
            {x, weight}};
        test.constants = constants;
        expectGuarded(test);
      }
  Tensor x = integers<std::uint8_t>({1, 19, 6, 7}, DataType::UInt8, 0, 255);
  Tensor weight = integers<std::int8_t>({19, 1, 3, 3}, DataType::Int8, -128, 127);
  expectGuarded({"a sum of bytes for each channel",
                 [](const Tensors &in) -> Tensors {
                   return {ops::conv(centered(in[0], 9), centered(in[1], -2), {}, {}, {1, 1, 1, 1}, {}, 19)};
                 },
                 {x, weight}});
}

TEST(Guard, Convolution) {
  const Conv shapes[] = {
      {1, 3, 11, 13, 17, 3, 1, 1, 1, 1},  {2, 5, 9, 7, 33, 1, 1, 0, 1, 1},     {1, 16, 7, 7, 19, 1, 2, 0, 1, 1},
      {1, 7, 15, 14, 8, 3, 2, 1, 1, 1},   {1, 4, 13, 12, 6, 3, 1, 2, 2, 1},    {1, 6, 8, 9, 9, 3, 1, 1, 1, 3},
      {2, 19, 9, 10, 19, 3, 1, 1, 1, 19}, {1, 33, 11, 11, 33, 5, 2, 2, 1, 33}, {1, 3, 23, 21, 20, 7, 2, 3, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 0, 1, 1},     {1, 35, 5, 6, 67, 3, 1, 0, 1, 1},
  };
  for (const Conv &shape : shapes)
    for (bool constant : {true, false})
      expectGuarded(convCase(shape, constant));
  GuardedCase dynamic = convCase({2, 5, 9, 11, 18, 3, 1, 1, 1, 1}, true);
  dynamic.name += " dynamic";
  dynamic.dims = {{"n", "", "h", "w"}};
  expectGuarded(dynamic);
}

TEST(Guard, ConvolutionsOfOtherRanks) {
  for (bool constant : {true, false}) {
    GuardedCase test{"conv 1-d",
                     [](const Tensors &in) -> Tensors { return {ops::conv(in[0], in[1], std::nullopt, {}, {2})}; },
                     {numbers({2, 5, 31}), numbers({7, 5, 5}, 2)},
                     constant};
    expectGuarded(test);
    test = {"conv 3-d",
            [](const Tensors &in) -> Tensors { return {ops::conv(in[0], in[1], std::nullopt, {}, {1, 1, 1})}; },
            {numbers({1, 3, 5, 6, 7}), numbers({9, 3, 3, 3, 3}, 2)},
            constant};
    expectGuarded(test);
    test = {"transposed conv",
            [](const Tensors &in) -> Tensors { return {ops::conv_transpose(in[0], in[1], std::nullopt, {2, 2})}; },
            {numbers({1, 5, 7, 6}), numbers({5, 9, 3, 3}, 2)},
            constant};
    expectGuarded(test);
  }
}

TEST(Guard, Winograd) {
  // Tiles whole, and cut off at one or both sides; channels beside the registers' width.
  const Conv shapes[] = {{1, 16, 16, 16, 16, 3, 1, 1, 1, 1},
                         {1, 17, 19, 22, 35, 3, 1, 1, 1, 1},
                         {2, 20, 14, 15, 16, 3, 1, 0, 1, 1},
                         {1, 33, 17, 18, 18, 3, 1, 1, 1, 1}};
  for (const Conv &shape : shapes) {
    GuardedCase test = convCase(shape, true);
    test.name += " relaxed";
    test.relaxed = true;
    expectGuarded(test);
  }
}

TEST(Guard, Pools) {
  for (const Shape &shape : {Shape{1, 3, 9, 11}, Shape{2, 17, 7, 6}, Shape{1, 33, 12, 13}}) {
    for (std::int64_t stride : {1, 2}) {
      const std::string what = "stride " + std::to_string(stride);
      expectUnary("max_pool " + what, numbers(shape),
                  [=](const Tensor &x) { return ops::max_pool(x, {3, 3}, {stride, stride}, {1, 1}); });
      expectUnary("avg_pool " + what, numbers(shape),
                  [=](const Tensor &x) { return ops::avg_pool(x, {2, 3}, {stride, stride}, {1, 1}); });
    }
    expectUnary("global_avg_pool", numbers(shape), [](const Tensor &x) { return ops::global_avg_pool(x); });
  }
}

TEST(Guard, Transposes) {
  for (bool dynamic : {false, true}) {
    for (const Shape &shape : {Shape{1, 1}, Shape{3, 5}, Shape{4, 9}, Shape{8, 7}, Shape{17, 16}, Shape{31, 33},
                               Shape{35, 77}, Shape{129, 12}, Shape{1, 70}, Shape{70, 1}, Shape{2, 66}})
      expectUnary("transpose", numbers(shape), [](const Tensor &x) { return ops::transpose(x); }, dynamic);
    for (const std::vector<std::int64_t> &perm : {std::vector<std::int64_t>{0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}})
      expectUnary(
          "transpose to " + text(perm), numbers({5, 23, 19}), [&](const Tensor &x) { return ops::transpose(x, perm); },
          dynamic);
  }
  for (DataType dtype : {DataType::Float16, DataType::Int8, DataType::Int64, DataType::Float64})
    for (const Shape &shape : {Shape{19, 37}, Shape{7, 21}, Shape{66, 5}}) {
      Tensor x = ops::cast(integers<std::int32_t>(shape, DataType::Int32, -99, 99), dtype);
      expectUnary("transpose of " + std::string(ClikaRT::data_type_name(dtype)), x,
                  [](const Tensor &x) { return ops::transpose(x); });
    }
}

TEST(Guard, Rows) {
  for (bool dynamic : {false, true})
    for (std::int64_t n :
         dynamic ? std::vector<std::int64_t>{3, 33, 100} : std::vector<std::int64_t>{1, 15, 17, 33, 65, 257}) {
      Tensor x = numbers({3, n});
      expectUnary("softmax", x, [](const Tensor &x) { return ops::softmax(x); }, dynamic, false);
      expectUnary("reduce_sum", x, [](const Tensor &x) { return ops::reduce_sum(x, {1}); }, dynamic);
      expectUnary("reduce_max of columns", x, [](const Tensor &x) { return ops::reduce_max(x, {0}); }, dynamic);
      if (n > 65)
        expectUnary("layer_norm", x, [](const Tensor &x) { return ops::layer_norm(x); }, dynamic);
    }
  expectUnary(
      "softmax of columns", numbers({19, 21}), [](const Tensor &x) { return ops::softmax(x, 0); }, false, false);
  expectUnary("reduce_sum of the middle", numbers({5, 7, 19}), [](const Tensor &x) { return ops::reduce_sum(x, {1}); });
  expectUnary("reduce_sum of all", numbers({5, 7, 19}), [](const Tensor &x) { return ops::reduce_sum(x); });
  expectUnary("instance_norm", numbers({2, 3, 7, 5}), [](const Tensor &x) { return ops::instance_norm(x); });
}

TEST(Guard, Elementwise) {
  for (bool dynamic : {false, true})
    for (std::int64_t n : dynamic ? std::vector<std::int64_t>{33, 130} : std::vector<std::int64_t>{1, 7, 17, 63, 130}) {
      const Tensor whole = integers<std::int32_t>({n}, DataType::Int32, -100, 100);
      for (DataType dtype : {DataType::Float32, DataType::Float16, DataType::Int8, DataType::Int64})
        expectUnary(
            "chain of " + std::string(ClikaRT::data_type_name(dtype)), ops::cast(whole, dtype),
            [](const Tensor &x) { return ops::sub(ops::mul(x, x), ops::abs(x)); }, dynamic);
      expectUnary(
          "functions", ops::cast(whole, DataType::Float32),
          [](const Tensor &x) { return ops::tanh(ops::sigmoid(ops::gelu(ops::mul(x, 0.03)))); }, dynamic, false);
      expectUnary(
          "casts", whole,
          [](const Tensor &x) { return ops::cast(ops::cast(ops::less(x, 7), DataType::Float16), DataType::Int8); },
          dynamic);
    }
  for (const Shape &row : {Shape{19}, Shape{7, 1}, Shape{1}})
    expectGuarded({"broadcast of " + text(row) + " to 7x19",
                   [](const Tensors &in) -> Tensors { return {ops::add(in[0], in[1])}; },
                   {numbers({7, 19}), numbers(row, 2)}});
}

TEST(Guard, Moves) {
  for (std::int64_t width : {1, 5, 16, 37}) {
    const std::string what = " of rows of " + std::to_string(width);
    for (bool constant : {false, true})
      expectGuarded(
          {"gather" + what,
           [constant](const Tensors &in) -> Tensors {
             return {constant ? ops::gather(in[1], in[0]) : ops::gather(in[0], in[1])};
           },
           constant ? Tensors{indices({13}, 9), numbers({9, width})} : Tensors{numbers({9, width}), indices({13}, 9)},
           constant});
    expectGuarded({"gather of columns" + what,
                   [](const Tensors &in) -> Tensors { return {ops::gather(in[0], in[1], 1)}; },
                   {numbers({9, width}), indices({5}, static_cast<int>(width))}});
    expectUnary("pad", numbers({3, width}),
                [](const Tensor &x) { return ops::pad(x, std::vector<std::int64_t>{1, 2, 0, 3}); });
    expectUnary("concat and slice", numbers({3, width}), [](const Tensor &x) {
      return ops::slice(ops::concat({x, ops::neg(x), x}, 1), std::vector<std::int64_t>{1},
                        std::vector<std::int64_t>{1000}, std::vector<std::int64_t>{1}, std::vector<std::int64_t>{2});
    });
  }
  expectUnary("resize", numbers({1, 3, 5, 7}), [](const Tensor &x) {
    return ops::resize(x, std::nullopt, std::nullopt, std::vector<std::int64_t>{1, 3, 11, 9}, {},
                       ops::ResizeMode::Linear);
  });
}

TEST(Guard, IndexOps) {
  const Tensor x = numbers({7, 21});
  for (std::int64_t axis : {0, 1}) {
    const std::string what = " along " + std::to_string(axis);
    expectUnary("cumsum" + what, x, [=](const Tensor &x) { return ops::cumsum(x, axis); });
    expectUnary("argmax" + what, x, [=](const Tensor &x) { return ops::argmax(x, axis); });
    expectUnary("flip" + what, x, [=](const Tensor &x) { return ops::flip(x, {axis}); });
    GuardedCase test{"topk" + what, [=](const Tensors &in) { return ops::topk(in[0], 3, axis); }, {x}};
    expectGuarded(test);
    test = {"gather_elements" + what,
            [=](const Tensors &in) -> Tensors { return {ops::gather_elements(in[0], in[1], axis)}; },
            {x, indices({5, 19}, 7)}};
    expectGuarded(test);
    test = {"scatter_elements" + what,
            [=](const Tensors &in) -> Tensors { return {ops::scatter_elements(in[0], in[1], in[2], axis)}; },
            {x, indices({5, 19}, 7), numbers({5, 19}, 2)}};
    // Of two updates of one element either may be the last.
    test.inputs[2] = Tensor::full({5, 19}, 0.25, DataType::Float32);
    expectGuarded(test);
  }
  expectGuarded({"gather_nd",
                 [](const Tensors &in) -> Tensors { return {ops::gather_nd(in[0], in[1])}; },
                 {x, indices({9, 2}, 7)}});
  expectUnary("non_zero", integers<std::int32_t>({5, 17}, DataType::Int32, 0, 2),
              [](const Tensor &x) { return ops::non_zero(x); });
  expectUnary(
      "non_zero", integers<std::int32_t>({5, 17}, DataType::Int32, 0, 2),
      [](const Tensor &x) { return ops::non_zero(x); }, true);
}

TEST(Guard, Recurrent) {
  // Five steps of two rows; the last rows end early.
  for (std::int64_t hidden : {3, 17}) {
    GuardedCase test{"lstm of " + std::to_string(hidden),
                     [](const Tensors &in) { return ops::lstm(in[0], in[1], in[2]); },
                     {numbers({5, 2, 7}), numbers({1, 4 * hidden, 7}, 2), numbers({1, 4 * hidden, hidden}, 3)}};
    test.sameWithoutFusing = false;
    expectGuarded(test);
    test.constants = 2;
    test.name += " constant weights";
    expectGuarded(test);
    test.dims = {{"steps", "batch"}};
    test.name += " run-time sizes";
    expectGuarded(test);
    test = {"gru of " + std::to_string(hidden),
            [](const Tensors &in) { return ops::gru(in[0], in[1], in[2]); },
            {numbers({5, 2, 7}), numbers({1, 3 * hidden, 7}, 2), numbers({1, 3 * hidden, hidden}, 3)},
            2};
    test.sameWithoutFusing = false;
    expectGuarded(test);
  }
}

TEST(Guard, NarrowNumbers) {
  for (std::int64_t n : {1, 17, 67}) {
    const Tensor x = numbers({3, n});
    for (DataType dtype : {DataType::BFloat16, DataType::Float16, DataType::Float64}) {
      const std::string name(ClikaRT::data_type_name(dtype));
      expectUnary(
          "sum and softmax of " + name, ops::cast(x, dtype),
          [](const Tensor &x) { return ops::mul(ops::softmax(x), ops::reduce_sum(x, {1}, true)); }, false, false);
      expectGuarded({"matmul of " + name + " " + std::to_string(n),
                     [](const Tensors &in) -> Tensors { return {ops::matmul(in[0], in[1], false, true)}; },
                     {ops::cast(x, dtype), ops::cast(numbers({5, n}, 2), dtype)}});
    }
    expectUnary("quantize and dequantize", x, [](const Tensor &x) {
      const Tensor scale = Tensor::scalar(0.01, DataType::Float32);
      const Tensor zero = Tensor::scalar(std::int64_t(3), DataType::Int8);
      return ops::dequantize(ops::quantize(x, scale, zero), scale, zero);
    });
    expectGuarded({"quantize by columns " + std::to_string(n),
                   [](const Tensors &in) -> Tensors { return {ops::quantize(in[0], ops::add(ops::abs(in[1]), 1.0))}; },
                   {x, numbers({n}, 2)}});
    expectUnary("logic", x, [](const Tensor &x) {
      return ops::logical_not(ops::logical_and(ops::less(x, 0.5), ops::greater(x, -0.5)));
    });
  }
}

TEST(Guard, WholeNetworks) {
  for (unsigned threads : {1U, 2U}) {
    GuardedCase attention{"attention",
                          [](const Tensors &in) -> Tensors { return {ops::attention(in[0], in[1], in[2])}; },
                          {numbers({1, 2, 19, 24}), numbers({1, 2, 37, 24}, 2), numbers({1, 2, 37, 20}, 3)}};
    attention.threads = threads;
    attention.sameWithoutFusing = false;
    expectGuarded(attention);
    GuardedCase network{
        "a small network",
        [](const Tensors &in) -> Tensors {
          Tensor x =
              ops::conv(in[0], in[1], std::nullopt, {}, {1, 1}, {}, 1, ops::AutoPad::Explicit, ops::Activation::Relu);
          x = ops::add(x, ops::conv(x, in[2], std::nullopt, {}, {1, 1}));
          x = ops::max_pool(x, {2, 2}, {2, 2});
          x = ops::reshape(ops::global_avg_pool(x), std::vector<std::int64_t>{-1, 21});
          return {ops::softmax(ops::matmul(x, in[3])), x};
        },
        {numbers({2, 3, 37, 35}), numbers({21, 3, 3, 3}, 2), numbers({21, 21, 3, 3}, 3), numbers({21, 13}, 4)},
        3};
    network.threads = threads;
    network.sameWithoutFusing = false;
    expectGuarded(network);
    network.name += " of run-time sizes";
    network.dims = {{"n", "", "h", "w"}};
    expectGuarded(network);
    network.relaxed = true;
    network.dims.clear();
    network.name = "a small network relaxed";
    expectGuarded(network);
  }
}

} // namespace
