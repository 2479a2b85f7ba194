// Control flow: recorded by a trace, or run at once by calling the functions given.
#include "API/Edits.h"
#include "API/Fail.h"
#include "API/Trace.h"
#include "Dialect/ControlOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Shape.h"
#include "Dialect/ShapeValues.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"

#include <ClikaRT/control.h>
#include <ClikaRT/graph.h>
#include <ClikaRT/op_code.h>
#include <ClikaRT/ops.h>

#include <cstring>
#include <limits>

using namespace mlir;
using namespace clika;

namespace ClikaRT::ops {
namespace {

using detail::Operand;

constexpr std::string_view kIf = "if_", kLoop = "loop";
constexpr const char *kEndless =
    "there is neither a trip count nor a condition that the body returns, so the loop would "
    "never end; give one of them";

//===----------------------------------------------------------------------===//
// Conditions and counts
//===----------------------------------------------------------------------===//

/// `what` given as a tensor of one element of `dtype`; a number becomes one.
Tensor oneElement(const Operand &operand, DataType dtype, std::string_view call, const std::string &what) {
  std::string wanted = dtype == DataType::Bool ? "one bool" : "one int64";
  if (const Scalar *number = operand.number()) {
    if (dtype == DataType::Bool ? !number->is_bool() : !number->is_int())
      invalid(call, what + " is " + number->to_string() + "; it is " + wanted);
    return Tensor::scalar(*number, dtype);
  }
  if (!operand.tensor() || !operand.tensor()->is_defined())
    invalid(call, what + " is left out; it is " + wanted);
  const Tensor &tensor = *operand.tensor();
  bool isOne = tensor.dtype() == dtype;
  for (int64_t size : tensor.shape())
    isOne &= size == 1 || size == -1;
  if (!isOne)
    invalid(call, what + " is " + tensor.to_string() + "; it is " + wanted);
  return tensor;
}

bool isGiven(const Operand &operand) {
  return operand.number() || (operand.tensor() && operand.tensor()->is_defined());
}

bool truth(const Tensor &condition) { return condition.reshape({}).item<bool>(); }

//===----------------------------------------------------------------------===//
// Recorded operators
//===----------------------------------------------------------------------===//

RankedTensorType withFreshDims(RankedTensorType type, const std::function<std::string()> &fresh) {
  Dims dims = dimsOf(type);
  for (Dim &dim : dims)
    if (!dim)
      dim = namedDim(type.getContext(), fresh());
  return tensorOf(dims, type.getElementType());
}

/// The block becomes the operator's region `number`, and its results what the region yields.
void setRegion(Operation *op, unsigned number, RecordedRegion recorded, Value condition) {
  OpBuilder builder(op->getContext());
  Region &region = op->getRegion(number);
  region.push_back(recorded.block.release());
  builder.setInsertionPointToEnd(&region.front());
  YieldOp::create(builder, builder.getUnknownLoc(), condition, recorded.results);
}

/// An operator without results yet cannot get them: it is made once what its regions yield is known.
Operation *createControl(MLIRContext *context, StringRef name, ValueRange operands, TypeRange results,
                         ArrayRef<int32_t> segments, unsigned regions) {
  OperationState state(UnknownLoc::get(context), name);
  state.addOperands(operands);
  state.addTypes(results);
  if (!segments.empty())
    state.addAttribute("operandSegmentSizes", DenseI32ArrayAttr::get(context, segments));
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  return Operation::create(state);
}

template <class Op>
void checkControl(Op op, std::string_view call) {
  DiagnosticCapture capture(op->getContext());
  if (succeeded(op.verifyRegions()))
    return;
  std::string text = capture.message("the functions do not suit the operator");
  OperationDeleter()(op);
  invalid(call, text);
}

RecordedRegion recordBranch(const BranchFunction &fn, const char *name) {
  if (!fn)
    invalid(kIf, std::string(name) + " is empty; give a function that returns tensors");
  return recordRegion(
      {}, {}, [&](const std::vector<Tensor> &) { return fn(); }, kIf, std::string("the branch ") + name);
}

std::vector<Tensor> recordIf(const Tensor &condition, const BranchFunction &then, const BranchFunction &otherwise) {
  GraphCore &core = tracedGraph();
  Value chosenBy = tracedValue(condition, kIf);
  RecordedRegion first = recordBranch(then, "then_fn"), second = recordBranch(otherwise, "else_fn");
  if (first.results.size() != second.results.size())
    invalid(kIf, "then_fn returned " + counted(first.results.size(), "tensor") + " and else_fn " +
                     std::to_string(second.results.size()) + "; both return as many");
  KnownDims known;
  for (const RecordedRegion *region : {&first, &second})
    for (Value read : capturesOf(*region->block))
      known.add(read.getType());
  for (const RecordedRegion *region : {&first, &second})
    for (Value result : region->results)
      if (result.getParentBlock() != region->block.get())
        known.add(result.getType());
  std::function<std::string()> fresh = freshDims(core);
  SmallVector<Type> types;
  for (auto [i, a, b] : llvm::enumerate(first.results, second.results)) {
    RankedTensorType type = joinTypes(a.getType(), b.getType(), [&](Dim dim) { return known.hasNames(dim); });
    if (!type)
      invalid(kIf, "result " + std::to_string(i) + " is " + describe(a.getType()) + " of then_fn and " +
                       describe(b.getType()) + " of else_fn; they have one dtype and rank");
    types.push_back(withFreshDims(type, fresh));
  }
  Operation *op = createControl(core.mlir(), IfOp::getOperationName(), chosenBy, types, {}, 2);
  setRegion(op, 0, std::move(first), Value());
  setRegion(op, 1, std::move(second), Value());
  checkControl(cast<IfOp>(op), kIf);
  return appendTraced(op, "If");
}

//===----------------------------------------------------------------------===//
// Recorded loops
//===----------------------------------------------------------------------===//

/// The next carried values and the kept ones of an iteration, in one list.
struct Iteration {
  bool asks = false;
  size_t carried = 0;
};

void checkStep(const LoopStep &step, size_t carried) {
  if (step.carried.size() != carried)
    invalid(kLoop, "the body returned " + std::to_string(step.carried.size()) + " carried values for " +
                       std::to_string(carried) + "; it returns the next of each");
}

std::vector<Tensor> flatten(const LoopStep &step, Iteration &iteration) {
  std::vector<Tensor> all;
  iteration.asks = step.condition.is_defined();
  if (iteration.asks)
    all.push_back(oneElement(step.condition, DataType::Bool, kLoop, "the condition that the body returned"));
  all.insert(all.end(), step.carried.begin(), step.carried.end());
  all.insert(all.end(), step.scans.begin(), step.scans.end());
  return all;
}

class LoopRecorder {
public:
  LoopRecorder(const Tensor &trips, const Tensor &condition, const std::vector<Tensor> &carried,
               const LoopFunction &body)
      : core(tracedGraph()), fresh(freshDims(core)), trips(trips), condition(condition), carried(carried), body(body) {
    for (const Tensor &value : carried) {
      types.push_back(value.is_traced() ? cast<RankedTensorType>(tracedValue(value, kLoop).getType())
                                        : RankedTensorType::get(value.shape(), typeOf(value.dtype(), core.mlir())));
      changes.emplace_back(static_cast<size_t>(types.back().getRank()), false);
    }
  }

  /// Nothing where the loop reads no traced tensor: it can be run at once then.
  std::optional<LoopResult> run() {
    // A dimension that turns out to change has no size from then on, so that the number of times is limited.
    RecordedRegion region = recordBody();
    if (!readsTraced(region))
      return std::nullopt;
    while (widen(region))
      region = recordBody();
    if (trips.is_defined())
      tripCount = tracedValue(trips, kLoop);
    if (condition.is_defined())
      begins = tracedValue(condition, kLoop);
    for (const Tensor &value : carried)
      inits.push_back(tracedValue(value, kLoop));
    if (!tripCount && !iteration.asks)
      invalid(kLoop, kEndless);
    Value goesOn;
    if (iteration.asks) {
      goesOn = region.results.front();
      region.results.erase(region.results.begin());
    }
    SmallVector<Value> operands;
    SmallVector<int32_t> segments = {tripCount ? 1 : 0, begins ? 1 : 0, static_cast<int32_t>(inits.size())};
    for (Value value : {tripCount, begins})
      if (value)
        operands.push_back(value);
    operands.append(inits);
    Operation *op = createControl(core.mlir(), LoopOp::getOperationName(), operands, resultTypes(region), segments, 1);
    setRegion(op, 0, std::move(region), goesOn);
    checkControl(cast<LoopOp>(op), kLoop);
    std::vector<Tensor> all = appendTraced(op, "Loop");
    auto middle = all.begin() + static_cast<std::ptrdiff_t>(inits.size());
    return LoopResult{{all.begin(), middle}, {middle, all.end()}};
  }

private:
  bool readsTraced(const RecordedRegion &region) const {
    auto isTraced = [](const Tensor &tensor) { return tensor.is_defined() && tensor.is_traced(); };
    if (isTraced(trips) || isTraced(condition) || llvm::any_of(carried, isTraced))
      return true;
    auto isFromOutside = [&](Value value) {
      return value.getParentBlock() != region.block.get() && !isConstant(value.getDefiningOp());
    };
    return llvm::any_of(capturesOf(*region.block), isFromOutside) || llvm::any_of(region.results, isFromOutside);
  }

  RecordedRegion recordBody() {
    SmallVector<Type> arguments = {RankedTensorType::get({}, IntegerType::get(core.mlir(), 64))};
    SmallVector<StringAttr> names = {StringAttr::get(core.mlir(), "the number of the iteration")};
    for (size_t i = 0; i < types.size(); ++i) {
      arguments.push_back(types[i]);
      names.push_back(StringAttr::get(core.mlir(), "carried value " + std::to_string(i)));
    }
    auto fn = [&](const std::vector<Tensor> &tensors) {
      LoopStep step = body(tensors.front(), {tensors.begin() + 1, tensors.end()});
      checkStep(step, types.size());
      return flatten(step, iteration);
    };
    return recordRegion(arguments, names, fn, kLoop, "the body");
  }

  /// Gives up the sizes that the body changes; whether there are new ones.
  bool widen(const RecordedRegion &region) {
    bool widened = false;
    for (size_t j = 0; j < types.size(); ++j) {
      Type next = region.results[j + (iteration.asks ? 1 : 0)].getType();
      RankedTensorType joined = joinTypes(types[j], next, [](Dim) { return true; });
      if (!joined)
        invalid(kLoop, "the body returned " + describe(next) + " for carried value " + std::to_string(j) +
                           ", which is " + describe(types[j]) + "; a carried value keeps its dtype and rank");
      Dims kept = dimsOf(joined), own = dimsOf(types[j]);
      for (size_t d = 0; d < own.size(); ++d)
        if (!kept[d] && !changes[j][d]) {
          changes[j][d] = widened = true;
          own[d] = namedDim(core.mlir(), fresh());
        }
      types[j] = tensorOf(own, types[j].getElementType());
    }
    return widened;
  }

  SmallVector<Type> resultTypes(const RecordedRegion &region) {
    KnownDims known;
    for (Value read : capturesOf(*region.block))
      known.add(read.getType());
    for (Value init : inits)
      known.add(init.getType());
    SmallVector<Type> results;
    for (size_t j = 0; j < types.size(); ++j) {
      Dims dims = dimsOf(types[j]);
      for (size_t d = 0; d < dims.size(); ++d)
        if (changes[j][d])
          dims[d] = Dim();
      results.push_back(withFreshDims(tensorOf(dims, types[j].getElementType()), fresh));
    }
    for (Value kept : ArrayRef(region.results).drop_front(types.size())) {
      if (kept.getParentBlock() != region.block.get())
        known.add(kept.getType());
      results.push_back(
          withFreshDims(stackedType(iterations(), kept.getType(), [&](Dim dim) { return known.hasSize(dim); }), fresh));
    }
    return results;
  }

  /// How often the body runs, where that is known.
  Dim iterations() {
    std::optional<Dims> trips = tripCount && !begins && !iteration.asks ? shapeValues(tripCount) : std::nullopt;
    if (!trips || trips->size() != 1 || !trips->front())
      return Dim();
    Dim count = trips->front();
    if (std::optional<int64_t> size = constantOf(count))
      return constantDim(core.mlir(), std::max<int64_t>(*size, 0));
    return leastOf(count).value_or(-1) >= 0 ? count : Dim();
  }

  GraphCore &core;
  std::function<std::string()> fresh;
  const Tensor &trips, &condition;
  const std::vector<Tensor> &carried;
  const LoopFunction &body;
  Value tripCount, begins;
  SmallVector<Value> inits;
  SmallVector<RankedTensorType> types;
  /// Of each carried value, the dimensions that the body changes.
  std::vector<std::vector<bool>> changes;
  Iteration iteration;
};

//===----------------------------------------------------------------------===//
// Loops at once
//===----------------------------------------------------------------------===//

/// The values of all iterations in one tensor.
Tensor stack(const std::vector<Tensor> &values) {
  Shape shape = values.front().shape();
  shape.insert(shape.begin(), static_cast<int64_t>(values.size()));
  size_t bytes = static_cast<size_t>(values.front().size()) * item_size(values.front().dtype());
  Tensor all = Tensor::empty(shape, values.front().dtype());
  auto *at = static_cast<char *>(detail::writableData(all, kLoop));
  for (const Tensor &value : values) {
    if (bytes != 0)
      std::memcpy(at, value.raw_data(), bytes);
    at += bytes;
  }
  return all;
}

void checkKept(const Tensor &value, const Tensor &first, size_t number) {
  if (value.dtype() != first.dtype() || value.shape() != first.shape())
    invalid(kLoop, "the body kept " + value.to_string() + " as value " + std::to_string(number) + " after " +
                       first.to_string() + "; what is kept has one dtype and shape in every iteration");
}

/// What is kept of no iteration at all: the body is recorded to learn its dtypes and shapes.
std::vector<Tensor> keptOfNone(const std::vector<Tensor> &carried, const LoopFunction &body) {
  std::vector<spec::TensorSpec> specs = {{"i", DataType::Int64, {}}};
  for (size_t j = 0; j < carried.size(); ++j) {
    std::vector<spec::Dim> shape;
    for (int64_t size : carried[j].shape())
      shape.emplace_back(size);
    specs.push_back({"carried_" + std::to_string(j), carried[j].dtype(), shape});
  }
  auto scans = [&](const std::vector<Tensor> &in) { return body(in.front(), {in.begin() + 1, in.end()}).scans; };
  std::vector<Tensor> kept;
  for (const graph::Value &output : graph::trace(scans, specs).outputs()) {
    Shape shape = {0};
    for (const spec::Dim &dim : output.shape())
      shape.push_back(dim.is_static() ? dim.size() : 0);
    kept.push_back(Tensor::empty(shape, output.dtype()));
  }
  return kept;
}

LoopResult runLoop(const Tensor &trips, const Tensor &condition, std::vector<Tensor> carried,
                   const LoopFunction &body) {
  int64_t limit = trips.is_defined() ? trips.reshape({}).item<int64_t>() : std::numeric_limits<int64_t>::max();
  bool goesOn = !condition.is_defined() || truth(condition);
  std::vector<std::vector<Tensor>> kept;
  int64_t i = 0;
  for (; i < limit && goesOn; ++i) {
    LoopStep step = body(Tensor::scalar(Scalar(i), DataType::Int64), carried);
    checkStep(step, carried.size());
    if (!trips.is_defined() && !step.condition.is_defined())
      invalid(kLoop, kEndless);
    Iteration iteration;
    flatten(step, iteration);
    for (size_t j = 0; j < carried.size(); ++j) {
      if (step.carried[j].dtype() != carried[j].dtype() || step.carried[j].rank() != carried[j].rank())
        invalid(kLoop, "the body returned " + step.carried[j].to_string() + " for carried value " + std::to_string(j) +
                           ", which is " + carried[j].to_string() + "; a carried value keeps its dtype and rank");
      carried[j] = step.carried[j];
    }
    kept.resize(step.scans.size());
    for (size_t k = 0; k < kept.size(); ++k) {
      if (!kept[k].empty())
        checkKept(step.scans[k], kept[k].front(), k);
      kept[k].push_back(step.scans[k]);
    }
    goesOn = !step.condition.is_defined() || truth(step.condition);
  }
  if (i == 0)
    return {carried, keptOfNone(carried, body)};
  LoopResult result{carried, {}};
  for (const std::vector<Tensor> &values : kept)
    result.scans.push_back(stack(values));
  return result;
}

} // namespace

std::vector<Tensor> if_(const Operand &condition, const BranchFunction &then_fn, const BranchFunction &else_fn) {
  Tensor chosenBy = oneElement(condition, DataType::Bool, kIf, "the condition");
  if (chosenBy.is_traced()) {
    if (!isTracing())
      detail::concrete(chosenBy, kIf);
    return recordIf(chosenBy, then_fn, else_fn);
  }
  const BranchFunction &taken = truth(chosenBy) ? then_fn : else_fn;
  if (!taken)
    invalid(kIf, "the branch to take is empty; give a function that returns tensors");
  return taken();
}

LoopResult loop(const Operand &trip_count, const Operand &condition, const std::vector<Tensor> &carried,
                const LoopFunction &body) {
  if (!body)
    invalid(kLoop, "the body is empty; give a function of the iteration and the carried values");
  Tensor trips = isGiven(trip_count) ? oneElement(trip_count, DataType::Int64, kLoop, "the trip count") : Tensor();
  Tensor begins = isGiven(condition) ? oneElement(condition, DataType::Bool, kLoop, "the condition") : Tensor();
  for (size_t j = 0; j < carried.size(); ++j)
    if (!carried[j].is_defined())
      invalid(kLoop, "carried value " + std::to_string(j) + " is an undefined tensor");
  if (isTracing())
    if (std::optional<LoopResult> recorded = LoopRecorder(trips, begins, carried, body).run())
      return *recorded;
  for (const Tensor &value : carried)
    detail::concrete(value, kLoop);
  for (const Tensor *value : {&trips, &begins})
    if (value->is_defined())
      detail::concrete(*value, kLoop);
  return runLoop(trips, begins, carried, body);
}

} // namespace ClikaRT::ops
