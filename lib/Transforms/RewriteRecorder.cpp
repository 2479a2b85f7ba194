#include "Transforms/RewriteRecorder.h"

#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Functions.h"
#include "Dialect/NodeIdentity.h"
#include "Dialect/PairHash.h"
#include "Transforms/NodeListener.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

using namespace rewrite_log;

/// What an operator is, its place in the block aside. Operands are told by the ids of what makes them.
class OperatorHash {
public:
  OperatorHash(Block &graph, ArrayRef<uint64_t> inputIds) : graph(graph), inputIds(inputIds) {}

  std::pair<uint64_t, uint64_t> of(Operation *op) {
    hash = PairHash();
    inner.clear();
    add(op);
    return {hash.low, hash.high};
  }

private:
  void add(Operation *op) {
    hash.add(op->getName().getAsOpaquePointer());
    hash.add(op->getAttrDictionary().getAsOpaquePointer());
    if (NodeIdentity *identity = identityOf(op))
      hash.add(identity->name.getAsOpaquePointer());
    hash.add(op->getNumOperands());
    for (Value operand : op->getOperands())
      addOperand(operand);
    for (Type type : op->getResultTypes())
      hash.add(type.getAsOpaquePointer());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        addBlock(block);
  }

  void addBlock(Block &block) {
    hash.add(block.getNumArguments());
    for (BlockArgument argument : block.getArguments()) {
      inner.try_emplace(argument, inner.size());
      hash.add(argument.getType().getAsOpaquePointer());
    }
    for (Operation &op : block) {
      add(&op);
      for (Value result : op.getResults())
        inner.try_emplace(result, inner.size());
    }
  }

  void addOperand(Value operand) {
    if (auto known = inner.find(operand); known != inner.end()) {
      hash.add(known->second);
    } else if (auto argument = dyn_cast<BlockArgument>(operand)) {
      hash.add(argument.getOwner() == &graph ? inputIds[argument.getArgNumber()] : 0);
    } else {
      hash.add(identityOf(operand.getDefiningOp())->id);
      hash.add(cast<OpResult>(operand).getResultNumber());
    }
  }

  Block &graph;
  ArrayRef<uint64_t> inputIds;
  PairHash hash;
  DenseMap<Value, uint64_t> inner;
};

/// Which of `places` lie outside of a longest run that ascends.
std::vector<bool> outOfOrder(ArrayRef<size_t> places) {
  std::vector<size_t> ends, previous(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    auto end = llvm::lower_bound(ends, places[i], [&](size_t known, size_t place) { return places[known] < place; });
    previous[i] = end == ends.begin() ? places.size() : *std::prev(end);
    if (end == ends.end())
      ends.push_back(i);
    else
      *end = i;
  }
  std::vector<bool> out(places.size(), true);
  for (size_t i = ends.empty() ? places.size() : ends.back(); i < places.size(); i = previous[i])
    out[i] = false;
  return out;
}

/// What `op` reads from outside of itself.
void collectReads(Operation *op, llvm::SetVector<Value> &reads) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!op->isAncestor(maker ? maker : operand.getParentBlock()->getParentOp()))
        reads.insert(operand);
    }
  });
}

StringAttr nameOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNode);
  }
  return identityOf(value.getDefiningOp())->name;
}

ArrayAttr texts(Builder &builder, ArrayRef<StringAttr> names) {
  SmallVector<Attribute> list(names.begin(), names.end());
  return builder.getArrayAttr(list);
}

} // namespace

RewriteRecorder::RewriteRecorder(ModuleOp graph, ArrayRef<uint64_t> inputIds)
    : log(ModuleOp::create(UnknownLoc::get(graph.getContext()))), before(stateOf(graph, inputIds)) {
  Builder builder(graph.getContext());
  (*log)->setAttr(kVersion, builder.getI64IntegerAttr(kRewriteLogVersion));
  (*log)->setAttr(kBefore, builder.getStringAttr(graphDigest(graph)));
}

RewriteRecorder::~RewriteRecorder() {
  ConstantPin pin(log->getContext());
  holds.clear();
}

RewriteRecorder::Signature RewriteRecorder::signatureOf(func::FuncOp function, ArrayRef<uint64_t> inputIds) const {
  Signature signature{{inputIds.begin(), inputIds.end()}, {}, {}, {}, {}};
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    signature.inputNames.push_back(function.getArgAttrOfType<StringAttr>(i, kNode));
    signature.types.push_back(function.getArgument(i).getType());
  }
  Operation &terminator = function.getBody().front().back();
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    signature.outputNames.push_back(function.getResultAttrOfType<StringAttr>(i, kNode));
    Value value = terminator.getOperand(i);
    if (auto argument = dyn_cast<BlockArgument>(value))
      signature.outputs.emplace_back(inputIds[argument.getArgNumber()], 0);
    else
      signature.outputs.emplace_back(identityOf(value.getDefiningOp())->id, cast<OpResult>(value).getResultNumber());
  }
  return signature;
}

RewriteRecorder::State RewriteRecorder::stateOf(ModuleOp graph, ArrayRef<uint64_t> inputIds) const {
  State state;
  func::FuncOp function = graphOf(graph);
  OperatorHash hash(function.getBody().front(), inputIds);
  for (Operation &op : function.getBody().front().without_terminator()) {
    NodeIdentity *identity = identityOf(&op);
    auto [low, high] = hash.of(&op);
    state.seen.try_emplace(identity->id, Seen{low, high, state.ops.size(), identity->name});
    state.ops.push_back(&op);
  }
  state.signature = signatureOf(function, inputIds);
  for (func::FuncOp inner : privateFunctions(graph))
    state.functions.emplace_back(inner.getSymNameAttr(), hash.of(inner));
  return state;
}

/// In the block's order: operators that are new, are others than they were, or stand elsewhere.
std::vector<Operation *> RewriteRecorder::placedAnew(const State &now) const {
  std::vector<size_t> places;
  for (Operation *op : now.ops)
    if (auto known = before.seen.find(identityOf(op)->id); known != before.seen.end())
      places.push_back(known->second.place);
  std::vector<bool> moved = outOfOrder(places);
  std::vector<Operation *> placed;
  size_t survivors = 0;
  for (Operation *op : now.ops) {
    uint64_t id = identityOf(op)->id;
    auto known = before.seen.find(id);
    const Seen &next = now.seen.find(id)->second;
    if (known == before.seen.end() || moved[survivors++] || known->second.low != next.low ||
        known->second.high != next.high)
      placed.push_back(op);
  }
  return placed;
}

/// Of a copy in the log.
void RewriteRecorder::hold(Operation *copy) {
  if (auto constant = dyn_cast<ConstantOp>(copy))
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      copy->setDiscardableAttr(kKey, StringAttr::get(copy->getContext(), resource.getRawHandle().getKey()));
  forEachResource(copy, [&](DenseResourceElementsAttr resource) { holds.emplace_back(resource); });
}

/// The function that holds copies of `placed`, over what they read of the rest.
func::FuncOp RewriteRecorder::bodyOf(ArrayRef<Operation *> placed, const State &now) {
  MLIRContext *context = log->getContext();
  OpBuilder builder(context);
  llvm::SetVector<Value> reads;
  for (Operation *op : placed)
    collectReads(op, reads);
  llvm::DenseSet<Operation *> inside(placed.begin(), placed.end());
  reads.remove_if([&](Value value) { return inside.contains(value.getDefiningOp()); });

  SmallVector<Type> types;
  for (Value value : reads)
    types.push_back(value.getType());
  builder.setInsertionPointToEnd(log->getBody());
  auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), "step_" + std::to_string(steps),
                                       builder.getFunctionType(types, {}));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  IRMapping mapping;
  for (auto [i, value] : llvm::enumerate(reads)) {
    mapping.map(value, body->getArgument(i));
    function.setArgAttr(i, kNode, nameOf(value));
    if (auto result = dyn_cast<OpResult>(value); result && result.getResultNumber() != 0)
      function.setArgAttr(i, kResult, builder.getI64IntegerAttr(result.getResultNumber()));
  }
  builder.setInsertionPointToEnd(body);
  SmallVector<StringAttr> was, behind;
  for (Operation *op : placed) {
    Operation *copy = builder.clone(*op, mapping);
    hold(copy);
    auto known = before.seen.find(identityOf(op)->id);
    was.push_back(known == before.seen.end() ? builder.getStringAttr("") : known->second.name);
    size_t place = now.seen.find(identityOf(op)->id)->second.place;
    behind.push_back(place == 0 ? builder.getStringAttr("") : identityOf(now.ops[place - 1])->name);
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc());
  function->setAttr(kWas, texts(builder, was));
  function->setAttr(kBehind, texts(builder, behind));
  return function;
}

void RewriteRecorder::noteSignature(func::FuncOp function, const State &now) {
  Builder builder(function.getContext());
  const Signature &next = now.signature;
  SmallVector<Attribute> inputs, outputs;
  for (size_t i = 0; i < next.ids.size(); ++i) {
    auto old = std::ranges::find(before.signature.ids, next.ids[i]);
    int64_t place = old == before.signature.ids.end() ? -1 : old - before.signature.ids.begin();
    inputs.push_back(
        builder.getArrayAttr({next.inputNames[i], TypeAttr::get(next.types[i]), builder.getI64IntegerAttr(place)}));
  }
  for (auto [name, value] : llvm::zip_equal(next.outputNames, next.outputs)) {
    auto [id, result] = value;
    auto input = std::ranges::find(next.ids, id);
    StringAttr node =
        input != next.ids.end() ? next.inputNames[input - next.ids.begin()] : now.seen.find(id)->second.name;
    outputs.push_back(builder.getArrayAttr({name, node, builder.getI64IntegerAttr(static_cast<int64_t>(result))}));
  }
  function->setAttr(kInputs, builder.getArrayAttr(inputs));
  function->setAttr(kOutputs, builder.getArrayAttr(outputs));
}

void RewriteRecorder::noteFunctions(ModuleOp graph, func::FuncOp step, const State &now) {
  Builder builder(graph.getContext());
  SmallVector<StringAttr> order;
  for (const auto &entry : now.functions) {
    order.push_back(entry.first);
    if (llvm::is_contained(before.functions, entry))
      continue;
    auto copy = cast<func::FuncOp>(graph.lookupSymbol(entry.first)->clone());
    copy.setName((step.getName() + "_function_" + Twine(order.size())).str());
    copy->setAttr(kFunctionOf, step->getAttr(kNumber));
    copy->setAttr(kFunction, entry.first);
    copy.walk([&](Operation *op) { hold(op); });
    log->push_back(copy);
  }
  step->setAttr(kFunctions, texts(builder, order));
}

void RewriteRecorder::step(ModuleOp graph, ArrayRef<uint64_t> inputIds, StringRef transform, int64_t iteration) {
  State now = stateOf(graph, inputIds);
  std::vector<Operation *> placed = placedAnew(now);
  std::vector<std::pair<size_t, StringAttr>> gone;
  for (const auto &[id, known] : before.seen)
    if (!now.seen.contains(id))
      gone.emplace_back(known.place, known.name);
  std::ranges::sort(gone, {}, [](const auto &entry) { return entry.first; });
  bool signature = now.signature != before.signature;
  bool functions = now.functions != before.functions;
  if (!placed.empty() || !gone.empty() || signature || functions) {
    Builder builder(graph.getContext());
    func::FuncOp function = bodyOf(placed, now);
    SmallVector<StringAttr> removed;
    for (const auto &entry : gone)
      removed.push_back(entry.second);
    function->setAttr(kRemoved, texts(builder, removed));
    function->setAttr(kNumber, builder.getI64IntegerAttr(steps++));
    function->setAttr(kIteration, builder.getI64IntegerAttr(iteration));
    function->setAttr(kTransform, builder.getStringAttr(transform));
    if (signature)
      noteSignature(function, now);
    if (functions)
      noteFunctions(graph, function, now);
  }
  before = std::move(now);
}

std::string RewriteRecorder::text(ModuleOp graph) {
  Builder builder(graph.getContext());
  if (Attribute device = graph->getAttr(kTargetDeviceAttr))
    (*log)->setAttr(kTargetDeviceAttr, device);
  (*log)->setAttr(kAfter, builder.getStringAttr(graphDigest(graph)));
  (*log)->setAttr(kSteps, builder.getI64IntegerAttr(steps));
  std::string text;
  llvm::raw_string_ostream stream(text);
  ConstantStore::readAll(*log);
  (*log)->print(stream);
  return text + "\n";
}

} // namespace clika
