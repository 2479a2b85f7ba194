// Patterns recorded from a function.
#include "GraphTesting.h"

using namespace testing_graphs;
using ClikaRT::graph::PatternTraceOptions;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

const std::vector<TensorSpec> kTwo = {{"x", DataType::Float32, {2, 3}}, {"z", DataType::Float32, {2, 3}}};

Tensors silu(const Tensors &in) { return {ops::mul(in[0], ops::sigmoid(in[0]))}; }

TEST(PatternTrace, anInputIsOneValueWhereverItIsRead) {
  Pattern pattern = Pattern::trace(silu, 1);
  EXPECT_EQ(pattern.nodes().size(), 2u);
  EXPECT_EQ(traced(silu, kTwo).find_occurrences(pattern).size(), 1u);
  auto swapped = [](const Tensors &in) -> Tensors { return {ops::mul(ops::sigmoid(in[0]), in[0])}; };
  EXPECT_EQ(traced(swapped, kTwo).find_occurrences(pattern).size(), 1u);
  auto other = [](const Tensors &in) -> Tensors { return {ops::mul(in[1], ops::sigmoid(in[0]))}; };
  EXPECT_THAT(traced(other, kTwo).find_occurrences(pattern), IsEmpty());
  PatternTraceOptions ordered;
  ordered.commutative = false;
  EXPECT_THAT(traced(swapped, kTwo).find_occurrences(Pattern::trace(silu, 1, ordered)), IsEmpty());
}

TEST(PatternTrace, aMatchListsTheInputsFirstAndInTheirOrder) {
  Pattern pattern =
      Pattern::trace([](const Tensors &in) -> Tensors { return {ops::sub(ops::mul(in[1], 2.0), in[0])}; }, 2);
  ModelGraph graph = traced([](const Tensors &in) -> Tensors { return {ops::sub(ops::mul(2.0, in[1]), in[0])}; }, kTwo);
  std::vector<RewriteMatch> matches = graph.find_occurrences(pattern);
  ASSERT_EQ(matches.size(), 1u);
  ASSERT_EQ(matches[0].inputs.size(), 3u);
  EXPECT_EQ(matches[0].inputs[0].name(), "x");
  EXPECT_EQ(matches[0].inputs[1].name(), "z");
  EXPECT_TRUE(matches[0].inputs[2].is_constant());
  Transform rule = transforms::rewrite("fold", pattern, [](const RewriteMatch &, const Tensors &in) {
    return Tensors{ops::sub(ops::add(in[1], in[1]), in[0])};
  });
  EXPECT_EQ(optimizeWith(graph, {rule}).transforms[0].rewrites, 1);
  EXPECT_EQ(formulas(graph), "Sub(Add(z, z), x)");
  // One value for both inputs: it is listed for each.
  ModelGraph same = traced([](const Tensors &in) -> Tensors { return {ops::sub(ops::mul(in[0], 2.0), in[0])}; });
  EXPECT_EQ(optimizeWith(same, {rule}).transforms[0].rewrites, 1);
  EXPECT_EQ(formulas(same), "Sub(Add(x, x), x)");
}

TEST(PatternTrace, numbersAreMatchedWithinTheTolerance) {
  auto scaled = [](double factor) {
    return [factor](const Tensors &in) -> Tensors { return {ops::mul(in[0], factor)}; };
  };
  auto found = [&](double factor, double tolerance, DataType dtype = DataType::Float32) {
    PatternTraceOptions options;
    options.tolerance = tolerance;
    return traced(scaled(factor), {{"x", dtype, {2}}})
        .find_occurrences(Pattern::trace(scaled(0.7978845608), 1, options))
        .size();
  };
  EXPECT_EQ(found(0.7978845608, 0), 1u);
  EXPECT_EQ(found(0.79789, 1e-5), 1u);
  EXPECT_EQ(found(0.79789, 1e-6), 0u);
  EXPECT_EQ(found(0.798, 1e-5), 0u);
  EXPECT_EQ(found(0.798, 1e-3), 1u);
  EXPECT_EQ(found(-0.7978845608, 0.5), 0u);
  // As that dtype holds it.
  EXPECT_EQ(found(0.7978845608, 0, DataType::Float16), 1u);
  EXPECT_EQ(found(0.7978845608, 0, DataType::BFloat16), 1u);
  EXPECT_EQ(found(0.7985, 0, DataType::Float16), 0u);
}

TEST(PatternTrace, numbersMayBeHeldInAnyShapeThatChangesNone) {
  Pattern pattern = Pattern::trace([](const Tensors &in) -> Tensors { return {ops::mul(in[0], 2.0)}; }, 1);
  auto by = [&](std::vector<float> values, ClikaRT::Shape shape) {
    return traced([&](const Tensors &in) -> Tensors { return {ops::mul(in[0], floats(values, shape))}; },
                  {{"x", DataType::Float32, {3}}})
        .find_occurrences(pattern)
        .size();
  };
  EXPECT_EQ(by({2}, {}), 1u);
  EXPECT_EQ(by({2}, {1}), 1u);
  EXPECT_EQ(by({2, 2, 2}, {3}), 1u);
  EXPECT_EQ(by({2, 2, 3}, {3}), 0u);
  EXPECT_EQ(by({2, 2}, {2, 1}), 0u);
}

TEST(PatternTrace, settingsAndOperandsLeftOutAreAsRecorded) {
  Pattern clamp = Pattern::trace([](const Tensors &in) -> Tensors { return {ops::clamp(in[0], 0.0)}; }, 1);
  auto clamps = [&](ops::Bound min, ops::Bound max) {
    return traced([&](const Tensors &in) -> Tensors { return {ops::clamp(in[0], min, max)}; })
        .find_occurrences(clamp)
        .size();
  };
  EXPECT_EQ(clamps(0.0, {}), 1u);
  EXPECT_EQ(clamps(1.0, {}), 0u);
  EXPECT_EQ(clamps(0.0, 6.0), 0u);
  Pattern concat = Pattern::trace([](const Tensors &in) -> Tensors { return {ops::concat({in[0], in[1]})}; }, 2);
  auto concats = [&](std::size_t count, std::int64_t axis) {
    return traced([&](const Tensors &in) -> Tensors { return {ops::concat(Tensors(count, in[0]), axis)}; })
        .find_occurrences(concat)
        .size();
  };
  EXPECT_EQ(concats(2, 0), 1u);
  EXPECT_EQ(concats(3, 0), 0u);
  EXPECT_EQ(concats(2, 1), 0u);
  Pattern plain = Pattern::trace([](const Tensors &in) -> Tensors { return {ops::add(in[0], in[1])}; }, 2);
  EXPECT_THAT(
      traced([](const Tensors &in) -> Tensors { return {ops::add(in[0], in[1], 1.0, ops::Activation::Relu)}; }, kTwo)
          .find_occurrences(plain),
      IsEmpty());
}

TEST(PatternTrace, whatTheOperandsAreOfIsForTheCallerToSay) {
  PatternTraceOptions options;
  options.inputs = {{"x", DataType::Float32, {"b", 4, 8}}};
  auto turned = [](const Tensors &in) -> Tensors { return {ops::transpose(in[0], {0, 2, 1})}; };
  EXPECT_THAT(refusal([&] { Pattern::trace(turned, 1); }), StartsWith("INVALID_ARGUMENT | transpose: "));
  EXPECT_EQ(
      traced(turned, {{"x", DataType::Float16, {2, 3, 5}}}).find_occurrences(Pattern::trace(turned, 1, options)).size(),
      1u);
}

TEST(PatternTrace, eachOfManyOutputsIsTold) {
  auto halves = [](const Tensors &in) -> Tensors {
    Tensors parts = ops::split(in[0], {}, 2);
    return {ops::sub(parts[1], parts[0])};
  };
  PatternTraceOptions options;
  options.inputs = {{"x", DataType::Float32, {4}}};
  Pattern pattern = Pattern::trace(halves, 1, options);
  EXPECT_EQ(traced(halves, {{"x", DataType::Float32, {4}}}).find_occurrences(pattern).size(), 1u);
  EXPECT_THAT(traced(
                  [](const Tensors &in) -> Tensors {
                    Tensors parts = ops::split(in[0], {}, 2);
                    return {ops::sub(parts[0], parts[1])};
                  },
                  {{"x", DataType::Float32, {4}}})
                  .find_occurrences(pattern),
              IsEmpty());
}

TEST(PatternTrace, functionsThatAreNoPatternAreRefused) {
  auto trace = [](ClikaRT::graph::TraceFunction fn, std::size_t inputs, PatternTraceOptions options = {}) {
    return refusal([&] { Pattern::trace(fn, inputs, options); });
  };
  EXPECT_THAT(trace([](const Tensors &in) { return in; }, 1), HasSubstr("trace: the function records no operator"));
  EXPECT_THAT(trace(silu, 2), HasSubstr("trace: the function does not compute its results from its input 1"));
  PatternTraceOptions options;
  options.tolerance = -1;
  EXPECT_THAT(trace(silu, 1, options), HasSubstr("the tolerance is -1.0"));
  options = {};
  options.inputs = kTwo;
  EXPECT_THAT(trace(silu, 1, options), HasSubstr("1 input, and 2 are described"));
  EXPECT_THAT(
      trace([](const Tensors &in) -> Tensors { return {ops::add(in[0], floats(std::vector<float>(5000), {5000, 1}))}; },
            1),
      HasSubstr("a constant of 5000 elements"));
  EXPECT_THAT(trace({}, 1), HasSubstr("the function given is empty"));
}

TEST(PatternTrace, zerosOfTwoSignsAreTwoLiterals) {
  auto minus = [](float zero) {
    return
        [zero](const Tensors &in) -> Tensors { return {ops::sub(in[0], Tensor::full({}, zero, DataType::Float32))}; };
  };
  ModelGraph positive = traced(minus(0.0f)), negative = traced(minus(-0.0f));
  Pattern pattern = Pattern::trace(minus(0.0f), 1);
  EXPECT_EQ(positive.find_occurrences(pattern).size(), 1u);
  EXPECT_EQ(negative.find_occurrences(pattern).size(), 0u);
  auto clamp = [](float low) { return [low](const Tensors &in) -> Tensors { return {ops::clamp(in[0], low)}; }; };
  EXPECT_EQ(traced(clamp(0.0f)).find_occurrences(Pattern::trace(clamp(0.0f), 1)).size(), 1u);
  EXPECT_EQ(traced(clamp(-0.0f)).find_occurrences(Pattern::trace(clamp(0.0f), 1)).size(), 0u);
}

TEST(PatternTrace, integersMatchExactlyWhateverTheTolerance) {
  auto plus = [](int64_t number) {
    return
        [number](const Tensors &in) -> Tensors { return {ops::add(in[0], Tensor::full({}, number, DataType::Int64))}; };
  };
  std::vector<TensorSpec> signature = {{"x", DataType::Int64, {2}}};
  ClikaRT::graph::PatternTraceOptions options;
  options.tolerance = 1e-3;
  options.inputs = signature;
  Pattern pattern = Pattern::trace(plus(1000000), 1, options);
  EXPECT_EQ(traced(plus(1000000), signature).find_occurrences(pattern).size(), 1u);
  EXPECT_EQ(traced(plus(1000001), signature).find_occurrences(pattern).size(), 0u);
}

} // namespace
