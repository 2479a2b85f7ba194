// Element-wise ops, reductions and contractions on ragged, empty and dynamic shapes, bit by bit against plain loops.
#include "Harness.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <numeric>

using namespace clika;
using namespace clika::test;

namespace {

std::string replaceAll(std::string text, const std::vector<std::pair<std::string, std::string>> &pairs) {
  for (const auto &[from, to] : pairs)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

std::string size(std::int64_t value, bool dynamic) { return dynamic ? "?" : std::to_string(value); }

/// The order of semantics.md: 32 partial results by index mod 32, then halves.
template <typename T, typename Combine>
T rowOrder(const T *row, std::int64_t count, T neutral, Combine combine) {
  std::vector<T> partial(32, neutral);
  for (std::int64_t i = 0; i != count; ++i)
    partial[i % 32] = combine(partial[i % 32], row[i]);
  for (int half = 16; half >= 1; half /= 2)
    for (int i = 0; i != half; ++i)
      partial[i] = combine(partial[i], partial[i + half]);
  return combine(neutral, partial[0]);
}

const std::int64_t kSizes[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257};

TEST(Elementwise, ChainsOnAllSizes) {
  for (bool dynamic : {false, true}) {
    std::shared_ptr<Program> program;
    for (std::int64_t n : kSizes) {
      if (!dynamic || !program)
        program = compileText(
            replaceAll(R"(
          func.func @main(%a: tensor<3xNxf32>, %b: tensor<Nxf32>) -> tensor<3xNxf32> {
            %c0 = arith.constant 1 : index
            %n = tensor.dim %a, %c0 : tensor<3xNxf32>
            %e = EMPTY
            %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                                  affine_map<(i, j) -> (i, j)>],
                                 iterator_types = ["parallel", "parallel"]}
                 ins(%a, %b : tensor<3xNxf32>, tensor<Nxf32>) outs(%e : tensor<3xNxf32>) {
            ^bb0(%x: f32, %y: f32, %o: f32):
              %p = arith.mulf %x, %y : f32
              %q = arith.addf %p, %x : f32
              linalg.yield %q : f32
            } -> tensor<3xNxf32>
            return %0 : tensor<3xNxf32>
          })",
                       {{"EMPTY", dynamic ? "tensor.empty(%n) : tensor<3x?xf32>" : "tensor.empty() : tensor<3xNxf32>"},
                        {"xNx", "x" + size(n, dynamic) + "x"},
                        {"<Nx", "<" + size(n, dynamic) + "x"}}));
      ASSERT_TRUE(program);
      std::vector<float> a = randomFloats(3 * n, 1), b = randomFloats(n, 2), expected;
      for (std::int64_t i = 0; i != 3 * n; ++i) {
        float product = a[i] * b[i % n];
        expected.push_back(product + a[i]);
      }
      EXPECT_EQ(run(*program, {Array::of({3, n}, a), Array::of({n}, b)}).at(0).as<float>(), expected) << n;
    }
  }
}

TEST(Elementwise, TransposeAndStrides) {
  std::vector<std::int32_t> values(5 * 37);
  std::iota(values.begin(), values.end(), 0);
  auto results = evaluate(R"(
    func.func @main(%a: tensor<5x37xi32>) -> (tensor<37x5xi32>, tensor<5x12xi32>) {
      %e = tensor.empty() : tensor<37x5xi32>
      %0 = linalg.transpose ins(%a : tensor<5x37xi32>) outs(%e : tensor<37x5xi32>) permutation = [1, 0]
      %1 = tensor.extract_slice %a[0, 2] [5, 12] [1, 3] : tensor<5x37xi32> to tensor<5x12xi32>
      return %0, %1 : tensor<37x5xi32>, tensor<5x12xi32>
    })",
                          {Array::of({5, 37}, values)});
  ASSERT_EQ(results.size(), 2u);
  std::vector<std::int32_t> transposed, strided;
  for (int j = 0; j != 37; ++j)
    for (int i = 0; i != 5; ++i)
      transposed.push_back(values[i * 37 + j]);
  for (int i = 0; i != 5; ++i)
    for (int j = 0; j != 12; ++j)
      strided.push_back(values[i * 37 + 2 + 3 * j]);
  EXPECT_EQ(results[0].as<std::int32_t>(), transposed);
  EXPECT_EQ(results[1].as<std::int32_t>(), strided);
}

TEST(Elementwise, ElementsOfAllWidths) {
  const std::int64_t n = 83;
  std::vector<std::int8_t> a(n);
  std::vector<std::int64_t> b(n), expected;
  for (std::int64_t i = 0; i != n; ++i) {
    a[i] = static_cast<std::int8_t>(i * 7);
    b[i] = i * 1000000007;
    expected.push_back(a[i] * b[i] + i);
  }
  auto results = evaluate(R"(
    func.func @main(%a: tensor<83xi8>, %b: tensor<83xi64>) -> (tensor<83xi64>, tensor<83xi8>) {
      %e = tensor.empty() : tensor<83xi64>
      %f = tensor.empty() : tensor<83xi8>
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
           ins(%a, %b : tensor<83xi8>, tensor<83xi64>) outs(%e : tensor<83xi64>) {
      ^bb0(%x: i8, %y: i64, %o: i64):
        %w = arith.extsi %x : i8 to i64
        %p = arith.muli %w, %y : i64
        %i = linalg.index 0 : index
        %k = arith.index_cast %i : index to i64
        %q = arith.addi %p, %k : i64
        linalg.yield %q : i64
      } -> tensor<83xi64>
      %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
           ins(%a : tensor<83xi8>) outs(%f : tensor<83xi8>) {
      ^bb0(%x: i8, %o: i8):
        %p = arith.addi %x, %x : i8
        linalg.yield %p : i8
      } -> tensor<83xi8>
      return %0, %1 : tensor<83xi64>, tensor<83xi8>
    })",
                          {Array::of({n}, a), Array::of({n}, b)});
  EXPECT_EQ(results.at(0).as<std::int64_t>(), expected);
  std::vector<std::int8_t> doubled;
  for (std::int8_t x : a)
    doubled.push_back(static_cast<std::int8_t>(2 * x));
  EXPECT_EQ(results.at(1).as<std::int8_t>(), doubled);
}

TEST(Elementwise, GathersWhatItsIndicesName) {
  auto program = compileText(R"(
    func.func @main(%t: tensor<9x5xf32>, %at: tensor<40xi64>) -> tensor<40x5xf32> {
      %e = tensor.empty() : tensor<40x5xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
           ins(%at : tensor<40xi64>) outs(%e : tensor<40x5xf32>) {
      ^bb0(%k: i64, %o: f32):
        %j = linalg.index 1 : index
        %r = arith.index_cast %k : i64 to index
        %v = tensor.extract %t[%r, %j] : tensor<9x5xf32>
        linalg.yield %v : f32
      } -> tensor<40x5xf32>
      return %0 : tensor<40x5xf32>
    })");
  ASSERT_TRUE(program);
  std::vector<float> table = randomFloats(45), expected;
  std::vector<std::int64_t> at;
  for (int i = 0; i != 40; ++i)
    at.push_back((i * 5) % 9);
  for (std::int64_t r : at)
    for (int j = 0; j != 5; ++j)
      expected.push_back(table[r * 5 + j]);
  EXPECT_EQ(run(*program, {Array::of({9, 5}, table), Array::of({40}, at)}).at(0).as<float>(), expected);
}

const char *kReduce = R"(
  func.func @main(%a: tensor<MxNxf32>) -> (tensor<Mxf32>, tensor<Nxf32>) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = tensor.dim %a, %c0 : tensor<MxNxf32>
    %n = tensor.dim %a, %c1 : tensor<MxNxf32>
    %em = tensor.empty(MM) : tensor<Mxf32>
    %en = tensor.empty(NN) : tensor<Nxf32>
    %fm = linalg.fill ins(%zero : f32) outs(%em : tensor<Mxf32>) -> tensor<Mxf32>
    %fn = linalg.fill ins(%zero : f32) outs(%en : tensor<Nxf32>) -> tensor<Nxf32>
    %0 = linalg.reduce {arith.addf} ins(%a : tensor<MxNxf32>) outs(%fm : tensor<Mxf32>) dimensions = [1]
    %1 = linalg.reduce {arith.addf} ins(%a : tensor<MxNxf32>) outs(%fn : tensor<Nxf32>) dimensions = [0]
    return %0, %1 : tensor<Mxf32>, tensor<Nxf32>
  })";

TEST(Reduction, RowsInPartialSumsColumnsAscending) {
  for (bool dynamic : {false, true}) {
    std::shared_ptr<Program> program;
    for (std::int64_t m : {0, 1, 3, 4, 9})
      for (std::int64_t n : kSizes) {
        if (!dynamic || !program)
          program = compileText(replaceAll(kReduce, {{"MM", dynamic ? "%m" : ""},
                                                     {"NN", dynamic ? "%n" : ""},
                                                     {"<Mx", "<" + size(m, dynamic) + "x"},
                                                     {"<Nx", "<" + size(n, dynamic) + "x"},
                                                     {"xNx", "x" + size(n, dynamic) + "x"}}));
        ASSERT_TRUE(program);
        std::vector<float> a = randomFloats(m * n), rows, columns(n, 0.0f);
        for (std::int64_t i = 0; i != m; ++i) {
          rows.push_back(rowOrder(a.data() + i * n, n, 0.0f, std::plus<float>()));
          for (std::int64_t j = 0; j != n; ++j)
            columns[j] += a[i * n + j];
        }
        auto results = run(*program, {Array::of({m, n}, a)});
        EXPECT_EQ(results.at(0).as<float>(), rows) << m << " x " << n;
        EXPECT_EQ(results.at(1).as<float>(), columns) << m << " x " << n;
      }
  }
}

TEST(Reduction, MaximumHandsNanOn) {
  std::vector<float> a = randomFloats(3 * 50);
  a[60] = NAN;
  auto results = evaluate(R"(
    func.func @main(%a: tensor<3x50xf32>) -> tensor<3xf32> {
      %low = arith.constant 0xFF800000 : f32
      %e = tensor.empty() : tensor<3xf32>
      %f = linalg.fill ins(%low : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
      %0 = linalg.reduce {arith.maximumf} ins(%a : tensor<3x50xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
      return %0 : tensor<3xf32>
    })",
                          {Array::of({3, 50}, a)});
  std::vector<float> got = results.at(0).as<float>();
  EXPECT_EQ(got[0], *std::max_element(a.begin(), a.begin() + 50));
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(got[2], *std::max_element(a.begin() + 100, a.end()));
}

std::string matmulText(std::int64_t m, std::int64_t n, std::int64_t k, bool dynamicM, bool dynamicAll, bool epilogue) {
  return replaceAll(R"(
    func.func @main(%a: tensor<MxKxf32>, %b: tensor<KxNxf32>, %bias: tensor<Nxf32>) -> tensor<MxNxf32> {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %m = tensor.dim %a, %c0 : tensor<MxKxf32>
      %n = tensor.dim %b, %c1 : tensor<KxNxf32>
      %e = tensor.empty(SIZES) : tensor<MxNxf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<MxNxf32>) -> tensor<MxNxf32>
      %0 = linalg.matmul ins(%a, %b : tensor<MxKxf32>, tensor<KxNxf32>) outs(%f : tensor<MxNxf32>) -> tensor<MxNxf32>
      %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
           ins(%0, %bias : tensor<MxNxf32>, tensor<Nxf32>) outs(%e : tensor<MxNxf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %s = arith.addf %x, %y : f32
        %r = arith.maximumf %s, %zero : f32
        linalg.yield %r : f32
      } -> tensor<MxNxf32>
      return %RESULT : tensor<MxNxf32>
    })",
                    {{"RESULT", epilogue ? "1" : "0"},
                     {"SIZES", dynamicAll ? "%m, %n"
                               : dynamicM ? "%m"
                                          : ""},
                     {"<Mx", "<" + size(m, dynamicM) + "x"},
                     {"<Nx", "<" + size(n, dynamicAll) + "x"},
                     {"xNx", "x" + size(n, dynamicAll) + "x"},
                     {"<Kx", "<" + size(k, dynamicAll) + "x"},
                     {"xKx", "x" + size(k, dynamicAll) + "x"}});
}

void checkMatmul(const Program &program, std::int64_t m, std::int64_t n, std::int64_t k, bool epilogue) {
  std::vector<float> a = randomFloats(m * k, 1), b = randomFloats(k * n, 2), bias = randomFloats(n, 3);
  std::vector<float> expected(m * n, 0.0f);
  for (std::int64_t i = 0; i != m; ++i)
    for (std::int64_t j = 0; j != n; ++j) {
      float &sum = expected[i * n + j];
      for (std::int64_t l = 0; l != k; ++l)
        sum = std::fma(a[i * k + l], b[l * n + j], sum);
      if (epilogue)
        sum = std::max(sum + bias[j], 0.0f);
    }
  std::vector<Array> inputs = {Array::of({m, k}, a), Array::of({k, n}, b), Array::of({n}, bias)};
  inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(program.inputs().size()), inputs.end());
  auto results = run(program, inputs);
  EXPECT_EQ(results.at(0).as<float>(), expected) << m << " x " << n << " x " << k << (epilogue ? " epilogue" : "");
}

TEST(Matmul, RaggedAndEmptyShapes) {
  for (bool epilogue : {false, true})
    for (auto [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{1, 1, 1},
                                                                   {1, 64, 5},
                                                                   {3, 5, 7},
                                                                   {13, 33, 17},
                                                                   {29, 47, 8},
                                                                   {64, 64, 64},
                                                                   {37, 100, 0},
                                                                   {0, 8, 8},
                                                                   {8, 0, 8}}) {
      auto program = compileText(matmulText(m, n, k, false, false, epilogue));
      ASSERT_TRUE(program);
      checkMatmul(*program, m, n, k, epilogue);
    }
}

TEST(Matmul, DynamicShapes) {
  for (bool epilogue : {false, true})
    for (bool all : {false, true}) {
      auto program = compileText(matmulText(0, 50, 20, true, all, epilogue));
      ASSERT_TRUE(program);
      for (std::int64_t m : {0, 1, 2, 5, 8, 15, 23, 100})
        checkMatmul(*program, m, 50, 20, epilogue);
      if (all)
        checkMatmul(*program, 11, 33, 7, epilogue);
    }
}

TEST(Matmul, TransposedAndBatched) {
  const int batch = 3, m = 21, n = 39, k = 13;
  std::vector<float> a = randomFloats(batch * m * k, 1), b = randomFloats(batch * n * k, 2);
  std::vector<float> expected(batch * m * n, 0.0f);
  for (int l = 0; l != batch; ++l)
    for (int i = 0; i != m; ++i)
      for (int j = 0; j != n; ++j)
        for (int p = 0; p != k; ++p) {
          float &sum = expected[(l * m + i) * n + j];
          sum = std::fma(a[(l * m + i) * k + p], b[(l * n + j) * k + p], sum);
        }
  for (std::string s : {"3x21", "?x?"}) {
    bool dynamic = s == "?x?";
    auto results = evaluate(replaceAll(R"(
      #a = affine_map<(b, i, j, k) -> (b, i, k)>
      #b = affine_map<(b, i, j, k) -> (b, j, k)>
      #c = affine_map<(b, i, j, k) -> (b, i, j)>
      func.func @main(%a: tensor<BxMxKxf32>, %b: tensor<BxNxKxf32>) -> tensor<BxMxNxf32> {
        %zero = arith.constant 0.0 : f32
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %l = tensor.dim %a, %c0 : tensor<BxMxKxf32>
        %m = tensor.dim %a, %c1 : tensor<BxMxKxf32>
        %n = tensor.dim %b, %c1 : tensor<BxNxKxf32>
        %e = tensor.empty(SIZES) : tensor<BxMxNxf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<BxMxNxf32>) -> tensor<BxMxNxf32>
        %0 = linalg.batch_matmul indexing_maps = [#a, #b, #c]
             ins(%a, %b : tensor<BxMxKxf32>, tensor<BxNxKxf32>) outs(%f : tensor<BxMxNxf32>) -> tensor<BxMxNxf32>
        return %0 : tensor<BxMxNxf32>
      })",
                                       {{"SIZES", dynamic ? "%l, %m, %n" : ""},
                                        {"<B", dynamic ? "<?" : "<3"},
                                        {"xM", dynamic ? "x?" : "x21"},
                                        {"xN", dynamic ? "x?" : "x39"},
                                        {"xK", dynamic ? "x?" : "x13"}}),
                            {Array::of({batch, m, k}, a), Array::of({batch, n, k}, b)});
    EXPECT_EQ(results.at(0).as<float>(), expected) << s;
  }
}

TEST(Matmul, LongEpilogues) {
  const int m = 19, n = 50, k = 8;
  std::string body;
  for (int i = 0; i != 20; ++i)
    body += "%t" + std::to_string(i + 1) + " = arith.mulf %t" + std::to_string(i) + ", %x : f32\n%u" +
            std::to_string(i + 1) + " = arith.addf %u" + std::to_string(i) + ", %t" + std::to_string(i + 1) +
            " : f32\n";
  for (bool dynamic : {false, true}) {
    std::string text = matmulText(m, n, k, dynamic, dynamic, true);
    text = replaceAll(text, {{"%s = arith.addf %x, %y : f32\n        %r = arith.maximumf %s, %zero : f32\n",
                              "%t0 = math.exp %y : f32\n%u0 = math.tanh %t0 : f32\n" + body},
                             {"linalg.yield %r", "linalg.yield %u20"}});
    std::vector<float> a = randomFloats(m * k, 1), b = randomFloats(k * n, 2), bias = randomFloats(n, 3), expected;
    for (int i = 0; i != m; ++i)
      for (int j = 0; j != n; ++j) {
        float x = 0;
        for (int l = 0; l != k; ++l)
          x = std::fma(a[i * k + l], b[l * n + j], x);
        float t = std::exp(bias[j]), u = std::tanh(t);
        for (int l = 0; l != 20; ++l) {
          t = t * x;
          u = u + t;
        }
        expected.push_back(u);
      }
    std::vector<float> got =
        evaluate(text, {Array::of({m, k}, a), Array::of({k, n}, b), Array::of({n}, bias)}).at(0).as<float>();
    for (std::size_t i = 0; i != expected.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], 4e-6 * std::max(1.0f, std::abs(expected[i]))) << i;
  }
}

TEST(Matmul, PacksWideOperands) {
  auto program = compileText(matmulText(100, 530, 40, false, false, true));
  ASSERT_TRUE(program);
  checkMatmul(*program, 100, 530, 40, true);
  // For few rows, too, where the operand's own lie 16 KiB apart.
  auto few = compileText(matmulText(18, 4096, 1024, false, false, false));
  ASSERT_TRUE(few);
  checkMatmul(*few, 18, 4096, 1024, false);
}

TEST(Matmul, ConstantWeightsArePacked) {
  const std::int64_t n = 192, k = 20;
  std::vector<float> b = randomFloats(k * n, 2), bias = randomFloats(n, 3);
  auto owner = std::make_shared<int>();
  for (bool epilogue : {false, true})
    for (bool dynamic : {false, true})
      for (std::int64_t m : {1, 2, 13, 31}) {
        auto program =
            compileText(matmulText(m, n, k, dynamic, false, epilogue), 1, {{b.data(), owner}, {bias.data(), nullptr}});
        ASSERT_TRUE(program);
        EXPECT_EQ(owner.use_count(), 1) << "only the panels are read";
        checkMatmul(*program, m, n, k, epilogue);
        EXPECT_EQ(opsLeftToLoops(matmulText(m, n, k, dynamic, false, epilogue),
                                 {{b.data(), nullptr}, {bias.data(), nullptr}}),
                  0);
      }
}

TEST(Matmul, TheLastPanelOfAConstantWeightIsFilledUp) {
  const std::int64_t k = 37;
  for (std::int64_t n : {256 + 1, 256 + 31, 1000})
    for (bool epilogue : {false, true})
      for (std::int64_t m : {1, 3, 13}) {
        std::vector<float> b = randomFloats(k * n, 2), bias = randomFloats(n, 3);
        auto owner = std::make_shared<int>();
        std::string text = matmulText(m, n, k, /*dynamic=*/false, false, epilogue);
        auto program = compileText(text, 1, {{b.data(), owner}, {bias.data(), nullptr}});
        ASSERT_TRUE(program);
        // More rows write more than is worth to be cut out of what is padded.
        EXPECT_EQ(owner.use_count(), k >= 8 * m ? 1 : 2) << m << " rows, " << n << " columns";
        checkMatmul(*program, m, n, k, epilogue);
        EXPECT_EQ(opsLeftToLoops(text, {{b.data(), nullptr}, {bias.data(), nullptr}}), 0);
      }
}

TEST(Matmul, TheLastPanelOfALongSumIsFilledUpForManyRowsToo) {
  const std::int64_t m = 40;
  struct Case {
    std::int64_t n, k;
    bool packed;
  };
  // A thirtieth of the columns may be added, sums are long, and weights large.
  for (auto [n, k, packed] : {Case{1000, 160, true}, Case{1023, 136, true}, Case{1000, 120, false},
                              Case{865, 160, false}, Case{250, 160, false}})
    for (bool epilogue : {false, true}) {
      std::vector<float> b = randomFloats(k * n, 2), bias = randomFloats(n, 3);
      auto owner = std::make_shared<int>();
      std::string text = matmulText(m, n, k, /*dynamic=*/false, false, epilogue);
      auto program = compileText(text, 1, {{b.data(), owner}, {bias.data(), nullptr}});
      ASSERT_TRUE(program);
      EXPECT_EQ(owner.use_count(), packed ? 1 : 2) << n << " columns, " << k << " terms";
      checkMatmul(*program, m, n, k, epilogue);
      EXPECT_EQ(opsLeftToLoops(text, {{b.data(), nullptr}, {bias.data(), nullptr}}), 0);
    }
}

TEST(Conv, ConstantWeightsArePacked) {
  const int h = 9, w = 11, c = 5, f = 96, oh = 4, ow = 5;
  std::vector<float> x = randomFloats(h * w * c, 1), weight = randomFloats(9 * c * f, 2);
  const std::string text = R"(
    func.func @main(%x: tensor<1x9x11x5xf32>, %w: tensor<3x3x5x96xf32>) -> tensor<1x4x5x96xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x4x5x96xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x5x96xf32>) -> tensor<1x4x5x96xf32>
      %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
           ins(%x, %w : tensor<1x9x11x5xf32>, tensor<3x3x5x96xf32>) outs(%f : tensor<1x4x5x96xf32>)
           -> tensor<1x4x5x96xf32>
      return %0 : tensor<1x4x5x96xf32>
    })";
  auto owner = std::make_shared<int>();
  auto packed = compileText(text, 1, {{weight.data(), owner}}), plain = compileText(text);
  ASSERT_TRUE(packed && plain);
  EXPECT_EQ(owner.use_count(), 1);
  auto got = run(*packed, {Array::of({1, h, w, c}, x)});
  auto wanted = run(*plain, {Array::of({1, h, w, c}, x), Array::of({3, 3, c, f}, weight)});
  EXPECT_EQ(got.at(0).as<float>(), wanted.at(0).as<float>());
  EXPECT_EQ(got.at(0).as<float>().size(), std::size_t(oh * ow * f));
}

TEST(Conv, Nhwc) {
  const int h = 9, w = 14, c = 5, f = 19, kh = 3, kw = 2, oh = 4, ow = 12;
  std::vector<float> x = randomFloats(2 * h * w * c, 1), weight = randomFloats(kh * kw * c * f, 2);
  std::vector<float> expected(2 * oh * ow * f, 0.0f);
  for (int b = 0; b != 2; ++b)
    for (int i = 0; i != oh; ++i)
      for (int j = 0; j != ow; ++j)
        for (int o = 0; o != f; ++o)
          for (int p = 0; p != kh; ++p)
            for (int q = 0; q != kw; ++q)
              for (int l = 0; l != c; ++l) {
                float &sum = expected[((b * oh + i) * ow + j) * f + o];
                sum = std::fma(x[((b * h + 2 * i + p) * w + j + 2 * q) * c + l], weight[((p * kw + q) * c + l) * f + o],
                               sum);
              }
  auto results = evaluate(R"(
    func.func @main(%x: tensor<2x9x14x5xf32>, %w: tensor<3x2x5x19xf32>) -> tensor<2x4x12x19xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<2x4x12x19xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x12x19xf32>) -> tensor<2x4x12x19xf32>
      %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}
           ins(%x, %w : tensor<2x9x14x5xf32>, tensor<3x2x5x19xf32>) outs(%f : tensor<2x4x12x19xf32>)
           -> tensor<2x4x12x19xf32>
      return %0 : tensor<2x4x12x19xf32>
    })",
                          {Array::of({2, h, w, c}, x), Array::of({kh, kw, c, f}, weight)});
  EXPECT_EQ(results.at(0).as<float>(), expected);
}

/// One op of that name on those types; `attrs` go before the operands.
std::string namedOp(const std::string &op, const std::string &attrs, const std::string &a, const std::string &b,
                    const std::string &c) {
  return "func.func @main(%a: tensor<" + a + ">, %b: tensor<" + b + ">, %c: tensor<" + c + ">) -> tensor<" + c +
         "> {\n%0 = linalg." + op + " " + attrs + " ins(%a, %b : tensor<" + a + ">, tensor<" + b +
         ">) outs(%c : tensor<" + c + ">) -> tensor<" + c + ">\nreturn %0 : tensor<" + c + ">\n}";
}

TEST(Vectorize, NoContractionIsLeftToScalarLoops) {
  const std::string two = "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}";
  const std::string one = "{dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}";
  const std::string three = "{dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}";
  const std::string cases[] = {
      namedOp("matmul", "", "5x7xf32", "7x9xf32", "5x9xf32"),
      namedOp("matmul", "", "?x?xf32", "?x?xf32", "?x?xf32"),
      namedOp("matmul", "", "5x7xi8", "7x9xi8", "5x9xi32"),
      namedOp("matmul", "", "5x7xf16", "7x9xf16", "5x9xf32"),
      namedOp("matmul", "", "5x7xbf16", "7x9xbf16", "5x9xf32"),
      namedOp("batch_matmul", "", "2x5x7xf32", "2x7x9xf32", "2x5x9xf32"),
      namedOp("matvec", "", "5x7xf32", "7xf32", "5xf32"),
      namedOp("vecmat", "", "5xf32", "5x7xf32", "7xf32"),
      namedOp("dot", "", "7xf32", "7xf32", "f32"),
      namedOp("conv_1d_nwc_wcf", one, "1x9x3xf32", "2x3x8xf32", "1x8x8xf32"),
      namedOp("conv_2d_nhwc_hwcf", two, "1x?x?x?xf32", "?x?x?x?xf32", "1x?x?x?xf32"),
      namedOp("conv_2d_nchw_fchw", two, "1x3x9x9xf32", "8x3x3x3xf32", "1x8x4x4xf32"),
      namedOp("conv_3d_ndhwc_dhwcf", three, "1x4x5x6x3xf32", "2x2x2x3x8xf32", "1x3x4x5x8xf32"),
      namedOp("depthwise_conv_2d_nhwc_hwc", two, "1x9x9x8xf32", "3x3x8xf32", "1x4x4x8xf32"),
      namedOp("pooling_nhwc_max", two, "1x8x8x5xf32", "2x2xf32", "1x4x4x5xf32"),
      namedOp("pooling_nchw_sum", two, "1x5x8x8xf32", "2x2xf32", "1x5x4x4xf32"),
  };
  for (const std::string &text : cases)
    EXPECT_EQ(opsLeftToLoops(text), 0) << text;
}

} // namespace
