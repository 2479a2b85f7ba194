#include "API/Checker.h"

#include "API/EvaluateGraph.h"
#include "API/Fail.h"
#include "API/InputGenerator.h"
#include "API/Ports.h"
#include "Runtime/Aside.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Tensor;
using ClikaRT::graph::Exactness;

namespace clika {
namespace {

constexpr std::string_view kCall = "optimize: check";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a bound is at least: four rounding units of half precision.
double leastBound(DataType dtype) {
  return dtype == DataType::Float16 ? 0x1p-9 : dtype == DataType::BFloat16 ? 0x1p-6 : 0.0;
}

bool close(double a, double b, const Exactness &exactness, double least) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (exactness.kind == Exactness::Kind::Exact)
    return a == b && std::signbit(a) == std::signbit(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::abs(a - b) <= std::max(exactness.atol, least) + std::max(exactness.rtol, least) * std::abs(b);
}

std::string placeText(const ClikaRT::Shape &shape, size_t place) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    auto size = static_cast<size_t>(shape[axis]);
    text = std::to_string(place % size) + (text.empty() ? "" : ", ") + text;
    place /= size;
  }
  return "[" + text + "]";
}

template <class T>
std::string numberText(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return ClikaRT::Scalar(value).to_string();
  else
    return std::to_string(value);
}

/// `same` says whether two elements agree.
template <class T>
std::optional<Difference> elementsDiffer(const Tensor &actual, const Tensor &expected,
                                         llvm::function_ref<bool(T, T)> same) {
  std::vector<T> a = actual.item_as_vec<T>(), b = expected.item_as_vec<T>();
  Difference found;
  size_t worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (same(a[i], b[i]))
      continue;
    double distance = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (std::isnan(distance))
      distance = kInfinity;
    if (found.count++ == 0 || distance > found.largest) {
      worst = i;
      found.largest = distance;
    }
  }
  if (found.count == 0)
    return std::nullopt;
  std::string values = numberText(a[worst]) + ", which was " + numberText(b[worst]);
  if (actual.shape().empty())
    found.text = "is " + values;
  else
    found.text = "differs in " + std::to_string(found.count) + " of " + std::to_string(a.size()) + " elements, " +
                 (found.count > 1 ? "most " : "") + "at " + placeText(actual.shape(), worst) + ": " + values;
  return found;
}

enum class Emptiness : uint8_t { None, Some, All };

/// How many of the outputs have no elements, but for those whose type has none.
Emptiness emptinessOf(GraphCore &core, const std::vector<Tensor> &outputs) {
  bool isAnyEmpty = false, isAnyFull = false;
  for (auto [type, output] : llvm::zip_equal(core.block().getTerminator()->getOperandTypes(), outputs)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isEmptyType = tensor && llvm::is_contained(tensor.getShape(), 0);
    isAnyEmpty |= output.size() == 0 && !isEmptyType;
    isAnyFull |= output.size() != 0 || isEmptyType;
  }
  return !isAnyEmpty ? Emptiness::None : isAnyFull ? Emptiness::Some : Emptiness::All;
}

bool sameBits(const Tensor &a, const Tensor &b) {
  size_t bytes = static_cast<size_t>(a.size()) * ClikaRT::item_size(a.dtype());
  return bytes == 0 || std::memcmp(a.raw_data(), b.raw_data(), bytes) == 0;
}

} // namespace

std::optional<Difference> difference(const Tensor &actual, const Tensor &expected, const Exactness &exactness) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape())
    return Difference{actual.size(), kInfinity, "is " + actual.to_string() + " and was " + expected.to_string()};
  if (sameBits(actual, expected))
    return std::nullopt;
  if (actual.dtype() == DataType::UInt64)
    return elementsDiffer<uint64_t>(actual, expected, std::equal_to<>());
  if (!ClikaRT::is_floating_point(actual.dtype()))
    return elementsDiffer<int64_t>(actual, expected, std::equal_to<>());
  double least = leastBound(actual.dtype());
  return elementsDiffer<double>(actual, expected, [&](double a, double b) { return close(a, b, exactness, least); });
}

Checker::Checker(GraphCore &core, const ClikaRT::graph::Check &options) {
  std::lock_guard lock(core.mutex);
  std::vector<Tensor> given = options.inputs, results;
  if (given.empty()) {
    checkRanges(core, options.ranges, kCall);
    given = runOnMadeUp(core, options, kCall);
  } else if (!options.ranges.empty()) {
    invalid(kCall, "there are both inputs and ranges, which are for inputs that are made up; give one of them");
  } else {
    checkInputs(inputPortsOf(core, kCall), given, kCall);
  }
  for (auto [id, tensor] : llvm::zip_equal(core.index.inputIds(), given))
    inputs[id] = tensor;
  try {
    expected = compute(core);
  } catch (const Error &error) {
    throw Error(error.status(), std::string(kCall) + ": " + error.what(), error.code_name());
  }
}

/// Draws inputs until the graph takes some that leave no output without elements: a name may have to be of a certain
/// size, which no type tells. A size of 1 suits where others do not, since it broadcasts.
std::vector<Tensor> Checker::runOnMadeUp(GraphCore &core, const ClikaRT::graph::Check &options, std::string_view call) {
  struct Sizes {
    int64_t smallest, largest;
    bool isDistinct, isEnough;
  };
  constexpr Sizes kSizes[] = {{2, 4, true, true},   {2, 4, false, true},   {1, 4, false, false},  {1, 4, false, false},
                              {1, 2, false, false}, {1, 1, false, false},  {1, 16, false, false}, {1, 64, false, false},
                              {8, 16, true, true},  {16, 64, false, false}};
  // An index may have to be 0.
  InputRanges zeros = options.ranges;
  for (BlockArgument argument : core.block().getArguments())
    if (isa<IntegerType>(cast<RankedTensorType>(argument.getType()).getElementType()))
      zeros.try_emplace(core.nameOf(argument));
  InputChoice choice;
  const InputSizes least = leastSizes(core);
  std::string why;
  std::optional<std::vector<Tensor>> partial;
  for (const InputRanges &ranges : {options.ranges, zeros})
    for (auto [i, sizes] : llvm::enumerate(kSizes)) {
      choice.seed = options.seed + i;
      choice.smallest = sizes.smallest;
      choice.largest = sizes.largest;
      choice.isDistinct = sizes.isDistinct;
      choice.least = sizes.isEnough ? least : InputSizes();
      std::vector<Tensor> drawn = generateInputs(core, choice, ranges, call);
      try {
        Emptiness emptiness = emptinessOf(core, evaluateGraph(core, drawn));
        if (emptiness == Emptiness::None)
          return drawn;
        if (emptiness == Emptiness::Some && !partial)
          partial = std::move(drawn);
        if (why.empty())
          why = "they leave no output any element to compare";
      } catch (const Error &error) {
        if (stopRequested())
          throw;
        if (why.empty())
          why = error.what();
      }
    }
  if (partial)
    return *partial;
  invalid(call, "none of the inputs that were made up can be computed with (" + why +
                    "); give inputs, as run() takes, or ranges");
}

Checker::Results Checker::compute(GraphCore &core) const {
  std::vector<Tensor> given;
  for (auto [id, name] : llvm::zip_equal(core.index.inputIds(), core.inputNames())) {
    auto at = inputs.find(id);
    if (at == inputs.end())
      throw Error(Status::InvalidArgument,
                  "the input " + quote(name.getValue()) +
                      " was not in the graph before, so there is no value for it; " +
                      "add inputs before optimize(), or leave `check` out",
                  "CHECK_FAILED");
    given.push_back(at->second);
  }
  Results results;
  for (auto [name, result] : llvm::zip_equal(core.outputNames(), evaluateGraph(core, given)))
    results.push_back({name.str(), result});
  return results;
}

/// What the output in this place was; null where it is new.
const Checker::Result *Checker::before(const Results &actual, size_t place) const {
  auto named = [](const Results &results, const std::string &name) {
    return llvm::find_if(results, [&](const Result &result) { return result.name == name; });
  };
  if (auto same = named(expected, actual[place].name); same != expected.end())
    return &*same;
  bool isRenamed = actual.size() == expected.size() && named(actual, expected[place].name) == actual.end();
  return isRenamed ? &expected[place] : nullptr;
}

void Checker::refuseDifferent(const Results &actual, const Exactness &exactness) const {
  std::optional<Difference> worst;
  std::string text;
  int64_t outputs = 0;
  bool isAnyKnown = actual.empty();
  for (auto [place, result] : llvm::enumerate(actual)) {
    const auto &[name, tensor] = result;
    const Result *was = before(actual, place);
    isAnyKnown |= was != nullptr;
    std::optional<Difference> found = was ? difference(tensor, was->tensor, exactness) : std::nullopt;
    outputs += found.has_value();
    if (!found || (worst && found->largest <= worst->largest))
      continue;
    worst = found;
    text = "the output " + quote(name) + " " + found->text;
  }
  if (!isAnyKnown)
    throw Error(Status::InvalidArgument,
                "the graph has none of the outputs that it had, so there is nothing to compare; keep one, or leave "
                "`check` out",
                "CHECK_FAILED");
  if (outputs > 1)
    text +=
        " (and " + std::to_string(outputs - 1) + " more of the outputs " + (outputs > 2 ? "differ" : "differs") + ")";
  if (worst)
    throw Error(Status::Internal, text, "CHECK_FAILED");
}

void Checker::compare(GraphCore &core, const Exactness &exactness) {
  std::lock_guard lock(core.mutex);
  Results actual = compute(core);
  refuseDifferent(actual, exactness);
  expected = std::move(actual);
}

bool Checker::differs(GraphCore &core, const Exactness &exactness) const {
  std::lock_guard lock(core.mutex);
  try {
    refuseDifferent(compute(core), exactness);
    return false;
  } catch (const Error &) {
    if (stopRequested())
      throw;
    return true;
  }
}

} // namespace clika
