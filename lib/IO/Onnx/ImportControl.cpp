// If, Loop and Scan, whose attributes are graphs that read the names around them.
#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/ShapeValues.h"
#include "IO/Onnx/Call.h"
#include "IO/Onnx/Structure.h"
#include "Runtime/Counted.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace clika::onnx {
namespace {

bool isKnown(Dim) { return true; }

const Graph &graphAttr(Call &call, std::string_view name) {
  call.ignoreAttr(name);
  const Attribute *attribute = call.node.find(name);
  if (!attribute || attribute->kind != Attribute::Kind::Graph)
    call.fail("lacks its attribute '" + std::string(name) + "', a graph");
  return *attribute->graphs[0];
}

/// The one bool of a constant.
std::optional<bool> constantBool(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getName().stripDialect() == "identity") {
      value = op->getOperand(0);
      continue;
    }
    auto constant = dyn_cast<ConstantOp>(op);
    std::optional<SmallVector<int64_t>> elements =
        constant ? integersOf(constant.getValue(), 1) : std::optional<SmallVector<int64_t>>();
    if (!elements || elements->size() != 1 || !constant.getType().getElementType().isInteger(1))
      return std::nullopt;
    return elements->front() != 0;
  }
  return std::nullopt;
}

/// A region whose block holds what a graph attribute was built to; destroyed where building fails.
struct Built {
  std::unique_ptr<Region> region = std::make_unique<Region>();
  std::vector<Value> results;
};

Operation *createControl(Call &call, StringRef name, ValueRange operands, TypeRange types, ArrayRef<int32_t> segments,
                         MutableArrayRef<Built> bodies) {
  OpBuilder &builder = call.importer.builder;
  OperationState state(call.importer.location, name);
  state.addOperands(operands);
  state.addTypes(types);
  if (!segments.empty())
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  for (Built &body : bodies)
    state.addRegion(std::move(body.region));
  return builder.create(state);
}

void yield(Call &call, Built &built, Value condition, ArrayRef<Value> values) {
  // The region is of no operation yet, and so knows no context.
  OpBuilder builder(call.importer.builder.getContext());
  builder.setInsertionPointToEnd(&built.region->front());
  YieldOp::create(builder, call.importer.location, condition, values);
}

void setOutputs(Call &call, ValueRange values) {
  for (auto [i, value] : llvm::enumerate(values))
    call.out(i, value);
}

//===-- If -------------------------------------------------------------------------------------------------------===//

Built buildBranch(Call &call, const Graph &graph, const char *name) {
  Built built;
  Block &block = built.region->emplaceBlock();
  built.results = call.importer.buildGraph(graph, *call.scope, call.node, name, block, {});
  if (built.results.size() != call.outputCount())
    call.fail("its branch '" + std::string(name) + "' has " + std::to_string(built.results.size()) +
              " outputs, the node " + std::to_string(call.outputCount()));
  return built;
}

void buildIf(Call &call) {
  const Graph &first = graphAttr(call, "then_branch"), &second = graphAttr(call, "else_branch");
  Value condition = call.in(0);
  if (std::optional<bool> known = constantBool(condition)) {
    const Graph &taken = *known ? first : second;
    Block &block = *call.importer.builder.getInsertionBlock();
    return setOutputs(call,
                      call.importer.buildGraph(taken, *call.scope, call.node, *known ? "then" : "else", block, {}));
  }
  Built branches[] = {buildBranch(call, first, "then"), buildBranch(call, second, "else")};
  SmallVector<mlir::Type> types;
  for (auto [i, a, b] : llvm::enumerate(branches[0].results, branches[1].results)) {
    RankedTensorType type = joinTypes(a.getType(), b.getType(), isKnown);
    if (!type)
      call.unsupported("its output " + std::to_string(i) + " is " + clika::describe(a.getType()) +
                       " of one branch and " + clika::describe(b.getType()) +
                       " of the other; outputs whose rank or dtype depends on the condition are not covered");
    types.push_back(type);
  }
  for (Built &branch : branches)
    yield(call, branch, Value(), branch.results);
  setOutputs(call, createControl(call, IfOp::getOperationName(), condition, types, {}, branches)->getResults());
}

//===-- Loop -----------------------------------------------------------------------------------------------------===//

/// `value`, of one element, in the rank that a body's graph states for its input, 0 where it states none.
Value inStatedRank(Call &call, const ValueInfo &input, Value value) {
  size_t rank = input.type.shape ? input.type.shape->size() : 0;
  return rank == 0 ? value : call.reshape(value, SmallVector<int64_t>(rank, 1));
}

/// Builds a body, anew while the types of its carried values turn out to be too narrow.
class LoopBuilder {
public:
  using Fill = llvm::function_ref<std::vector<Value>(Block &block)>;

  LoopBuilder(Call &call, ArrayRef<Value> inits) : call(call), inits(inits) {
    for (Value init : inits)
      types.push_back(call.type(init));
  }

  /// `fill` builds the body at the end of a block whose arguments are the iteration and the carried values; it returns
  /// the next ones and what is kept. `asks`: a condition comes before them.
  Built build(Fill fill, bool asks) {
    while (true) {
      Importer::NameMark mark = call.importer.markNames();
      Built built;
      Block &block = built.region->emplaceBlock();
      block.addArgument(RankedTensorType::get({}, call.importer.builder.getI64Type()), call.importer.location);
      for (RankedTensorType type : types)
        block.addArgument(type, call.importer.location);
      built.results = fill(block);
      if (!widen(ArrayRef(built.results).drop_front(asks ? 1 : 0)))
        return built;
      call.importer.resetNames(std::move(mark));
    }
  }

  SmallVector<RankedTensorType> types;

private:
  bool widen(ArrayRef<Value> next) {
    bool widened = false;
    for (size_t j = 0; j < types.size(); ++j) {
      RankedTensorType joined = joinTypes(types[j], next[j].getType(), isKnown);
      if (!joined)
        call.unsupported("its carried value " + std::to_string(j) + " is " + clika::describe(types[j]) +
                         " and becomes " + clika::describe(next[j].getType()) +
                         "; carried values whose rank or dtype changes are not covered");
      widened |= joined != types[j];
      types[j] = joined;
    }
    return widened;
  }

  Call &call;
  ArrayRef<Value> inits;
};

void finishLoop(Call &call, Built body, Value trips, Value condition, ArrayRef<Value> inits,
                ArrayRef<RankedTensorType> types, bool asks, llvm::function_ref<Value(size_t, Value)> output) {
  SmallVector<Value> operands;
  SmallVector<int32_t> segments;
  for (Value value : {trips, condition}) {
    segments.push_back(value ? 1 : 0);
    if (value)
      operands.push_back(value);
  }
  operands.append(inits.begin(), inits.end());
  segments.push_back(static_cast<int32_t>(inits.size()));
  ArrayRef<Value> values = ArrayRef(body.results).drop_front(asks ? 1 : 0);
  std::optional<Dims> count = trips && !condition && !asks ? shapeValues(trips) : std::nullopt;
  std::optional<int64_t> known = count && count->size() == 1 ? constantOf(count->front()) : std::nullopt;
  Dim times = known ? constantDim(trips.getContext(), std::max<int64_t>(*known, 0)) : Dim();
  SmallVector<mlir::Type> results(types.begin(), types.end());
  KnownDims sizes;
  for (Value init : inits)
    sizes.add(init.getType());
  for (Value read : capturesOf(body.region->front()))
    sizes.add(read.getType());
  for (Value kept : values.drop_front(types.size())) {
    if (kept.getParentRegion() != body.region.get())
      sizes.add(kept.getType());
    results.push_back(stackedType(times, kept.getType(), [&](Dim dim) { return sizes.hasSize(dim); }));
  }
  yield(call, body, asks ? body.results.front() : Value(), values);
  Operation *op = createControl(call, LoopOp::getOperationName(), operands, results, segments, body);
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    call.out(i, output(i, result));
}

void buildLoop(Call &call) {
  const Graph &graph = graphAttr(call, "body");
  Value trips = call.optional(0), condition = call.optional(1);
  SmallVector<Value> inits;
  for (size_t i = 2; i < call.inputCount(); ++i)
    inits.push_back(call.in(i));
  if (graph.inputs.size() != inits.size() + 2 || graph.outputs.size() != call.outputCount() + 1)
    call.fail("its body has " + counted(graph.inputs.size(), "input") + " and " +
              counted(graph.outputs.size(), "output") + ", which do not fit the node's");
  LoopBuilder loop(call, inits);
  auto fill = [&](Block &block) {
    OpBuilder::InsertionGuard guard(call.importer.builder);
    call.importer.builder.setInsertionPointToEnd(&block);
    auto one = RankedTensorType::get({}, call.importer.builder.getI1Type());
    // The body runs only where its condition holds.
    Value holds = call.importer.constant(DenseElementsAttr::get(one, true));
    std::vector<Value> given = {inStatedRank(call, graph.inputs[0], block.getArgument(0)),
                                inStatedRank(call, graph.inputs[1], holds)};
    given.insert(given.end(), block.args_begin() + 1, block.args_end());
    return call.importer.buildGraph(graph, *call.scope, call.node, "body", block, given);
  };
  Built body = loop.build(fill, /*asks=*/true);
  // ONNX's text ignores the body's condition where the node is given none; ONNX Runtime does not, and models rely on
  // it.
  bool asks = constantBool(body.results.front()) != true;
  if (!asks) {
    body.results.erase(body.results.begin());
    if (!trips)
      call.fail("its condition always holds and there is no trip count, so that it would never end");
  }
  if (condition && constantBool(condition) == true)
    condition = Value();
  finishLoop(call, std::move(body), trips, condition, inits, loop.types, asks,
             [](size_t, Value value) { return value; });
}

//===-- Scan -----------------------------------------------------------------------------------------------------===//

std::vector<int64_t> intsOr(Call &call, std::string_view name, size_t count, const char *what) {
  std::vector<int64_t> values = call.intsAttr(name).value_or(std::vector<int64_t>(count, 0));
  if (values.size() != count)
    call.fail("its attribute '" + std::string(name) + "' has " + counted(values.size(), "entry", "entries") + " for " +
              std::to_string(count) + " " + what);
  return values;
}

/// A loop over the slices of its inputs.
void buildScan(Call &call) {
  if (call.opset < 9)
    call.unsupported("Scan with a batch dimension (operator set 8) is not covered");
  const Graph &graph = graphAttr(call, "body");
  auto scanned = static_cast<size_t>(call.requireIntAttr("num_scan_inputs"));
  if (scanned == 0 || scanned > call.inputCount() || graph.inputs.size() != call.inputCount() ||
      graph.outputs.size() != call.outputCount())
    call.fail("its inputs, outputs and num_scan_inputs do not fit its body");
  size_t carried = call.inputCount() - scanned, kept = call.outputCount() - carried;
  std::vector<int64_t> inAxes = intsOr(call, "scan_input_axes", scanned, "scanned inputs");
  std::vector<int64_t> inBackward = intsOr(call, "scan_input_directions", scanned, "scanned inputs");
  std::vector<int64_t> outAxes = intsOr(call, "scan_output_axes", kept, "scan outputs");
  std::vector<int64_t> outBackward = intsOr(call, "scan_output_directions", kept, "scan outputs");
  SmallVector<Value> inits, sequences;
  for (size_t i = 0; i < call.inputCount(); ++i)
    (i < carried ? inits : sequences).push_back(call.in(i));
  for (size_t k = 0; k < scanned; ++k) {
    inAxes[k] = call.axis(inAxes[k], call.rank(sequences[k]));
    if (inBackward[k])
      sequences[k] = call.op("flip").in(sequences[k]).set("axes", ArrayRef<int64_t>(inAxes[k])).result();
  }
  Value length = call.op("shape").in(sequences[0]).set("start", inAxes[0]).set("end", inAxes[0] + 1).result();
  LoopBuilder loop(call, inits);
  auto fill = [&](Block &block) {
    OpBuilder::InsertionGuard guard(call.importer.builder);
    call.importer.builder.setInsertionPointToEnd(&block);
    std::vector<Value> given(block.args_begin() + 1, block.args_end());
    for (size_t k = 0; k < scanned; ++k)
      given.push_back(call.op("gather").in(sequences[k]).in(block.getArgument(0)).set("axis", inAxes[k]).result());
    return call.importer.buildGraph(graph, *call.scope, call.node, "body", block, given);
  };
  Built body = loop.build(fill, /*asks=*/false);
  finishLoop(call, std::move(body), length, Value(), inits, loop.types, /*asks=*/false, [&](size_t i, Value value) {
    if (i < carried)
      return value;
    size_t k = i - carried;
    int64_t axis = call.axis(outAxes[k], call.rank(value));
    if (outBackward[k])
      value = call.op("flip").in(value).set("axes", ArrayRef<int64_t>({0})).result();
    if (axis == 0)
      return value;
    SmallVector<int64_t> order;
    for (int64_t d = 1; d < call.rank(value); ++d)
      order.push_back(d);
    order.insert(order.begin() + axis, 0);
    return call.op("transpose").in(value).set("perm", ArrayRef<int64_t>(order)).result();
  });
}

} // namespace

void addControl(Operators &operators) {
  operators.add("If", buildIf);
  operators.add("Loop", buildLoop);
  operators.add("Scan", buildScan);
}

//===-- Graphs of attributes -------------------------------------------------------------------------------------===//

Importer::NameMark Importer::markNames() const { return {usedNames}; }

void Importer::resetNames(NameMark mark) { usedNames = std::move(mark.used); }

std::vector<Value> Importer::buildGraph(const Graph &graph, Scope &outer, const Node &node, const std::string &role,
                                        Block &block, const std::vector<Value> &given) {
  // What it reads from outside is made there, not where the first of its nodes reads it.
  for (std::string_view name : capturedNames(node))
    if (auto found = outer.entries.find(name); found != outer.entries.end())
      valueOf(*found->second);
  OpBuilder::InsertionGuard guard(builder);
  const llvm::scope_exit restore([this, outerNode = current, outerLocation = location] {
    current = outerNode;
    location = outerLocation;
  });
  builder.setInsertionPointToEnd(&block);
  calls.push_back(std::make_unique<Scope>(outer));
  Scope &scope = *calls.back();
  scope.prefix = nodeNameIn(node, outer) + "/" + role + "/";
  // A name of its own is another value than one of that name around it.
  for (const Node &inner : graph.nodes)
    for (std::string_view output : inner.outputs)
      scope.entries.erase(output);
  for (const Tensor &initializer : graph.initializers) {
    scope.entries.erase(initializer.name);
    define(initializer.name, scope).tensor = &initializer;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    scope.entries.erase(graph.inputs[i].name);
    define(graph.inputs[i].name, scope).value = given[i];
  }
  std::vector<std::string_view> known, outputs;
  for (const auto &[name, entry] : scope.entries)
    known.push_back(name);
  for (const ValueInfo &output : graph.outputs)
    outputs.push_back(output.name);
  buildNodes(graph.nodes, scope, known, outputs, "graph '" + std::string(graph.name) + "'");
  current = &node;
  std::vector<Value> results;
  for (std::string_view output : outputs) {
    Entry &entry = entryOf(output, scope);
    results.push_back(valueOf(entry));
    if (isUnknown(entry))
      failFollowing("its graph '" + std::string(graph.name) + "' returns '" + std::string(output) +
                    "', which an operator makes that is not covered");
  }
  checkStated(graph, scope);
  return results;
}

} // namespace clika::onnx
