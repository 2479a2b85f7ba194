// Random chains of operators: compiled as one graph they have the numbers of each operator computed by itself, and no
// function of the code grows with what is fused into it.
#include "Guarded.h"
#include "Harness.h"
#include <gtest/gtest.h>
#include <ClikaRT/clika_rt.h>
#include <random>

using namespace clika::test;
namespace ops = ClikaRT::ops;
using ClikaRT::DataType;
using ClikaRT::Tensor;
using Tensors = std::vector<Tensor>;

namespace {

constexpr std::int64_t kRows = 7, kColumns = 37;

Tensor numbers(const ClikaRT::Shape &shape, unsigned seed) {
  std::size_t count = 1;
  for (std::int64_t size : shape)
    count *= static_cast<std::size_t>(size);
  return Tensor::from_data(randomFloats(count, seed).data(), shape, DataType::Float32);
}

/// The chain of a seed, over two tensors of [kRows, kColumns] and weights of [kColumns, kColumns]: every value has the
/// first shape and no large numbers, and any one before it may be read again.
class Chain {
public:
  Chain(unsigned seed, int length) : engine(seed), length(length) {}

  Tensors operator()(const Tensors &inputs) {
    values.assign(inputs.begin(), inputs.begin() + 2);
    for (int step = 0; step != length; ++step)
      values.push_back(next(pick(12), inputs[2]));
    return {values.back(), values[values.size() / 2]};
  }

private:
  int pick(int below) { return static_cast<int>(engine() % static_cast<unsigned>(below)); }
  const Tensor &any() { return values[static_cast<std::size_t>(pick(static_cast<int>(values.size())))]; }

  Tensor next(int kind, const Tensor &weights) {
    const Tensor &x = values.back(), &y = any();
    switch (kind) {
    case 0:
      return ops::tanh(ops::add(x, y));
    case 1:
      return ops::sub(ops::mul(x, y), ops::mul(x, 0.5));
    case 2:
      return ops::sigmoid(ops::neg(x));
    case 3:
      return ops::maximum(x, y);
    case 4:
      return ops::where(ops::less(x, y), ops::exp(ops::minimum(x, 0.0)), ops::abs(y));
    case 5:
      return ops::softmax(x, pick(2));
    case 6:
      return ops::sub(x, ops::reduce_mean(x, {pick(2)}, true));
    case 7:
      return ops::tanh(ops::matmul(x, weights));
    case 8:
      return ops::layer_norm(x);
    case 9: {
      // Columns from one place on come first.
      const std::int64_t cut = 1 + pick(kColumns - 1);
      const std::vector<std::int64_t> axis{1};
      return ops::concat({ops::slice(x, std::vector<std::int64_t>{cut}, std::vector<std::int64_t>{kColumns}, axis),
                          ops::slice(y, std::vector<std::int64_t>{0}, std::vector<std::int64_t>{cut}, axis)},
                         1);
    }
    case 10:
      return ops::transpose(ops::relu(ops::transpose(x)));
    default:
      return ops::cast(ops::cast(ops::mul(x, 0.7), DataType::Float16), DataType::Float32);
    }
  }

  std::mt19937 engine;
  int length;
  Tensors values;
};

std::string bytesOf(const Tensor &tensor) {
  return {static_cast<const char *>(tensor.raw_data()),
          static_cast<std::size_t>(tensor.size()) * ClikaRT::item_size(tensor.dtype())};
}

GuardedCase chainCase(unsigned seed, int length) {
  return {"chain of " + std::to_string(length) + ", seed " + std::to_string(seed),
          [=](const Tensors &in) { return Chain(seed, length)(in); },
          {numbers({kRows, kColumns}, 1), numbers({kRows, kColumns}, 2), numbers({kColumns, kColumns}, 3)},
          1};
}

TEST(Chain, equalsItsOperatorsOneByOne) {
  for (unsigned seed = 0; seed != 24; ++seed) {
    GuardedCase test = chainCase(seed, 3 + static_cast<int>(seed % 14));
    SCOPED_TRACE(test.name);
    if (seed % 3 == 1)
      test.dims = {{"n"}, {"n"}};
    Results expected;
    for (const Tensor &result : test.fn(test.inputs))
      expected.push_back(bytesOf(result));
    for (const Results &results : runGuarded(test, "", seed % 2 == 1, {{Guard::Behind, 0xFF}, {Guard::Before, 0xFF}}))
      EXPECT_TRUE(results == expected);
  }
}

TEST(Chain, functionsAreBounded) {
  // Twice what was counted on AVX-512: 1914, and 80 for each operator.
  constexpr std::size_t largestKernel = 4000, entryPerOperator = 160;
  for (unsigned seed = 100; seed != 108; ++seed)
    for (int length : {8, 48}) {
      GuardedCase test = chainCase(seed, length);
      const Instructions counts = countInstructions(test, "");
      EXPECT_GT(counts.entry + counts.largestKernel, 100U) << test.name;
      EXPECT_LT(counts.largestKernel, largestKernel) << test.name;
      EXPECT_LT(counts.entry, entryPerOperator * static_cast<std::size_t>(length)) << test.name;
    }
}

} // namespace
