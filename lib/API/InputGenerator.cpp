#include "API/InputGenerator.h"

#include "API/Fail.h"
#include "Dialect/Axes.h"
#include "Dialect/IndexOps.h"
#include "Dialect/Shape.h"
#include "Transforms/Moved.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Scalar;
using ClikaRT::Tensor;
using ClikaRT::graph::InputRange;

namespace clika {
namespace {

using Random = std::mt19937_64;

template <class T>
Tensor draw(const ClikaRT::Shape &shape, DataType dtype, llvm::function_ref<T()> next) {
  std::vector<T> values(static_cast<size_t>(ClikaRT::element_count(shape)));
  for (T &value : values)
    value = next();
  return Tensor::from_data(values.data(), shape, dtype);
}

Tensor drawNumbers(const ClikaRT::Shape &shape, DataType dtype, InputRange range, Random &random) {
  // The distribution leaves out its end, and overflows where the distance does.
  std::uniform_real_distribution<double> part(0.0, 1.0);
  auto next = [&] {
    double at = part(random);
    return std::clamp(range.low * (1.0 - at) + range.high * at, range.low, range.high);
  };
  switch (dtype) {
  case DataType::Float16:
    return draw<ClikaRT::Float16>(shape, dtype, [&] { return ClikaRT::Float16(next()); });
  case DataType::BFloat16:
    return draw<ClikaRT::BFloat16>(shape, dtype, [&] { return ClikaRT::BFloat16(next()); });
  case DataType::Float32:
    return draw<float>(shape, dtype, [&] { return static_cast<float>(next()); });
  default:
    return draw<double>(shape, dtype, next);
  }
}

bool isUnsigned(DataType dtype) { return dtype == DataType::Bool || ClikaRT::is_unsigned_integer(dtype); }

/// What a dtype of integers, or of floating point, can hold.
InputRange limitsOf(DataType dtype) {
  switch (dtype) {
  case DataType::Bool:
    return {0.0, 1.0};
  case DataType::Float16:
    return {-65504.0, 65504.0};
  case DataType::BFloat16:
    return {-0x1.FEp127, 0x1.FEp127};
  case DataType::Float32:
    return {-std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
  case DataType::Float64:
    return {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  default:
    break;
  }
  int bits = static_cast<int>(8 * ClikaRT::item_size(dtype));
  // The last double below a power of two that an integer of 64 bits cannot reach.
  auto below = [&](int exponent) {
    double power = std::ldexp(1.0, exponent);
    return exponent > 53 ? std::nextafter(power, 0.0) : power - 1.0;
  };
  return isUnsigned(dtype) ? InputRange{0.0, below(bits)} : InputRange{-std::ldexp(1.0, bits - 1), below(bits - 1)};
}

template <class T>
Tensor drawIntegers(const ClikaRT::Shape &shape, DataType dtype, InputRange range, Random &random) {
  std::uniform_int_distribution<T> next(static_cast<T>(std::ceil(range.low)), static_cast<T>(std::floor(range.high)));
  size_t item = ClikaRT::item_size(dtype);
  std::vector<char> bytes(static_cast<size_t>(ClikaRT::element_count(shape)) * item);
  for (size_t at = 0; at < bytes.size(); at += item) {
    T value = next(random);
    std::memcpy(&bytes[at], &value, item);
  }
  return Tensor::from_data(bytes.data(), shape, dtype);
}

Tensor randomTensor(const ClikaRT::Shape &shape, DataType dtype, std::optional<InputRange> range, Random &random) {
  if (ClikaRT::is_floating_point(dtype))
    return drawNumbers(shape, dtype, range.value_or(InputRange{-2.0, 2.0}), random);
  InputRange whole = range.value_or(InputRange{0.0, 1.0});
  return isUnsigned(dtype) ? drawIntegers<uint64_t>(shape, dtype, whole, random)
                           : drawIntegers<int64_t>(shape, dtype, whole, random);
}

std::string rangeText(InputRange range) {
  return "[" + Scalar(range.low).to_string() + ", " + Scalar(range.high).to_string() + "]";
}

DataType dtypeOf(BlockArgument argument, std::string_view call) {
  return clika::dtypeOf(cast<RankedTensorType>(argument.getType()).getElementType(), call);
}

void checkRange(InputRange range, DataType dtype, const std::string &name, std::string_view call) {
  std::string what = "the range of the input " + quote(name) + ", " + rangeText(range) + ", ";
  InputRange limits = limitsOf(dtype);
  // A NaN fails each comparison.
  if (!(range.low <= range.high))
    invalid(call, what + "has its low end above its high one, or an end that is NaN");
  if (!(range.low >= limits.low && range.high <= limits.high))
    invalid(call, what + "reaches beyond what " + std::string(ClikaRT::data_type_name(dtype)) + " holds, " +
                      rangeText(limits));
  if (!ClikaRT::is_floating_point(dtype) && std::ceil(range.low) > std::floor(range.high))
    invalid(call, what + "holds no integer, and the input is " + std::string(ClikaRT::data_type_name(dtype)));
}

} // namespace

void checkRanges(GraphCore &core, const InputRanges &ranges, std::string_view call) {
  std::map<std::string, BlockArgument> byName;
  for (BlockArgument argument : core.block().getArguments())
    byName[core.nameOf(argument)] = argument;
  for (const auto &[name, range] : ranges) {
    auto found = byName.find(name);
    if (found == byName.end())
      invalid(call, "ranges name the input " + quote(name) + ", which the graph has not; name its inputs");
    checkRange(range, dtypeOf(found->second, call), name, call);
  }
}

InputSizes leastSizes(GraphCore &core) {
  constexpr int64_t kLarge = 1024;
  InputSizes least;
  auto ask = [&](Value x, int64_t axis, int64_t size) {
    Dims dims = dimsOf(x.getType());
    if (size > kLarge || axis < 0 || axis >= static_cast<int64_t>(dims.size()) || !dims[static_cast<size_t>(axis)])
      return;
    dims[static_cast<size_t>(axis)].walk([&](AffineExpr part) {
      if (isa<AffineSymbolExpr>(part))
        least[part] = std::max(least[part], size);
    });
  };
  // Position p needs p + 1 elements, and -p, from the end, p.
  auto needs = [](int64_t position) {
    bool isLarge = position >= kLarge || position < -kLarge;
    return isLarge ? 0 : position < 0 ? -position : position + 1;
  };
  core.module().walk([&](Operation *op) {
    if (auto slice = dyn_cast<SliceOp>(op)) {
      auto axes = literalSlice(slice).value_or(SmallVector<SliceAxis, 4>());
      for (const SliceAxis &one : axes) {
        bool isForward = one.step > 0, reaches = one.end > 0 && one.end <= kLarge && isForward;
        // The first element taken, and where the end is counted from the other side, one element before it.
        bool meets = isForward && one.start >= 0 && one.end < 0 && one.end > -kLarge && one.start < kLarge;
        ask(slice.getX(), one.axis, meets ? one.start + 1 - one.end : reaches ? one.end : needs(one.start));
      }
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      auto indices = constantIntegers(gather.getIndices()).value_or(SmallVector<int64_t>());
      int64_t axis = rankOf(gather.getX()) ? fromStart(gather.getAxis(), rankOf(gather.getX())) : 0;
      for (int64_t index : indices)
        ask(gather.getX(), axis, needs(index));
    }
  });
  return least;
}

std::vector<Tensor> generateInputs(GraphCore &core, const InputChoice &choice, const InputRanges &ranges,
                                   std::string_view call) {
  Random random(choice.seed);
  InputSizes sizes;
  std::set<int64_t> taken;
  auto draw = [&](int64_t least) {
    int64_t smallest = std::max(choice.smallest, least);
    int64_t largest = smallest > choice.largest ? smallest + 2 : choice.largest;
    int64_t size = smallest + static_cast<int64_t>(random() % static_cast<uint64_t>(largest - smallest + 1));
    while (choice.isDistinct && taken.contains(size))
      ++size;
    taken.insert(size);
    return size;
  };
  std::vector<Tensor> inputs;
  for (BlockArgument argument : core.block().getArguments()) {
    ClikaRT::Shape shape;
    for (Dim dim : dimsOf(argument.getType())) {
      std::optional<int64_t> size = constantOf(dim);
      if (!size && dim && !isa<AffineSymbolExpr>(dim))
        invalid(call, "a size of the input " + quote(core.nameOf(argument)) + " is the expression " + describe(dim) +
                          ", so inputs cannot be made up; give some");
      if (!size && dim) {
        if (!sizes.contains(dim))
          sizes[dim] = draw(choice.least.lookup(dim));
        size = sizes[dim];
      }
      shape.push_back(size ? *size : draw(0));
    }
    auto range = ranges.find(core.nameOf(argument));
    inputs.push_back(randomTensor(shape, dtypeOf(argument, call),
                                  range == ranges.end() ? std::nullopt : std::optional(range->second), random));
  }
  return inputs;
}

} // namespace clika
