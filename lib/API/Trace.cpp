#include "API/Trace.h"

#include "API/Edits.h"
#include "API/Fail.h"
#include "Dialect/CoreOps.h"
#include "Runtime/Counted.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <unordered_map>

using namespace mlir;
using ClikaRT::Tensor;
using ClikaRT::detail::Operand;

namespace clika {
namespace {

struct Frame {
  GraphCore &core;
  Block &block;
  std::shared_ptr<TraceState> state;
  /// The frame around a region's.
  Frame *outer = nullptr;
  /// Constants made of concrete tensors; the tensors are kept so that an address stays theirs.
  std::unordered_map<const ClikaRT::detail::TensorImpl *, std::pair<Tensor, Value>> constants;
  /// Where values of the graph that are read are noted; null: none may be.
  std::vector<ClikaRT::graph::Value> *captured = nullptr;
  /// Of the recordings that this is one of; null: of none.
  LastCalls *last = nullptr;
};

thread_local std::vector<Frame *> frames;

/// Puts a frame on this thread's stack; when it goes, its tensors are of the past.
class ActiveFrame {
public:
  explicit ActiveFrame(Frame &frame) : frame(frame) { frames.push_back(&frame); }
  ~ActiveFrame() {
    frames.pop_back();
    frame.state->live = false;
  }

private:
  Frame &frame;
};

Value constantIn(Frame &frame, const Tensor &tensor) {
  for (Frame *each = &frame; each; each = each->outer) {
    auto found = each->constants.find(tensor.impl().get());
    if (found != each->constants.end())
      return found->second.second;
  }
  OpBuilder builder(frame.core.mlir());
  builder.setInsertionPointToEnd(&frame.block);
  Value value = ConstantOp::create(builder, builder.getUnknownLoc(), frame.core.context->attributeOf(tensor));
  frame.constants.try_emplace(tensor.impl().get(), tensor, value);
  return value;
}

Value valueIn(Frame &frame, const Tensor &tensor, std::string_view call) {
  const auto *traced = static_cast<const TracedValue *>(ClikaRT::detail::traced(tensor, call));
  if (!traced)
    return constantIn(frame, tensor);
  for (Frame *each = &frame; each; each = each->outer)
    if (traced->state == each->state)
      return traced->value;
  if (traced->isLive())
    precondition(call, "the tensor is " + traced->describe() + " of " + traced->state->describe() + ", and " +
                           frame.state->describe() + " cannot read it; pass it in as an input");
  precondition(call, "the tensor is " + traced->describe() + " of " + traced->state->describe() +
                         ", which is over; a traced tensor is of use only within the function it was given to");
}

/// Says why a traced tensor is of no use where nothing is being recorded.
[[noreturn]] void refuseStray(const std::vector<Operand> &operands, std::string_view call) {
  for (const Operand &operand : operands)
    if (operand.tensor() && operand.tensor()->is_traced()) {
      const auto &traced = static_cast<const TracedValue &>(*operand.tensor()->impl());
      precondition(call, "the tensor is " + traced.describe() + " of " + traced.state->describe() +
                             (traced.isLive() ? ", which another thread is recording; a trace stays in its thread"
                                              : ", which is over; a traced tensor is of use only within the function "
                                                "it was given to"));
    }
  precondition(call, "nothing is being recorded");
}

/// `value`: what has the type, as messages name it.
void checkKnown(Type type, StringAttr value, bool quoted, std::string_view call) {
  if (!isa<RankedTensorType>(type))
    fail(Status::Unsupported, call,
         "the type of " + (quoted ? quote(value.getValue()) : value.str()) +
             " is not known; it comes of an operator that was read to be looked at");
}

/// The tensors that the function is given, one a type.
std::vector<Tensor> argumentsOf(Frame &frame, ArrayRef<Type> types, ArrayRef<StringAttr> names, std::string_view kind,
                                bool quoted, std::string_view call) {
  for (auto [type, name] : llvm::zip_equal(types, names))
    checkKnown(type, name, quoted, call);
  SmallVector<Location, 8> locations(types.size(), UnknownLoc::get(frame.core.mlir()));
  std::vector<Tensor> tensors;
  tensors.reserve(types.size());
  for (auto [argument, name] : llvm::zip_equal(frame.block.addArguments(types, locations), names))
    tensors.emplace_back(std::make_shared<TracedValue>(frame.state, argument, TracedOrigin{kind, name, quoted}));
  return tensors;
}

} // namespace

std::string TraceState::describe() const {
  if (outer)
    return region + " of " + call + "() in " + outer->describe();
  return "the trace that " + call + "() is recording for graph " + quote(graph);
}

std::string TracedValue::describe() const {
  if (origin.op.empty())
    return std::string(origin.kind) + (origin.quoted ? quote(origin.name.getValue()) : origin.name.str());
  return (origin.output ? "output " + std::to_string(*origin.output) : std::string("the output")) + " of a " +
         std::string(origin.op);
}

TracedValue::TracedValue(std::shared_ptr<TraceState> state, Value value, TracedOrigin origin)
    : state(std::move(state)), value(value), origin(origin), type(cast<RankedTensorType>(value.getType())) {}

ClikaRT::DataType TracedValue::dtype() const { return dtypeOf(type.getElementType(), "trace"); }

ClikaRT::Shape TracedValue::shape() const {
  ClikaRT::Shape sizes(type.getShape().begin(), type.getShape().end());
  std::ranges::replace_if(sizes, ShapedType::isDynamic, -1);
  return sizes;
}

bool isTracing() { return !frames.empty(); }

GraphCore &tracedGraph() { return frames.back()->core; }

Value tracedValue(const Tensor &tensor, std::string_view call) { return valueIn(*frames.back(), tensor, call); }

RecordedRegion recordRegion(ArrayRef<Type> types, ArrayRef<StringAttr> names, const RegionFunction &fn,
                            std::string_view call, const std::string &what) {
  Frame &outer = *frames.back();
  RecordedRegion region{std::make_unique<Block>(), {}};
  auto state = std::make_shared<TraceState>();
  state->context = outer.core.context;
  state->call = call;
  state->region = what;
  state->outer = outer.state;
  Frame frame{outer.core, *region.block, state, &outer, {}};
  std::vector<Tensor> arguments = argumentsOf(frame, types, names, "", false, call);
  ActiveFrame active(frame);
  std::vector<Tensor> results = fn(arguments);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_defined())
      invalid(call, what + " returned an undefined tensor as result " + std::to_string(i));
    region.results.push_back(valueIn(frame, results[i], call));
  }
  return region;
}

std::vector<Tensor> appendTraced(Operation *op, std::string_view what) {
  Frame &frame = *frames.back();
  frame.block.push_back(op);
  std::vector<Tensor> results;
  results.reserve(op->getNumResults());
  for (auto [i, value] : llvm::enumerate(op->getResults())) {
    std::optional<size_t> output = op->getNumResults() == 1 ? std::nullopt : std::optional<size_t>(i);
    results.emplace_back(std::make_shared<TracedValue>(frame.state, value, TracedOrigin{"", {}, false, what, output}));
  }
  return results;
}

Recording record(GraphCore &core, const ClikaRT::graph::TraceFunction &fn, ArrayRef<Type> inputs,
                 ArrayRef<StringAttr> names, std::string_view call, bool mayCapture, LastCalls *last) {
  Recording recording{std::nullopt, std::make_unique<Block>(), {}, {}};
  if (!last)
    recording.pin.emplace(core.mlir());
  auto state = std::make_shared<TraceState>();
  state->context = core.context;
  state->call = call;
  state->graph = core.name();
  Frame frame{core, *recording.block, state, nullptr, {}, mayCapture ? &recording.captured : nullptr, last};
  std::vector<Tensor> arguments = argumentsOf(frame, inputs, names, "the input ", true, call);
  ActiveFrame active(frame);
  if (!fn)
    invalid(call, "the function given is empty");
  std::vector<Tensor> results = fn(arguments);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_defined())
      invalid(call, "the function's result " + std::to_string(i) + " is an undefined tensor");
    recording.results.push_back(valueIn(frame, results[i], call));
  }
  return recording;
}

Tensor captureValue(const ClikaRT::graph::Value &value, std::string_view call) {
  if (frames.empty() || !frames.back()->captured)
    precondition(call, "no pattern class's apply() is running; elsewhere a function reads the values it is given");
  Frame &frame = *frames.back();
  Query query(frame.core.shared_from_this(), call);
  mlir::Value read = query->resolve(value, call);
  auto known = llvm::find(*frame.captured, value);
  if (known == frame.captured->end()) {
    checkKnown(read.getType(), query->nameAttrOf(read), true, call);
    frame.block.addArgument(read.getType(), UnknownLoc::get(frame.core.mlir()));
    frame.captured->push_back(value);
    known = std::prev(frame.captured->end());
  }
  size_t first = frame.block.getNumArguments() - frame.captured->size();
  BlockArgument argument = frame.block.getArgument(static_cast<unsigned>(first + (known - frame.captured->begin())));
  return Tensor(
      std::make_shared<TracedValue>(frame.state, argument, TracedOrigin{"the value ", query->nameAttrOf(read)}));
}

SmallVector<Value> splice(GraphCore &core, Recording recording, ArrayRef<Value> inputs, Block::iterator where,
                          std::vector<Operation *> &added) {
  for (auto [argument, input] : llvm::zip_equal(recording.block->getArguments(), inputs)) {
    for (Value &result : recording.results)
      if (result == argument)
        result = input;
    argument.replaceAllUsesWith(input);
  }
  Block::OpListType &ops = recording.block->getOperations();
  while (!ops.empty()) {
    Operation *op = &ops.front();
    op->remove();
    where->getBlock()->getOperations().insert(where, op);
    core.index.addAll(op);
    ++core.changes;
    added.push_back(op);
  }
  return std::move(recording.results);
}

std::vector<Tensor> recordOp(const OpInfo &info, const std::vector<Operand> &operands,
                             const std::vector<ClikaRT::graph::Attr> &settings) {
  std::string_view call = info.mnemonic;
  if (frames.empty())
    refuseStray(operands, call);
  Frame &frame = *frames.back();
  SmallVector<Value> values;
  for (const Operand &operand : operands)
    values.push_back(operand.tensor() ? valueIn(frame, *operand.tensor(), call) : Value());
  DetachedOp op = frame.last ? frame.last->again(info, values, settings) : nullptr;
  if (!op) {
    op = buildOp(frame.core.mlir(), info, values, settings, sizeNames(frame.core), call);
    if (frame.last)
      frame.last->remember(op.get(), info, values, settings);
  }
  return appendTraced(op.release(), info.codeName);
}

} // namespace clika

using namespace clika;

namespace ClikaRT::graph {

ModelGraph trace(const TraceFunction &fn, const std::vector<spec::TensorSpec> &signature, const std::string &name,
                 const std::vector<std::string> &output_names) {
  auto core = std::make_shared<GraphCore>(GraphContext::create(), name);
  ModelGraph graph(core);
  SmallVector<mlir::Value> inputs;
  SmallVector<Type> types;
  SmallVector<StringAttr> names;
  noteDimensionNames(*core, signature);
  for (const spec::TensorSpec &input : signature) {
    inputs.push_back(appendInput(*core, input, "trace"));
    types.push_back(inputs.back().getType());
    names.push_back(StringAttr::get(core->mlir(), input.name));
  }
  Recording recording = record(*core, fn, types, names, "trace");
  if (!output_names.empty() && output_names.size() != recording.results.size())
    invalid("trace", "the function returned " + counted(recording.results.size(), "tensor") + " and " +
                         counted(output_names.size(), "output name was", "output names were") +
                         " given; give one name each");
  std::vector<Operation *> added;
  SmallVector<mlir::Value> results =
      splice(*core, std::move(recording), inputs, core->terminator()->getIterator(), added);
  std::vector<std::string> outputNames = output_names;
  for (size_t i = outputNames.size(); i < results.size(); ++i)
    outputNames.push_back("output_" + std::to_string(i));
  appendOutputs(*core, results, outputNames, "trace");
  return graph;
}

} // namespace ClikaRT::graph
