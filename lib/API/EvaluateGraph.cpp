#include "API/EvaluateGraph.h"

#include "API/Fail.h"
#include "API/Optimize.h"
#include "API/Ports.h"
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Shape.h"
#include "Dialect/ShapeOps.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/Aside.h"

#include <ClikaRT/control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Tensor;
using ClikaRT::graph::Exactness;

namespace clika {

namespace {

/// Computes a graph operator by operator; an operator with regions by computing them.
class GraphEvaluator {
public:
  explicit GraphEvaluator(GraphCore &core) : core(core) {}

  std::vector<Tensor> run(const std::vector<Tensor> &inputs) {
    give(core.block(), inputs);
    return runBlock(core.block());
  }

private:
  void give(Block &block, const std::vector<Tensor> &inputs) {
    for (auto [argument, tensor] : llvm::zip_equal(block.getArguments(), inputs))
      keep(argument, tensor);
  }

  void keep(Value value, const Tensor &tensor) {
    auto uses = static_cast<unsigned>(std::distance(value.use_begin(), value.use_end()));
    if (uses == 0)
      return;
    reads[value] = uses;
    values[value] = tensor;
  }

  /// A value is let go of after its last read, but for one that a region reads, maybe many times.
  Tensor read(Value value, Block &reader) {
    auto at = values.find(value);
    Tensor tensor = at->second;
    if (value.getParentBlock() == &reader && --reads[value] == 0)
      values.erase(at);
    return tensor;
  }

  /// What the block's terminator hands out.
  std::vector<Tensor> runBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto constant = dyn_cast<ConstantOp>(&op)) {
        keep(constant.getResult(), core.context->tensorOf(constant.getValue(), "evaluate"));
        continue;
      }
      std::vector<Tensor> operands;
      for (Value operand : op.getOperands())
        operands.push_back(read(operand, block));
      if (op.use_empty())
        continue;
      if (stopRequested())
        interrupted("optimize", "the check was interrupted, and every change of the run undone");
      for (auto [value, tensor] : llvm::zip_equal(op.getResults(), compute(&op, operands)))
        keep(value, tensor);
    }
    std::vector<Tensor> outputs;
    for (Value operand : block.getTerminator()->getOperands())
      outputs.push_back(read(operand, block));
    return outputs;
  }

  std::vector<Tensor> compute(Operation *op, const std::vector<Tensor> &operands) {
    if (auto branch = dyn_cast<IfOp>(op))
      return compute(branch, operands);
    if (auto loop = dyn_cast<LoopOp>(op))
      return compute(loop, operands);
    if (auto squeeze = dyn_cast<SqueezeOp>(op); squeeze && squeeze.getAxes().empty())
      return {withoutKnownOnes(squeeze.getX().getType(), operands[0])};
    try {
      return Evaluator::shared().evaluate(op, operands);
    } catch (const Error &error) {
      throw Error(error.status(), "the node " + quote(core.nameOf(op)) + ": " + error.what(), error.code_name());
    }
  }

  /// What a squeeze without axes makes: it removes what the graph knows to be 1. That a size of the run happens to be 1
  /// as well, the operator on its own could not tell from it.
  static Tensor withoutKnownOnes(Type type, const Tensor &tensor) {
    ClikaRT::Shape shape;
    for (auto [known, size] : llvm::zip_equal(dimsOf(type), tensor.shape()))
      if (constantOf(known) != 1)
        shape.push_back(size);
    return tensor.reshape(shape);
  }

  std::vector<Tensor> compute(IfOp op, const std::vector<Tensor> &operands) {
    return ClikaRT::ops::if_(
        operands[0], [&] { return runBlock(op.getThenRegion().front()); },
        [&] { return runBlock(op.getElseRegion().front()); });
  }

  std::vector<Tensor> compute(LoopOp op, const std::vector<Tensor> &operands) {
    size_t next = 0;
    auto takeIf = [&](Value present) { return present ? operands[next++] : Tensor(); };
    Tensor trips = takeIf(op.getTripCount()), condition = takeIf(op.getCondition());
    std::vector<Tensor> carried(operands.begin() + static_cast<std::ptrdiff_t>(next), operands.end());
    size_t count = carried.size();
    ClikaRT::ops::LoopResult result =
        ClikaRT::ops::loop(trips, condition, carried, [&](const Tensor &i, const std::vector<Tensor> &state) {
          if (i.is_traced())
            return ClikaRT::ops::LoopStep{{}, state, {}};
          std::vector<Tensor> all = {i};
          all.insert(all.end(), state.begin(), state.end());
          give(op.getBody().front(), all);
          all = runBlock(op.getBody().front());
          ClikaRT::ops::LoopStep step;
          auto at = all.begin();
          if (op.getYield().getCondition())
            step.condition = *at++;
          step.carried.assign(at, at + static_cast<std::ptrdiff_t>(count));
          step.scans.assign(at + static_cast<std::ptrdiff_t>(count), all.end());
          return step;
        });
    std::vector<Tensor> results = result.carried;
    results.insert(results.end(), result.scans.begin(), result.scans.end());
    // Without iterations nothing was kept: sizes that no type tells are 0.
    for (size_t k = results.size(); k < op.getNumResults(); ++k) {
      auto type = cast<RankedTensorType>(op.getResult(k).getType());
      ClikaRT::Shape shape = {0};
      for (int64_t size : type.getShape().drop_front())
        shape.push_back(ShapedType::isDynamic(size) ? 0 : size);
      results.push_back(Tensor::empty(shape, dtypeOf(type.getElementType(), "evaluate")));
    }
    return results;
  }

  GraphCore &core;
  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Value, unsigned> reads;
};

} // namespace

std::vector<Tensor> evaluateGraph(GraphCore &core, const std::vector<Tensor> &inputs) {
  return GraphEvaluator(core).run(inputs);
}

namespace {

using Random = std::mt19937_64;

template <class T>
Tensor draw(const ClikaRT::Shape &shape, DataType dtype, llvm::function_ref<T()> next) {
  std::vector<T> values(static_cast<size_t>(ClikaRT::element_count(shape)));
  for (T &value : values)
    value = next();
  return Tensor::from_data(values.data(), shape, dtype);
}

Tensor randomTensor(const ClikaRT::Shape &shape, DataType dtype, Random &random) {
  std::uniform_real_distribution<double> number(-2.0, 2.0);
  switch (dtype) {
  case DataType::Float16:
    return draw<ClikaRT::Float16>(shape, dtype, [&] { return ClikaRT::Float16(number(random)); });
  case DataType::BFloat16:
    return draw<ClikaRT::BFloat16>(shape, dtype, [&] { return ClikaRT::BFloat16(number(random)); });
  case DataType::Float32:
    return draw<float>(shape, dtype, [&] { return static_cast<float>(number(random)); });
  case DataType::Float64:
    return draw<double>(shape, dtype, [&] { return number(random); });
  default:
    break;
  }
  // Small integers, which suit indices too; the same bytes serve every width.
  size_t item = ClikaRT::item_size(dtype);
  std::vector<char> bytes(static_cast<size_t>(ClikaRT::element_count(shape)) * item);
  for (size_t at = 0; at < bytes.size(); at += item)
    bytes[at] = static_cast<char>(random() % 2);
  return Tensor::from_data(bytes.data(), shape, dtype);
}

bool sameBits(const Tensor &a, const Tensor &b) {
  size_t bytes = static_cast<size_t>(a.size()) * ClikaRT::item_size(a.dtype());
  return bytes == 0 || std::memcmp(a.raw_data(), b.raw_data(), bytes) == 0;
}

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

std::string numberText(double value) { return ClikaRT::Scalar(value).to_string(); }

} // namespace

std::vector<Tensor> generateInputs(GraphCore &core, uint64_t seed, int64_t largest, std::string_view call) {
  Random random(seed);
  llvm::DenseMap<AffineExpr, int64_t> sizes;
  auto draw = [&] { return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(largest)); };
  std::vector<Tensor> inputs;
  for (BlockArgument argument : core.block().getArguments()) {
    ClikaRT::Shape shape;
    for (Dim dim : dimsOf(argument.getType())) {
      std::optional<int64_t> size = constantOf(dim);
      if (!size && dim && !isa<AffineSymbolExpr>(dim))
        invalid(call, "a size of the input " + quote(core.nameOf(argument)) + " is the expression " + describe(dim) +
                          ", so inputs cannot be made up; give some");
      if (!size)
        size = dim ? sizes.try_emplace(dim, draw()).first->second : draw();
      shape.push_back(*size);
    }
    DataType dtype = dtypeOf(cast<RankedTensorType>(argument.getType()).getElementType(), call);
    inputs.push_back(randomTensor(shape, dtype, random));
  }
  return inputs;
}

std::string difference(const Tensor &actual, const Tensor &expected, const Exactness &exactness) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape())
    return "it is " + actual.to_string() + " and was " + expected.to_string();
  if (sameBits(actual, expected))
    return {};
  if (!ClikaRT::is_floating_point(actual.dtype()))
    return "its elements differ";
  std::vector<double> a = actual.item_as_vec<double>(), b = expected.item_as_vec<double>();
  for (size_t i = 0; i < a.size(); ++i)
    if (!close(a[i], b[i], exactness, leastBound(actual.dtype())))
      return "element " + std::to_string(i) + " is " + numberText(a[i]) + " and was " + numberText(b[i]);
  return {};
}

namespace {

std::vector<std::string> texts(const std::vector<StringAttr> &names) {
  std::vector<std::string> result;
  for (StringAttr name : names)
    result.push_back(name.str());
  return result;
}

} // namespace

Checker::Checker(GraphCore &core, const ClikaRT::graph::Check &options) {
  constexpr std::string_view call = "optimize: check";
  std::lock_guard lock(core.mutex);
  inputNames = texts(core.inputNames());
  std::vector<Tensor> results;
  if (options.inputs.empty()) {
    results = runOnMadeUp(core, options.seed, call);
  } else {
    inputs = options.inputs;
    checkInputs(inputPortsOf(core, call), inputs, call);
    try {
      results = evaluateGraph(core, inputs);
    } catch (const Error &error) {
      throw Error(error.status(), std::string(call) + ": " + error.what(), error.code_name());
    }
  }
  keep(texts(core.outputNames()), results);
}

/// Draws inputs until the graph takes some: a name may have to be of a certain size, which no type tells. A size of 1
/// suits where others do not, since it broadcasts.
std::vector<Tensor> Checker::runOnMadeUp(GraphCore &core, uint64_t seed, std::string_view call) {
  constexpr int64_t kLargest[] = {4, 4, 4, 2, 1, 16, 64};
  std::string why;
  for (auto [i, largest] : llvm::enumerate(kLargest)) {
    inputs = generateInputs(core, seed + i, largest, call);
    try {
      return evaluateGraph(core, inputs);
    } catch (const Error &error) {
      if (why.empty())
        why = error.what();
    }
  }
  invalid(call, "none of the inputs that were made up can be computed with (" + why + "); give inputs, as run() takes");
}

void Checker::keep(const std::vector<std::string> &names, const std::vector<Tensor> &results) {
  for (auto [name, result] : llvm::zip_equal(names, results))
    expected[name] = result;
}

void Checker::compare(GraphCore &core, const Exactness &exactness) {
  std::lock_guard lock(core.mutex);
  std::vector<Tensor> given;
  for (const std::string &name : texts(core.inputNames())) {
    auto at = std::ranges::find(inputNames, name);
    if (at == inputNames.end())
      throw Error(Status::InvalidArgument,
                  "the input " + quote(name) + " was not in the graph before, so there is no " +
                      "value to compare with",
                  "CHECK_FAILED");
    given.push_back(inputs[static_cast<size_t>(at - inputNames.begin())]);
  }
  std::vector<Tensor> actual = evaluateGraph(core, given);
  std::vector<std::string> names = texts(core.outputNames());
  for (size_t i = 0; i < names.size(); ++i) {
    auto at = expected.find(names[i]);
    if (at == expected.end())
      continue;
    std::string what = difference(actual[i], at->second, exactness);
    if (!what.empty())
      throw Error(Status::Internal, "the output " + quote(names[i]) + " has changed: " + what, "CHECK_FAILED");
  }
  keep(names, actual);
}

} // namespace clika
