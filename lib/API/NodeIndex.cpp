#include "API/NodeIndex.h"

#include "Dialect/CoreOps.h"
#include "Transforms/NodeListener.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace clika {

uint64_t NodeIndex::find(llvm::StringRef name) const {
  // The context from a slot: the first entry of a table that was large once lies behind all of its empty buckets.
  return names.empty() ? 0 : find(StringAttr::get(slots[1].name.getContext(), name));
}

uint64_t NodeIndex::find(StringAttr name) const {
  uint64_t id = names.lookup(name);
  return id != 0 && slots[id].live() && slots[id].name == name ? id : 0;
}

StringAttr NodeIndex::freshName(MLIRContext *context, llvm::StringRef base) {
  uint64_t &counter = counters[base];
  llvm::SmallString<64> text(base);
  text += '_';
  const size_t length = text.size();
  while (true) {
    text.truncate(length);
    llvm::raw_svector_ostream(text) << ++counter;
    StringAttr name = StringAttr::get(context, text);
    if (!names.contains(name))
      return name;
  }
}

namespace {

Counted countedAs(Operation *op) {
  if (!op)
    return Counted::Nothing;
  if (isa<ConstantOp>(op))
    return Counted::Constant;
  return op->getNumRegions() == 0 ? Counted::Operator : Counted::OperatorWithRegions;
}

} // namespace

void NodeIndex::count(NodeSlot &slot, Counted as) {
  --counts[static_cast<size_t>(slot.counted)];
  slot.counted = as;
  ++counts[static_cast<size_t>(as)];
}

void NodeIndex::bind(uint64_t id, Operation *op, StringAttr name) {
  count(slots[id], countedAs(op));
  slots[id].op = op;
  slots[id].name = name;
  names[name] = id;
}

void NodeIndex::place(uint64_t id, Operation *op, StringAttr name) {
  bind(id, op, name);
  order.forget(id);
  hold(id, op);
  touchLog.add(id);
}

void NodeIndex::touched(Operation *op) {
  if (NodeIdentity *identity = identityOf(op))
    touchLog.add(identity->id);
}

void NodeIndex::hold(uint64_t id, Operation *op) {
  llvm::SmallVector<ConstantHold, 1> now;
  forEachResource(op, [&](DenseResourceElementsAttr resource) { now.emplace_back(resource); });
  if (now.empty())
    held.erase(id);
  else
    held[id] = std::move(now);
}

void NodeIndex::relocated(Operation *op) {
  ++moveCount;
  touched(op);
  if (NodeIdentity *identity = identityOf(op))
    order.forget(identity->id);
}

void NodeIndex::unbind(uint64_t id) {
  NodeSlot &slot = slots[id];
  count(slot, Counted::Nothing);
  slot.op = nullptr;
  slot.input = -1;
  held.erase(id);
}

uint64_t NodeIndex::add(Operation *op, StringAttr name) {
  NodeIdentity *identity = identityOf(op);
  if (!identity)
    return 0;
  identity->id = slots.size();
  identity->name = name ? name : freshName(op->getContext(), op->getName().stripDialect());
  slots.emplace_back();
  place(identity->id, op, identity->name);
  return identity->id;
}

void NodeIndex::addAll(Operation *op) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) { add(inner); });
}

void NodeIndex::addNamed(Operation *op) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (NodeIdentity *identity = identityOf(inner))
      add(inner, identity->name && isFree(identity->name) ? identity->name : StringAttr());
  });
}

void NodeIndex::bindFunction(Operation *function, StringAttr name) {
  auto [at, added] = functions.try_emplace(name, slots.size());
  if (added)
    slots.emplace_back();
  // Its name is none of a node's, and is not to be found among them.
  slots[at->second].op = function;
  slots[at->second].name = name;
}

void NodeIndex::addFunction(Operation *function, StringAttr name) {
  functions.erase(name);
  bindFunction(function, name);
  addNamed(function);
}

void NodeIndex::removeFunction(Operation *function, StringAttr name) {
  function->walk([&](Operation *inner) { erased(inner); });
  slots[functions.lookup(name)].op = nullptr;
  functions.erase(name);
}

uint64_t NodeIndex::addInput(StringAttr name) {
  uint64_t id = slots.size();
  slots.emplace_back();
  bind(id, nullptr, name);
  slots[id].input = static_cast<int32_t>(inputs.size());
  inputs.push_back(id);
  return id;
}

uint64_t NodeIndex::reserveInput() {
  slots.emplace_back();
  return slots.size() - 1;
}

void NodeIndex::removeInput(size_t position) {
  unbind(inputs[position]);
  inputs.erase(inputs.begin() + position);
  for (size_t i = position; i < inputs.size(); ++i)
    slots[inputs[i]].input = static_cast<int32_t>(i);
}

void NodeIndex::rename(uint64_t id, StringAttr name) {
  Operation *op = slots[id].op;
  bind(id, op, name);
  if (NodeIdentity *identity = identityOf(op))
    identity->name = name;
}

void NodeIndex::inserted(Operation *op) {
  NodeIdentity *identity = identityOf(op);
  if (!identity)
    return;
  const NodeSlot *known = slot(identity->id);
  if (known && known->op == op)
    return relocated(op);
  if (known && !known->live() && identity->name == known->name && isFree(known->name)) {
    ++moveCount;
    return place(identity->id, op, identity->name);
  }
  pending.insert(op);
}

void NodeIndex::modified(Operation *op) {
  NodeIdentity *identity = identityOf(op);
  const NodeSlot *known = identity ? slot(identity->id) : nullptr;
  if (known && known->op == op) {
    hold(identity->id, op);
    touchLog.add(identity->id);
  }
}

void NodeIndex::erased(Operation *op) {
  if (!pending.empty())
    pending.remove(op);
  NodeIdentity *identity = identityOf(op);
  const NodeSlot *known = identity ? slot(identity->id) : nullptr;
  if (known && known->op == op) {
    unbind(identity->id);
    touchLog.add(identity->id);
  }
}

void NodeIndex::moved(Operation *to) {
  pending.remove(to);
  NodeIdentity *identity = identityOf(to);
  if (!identity || !slot(identity->id))
    return;
  ++moveCount;
  place(identity->id, to, identity->name);
}

void NodeIndex::settle() {
  for (Operation *op : pending) {
    NodeIdentity *identity = identityOf(op);
    StringAttr name = identity->name && isFree(identity->name) ? identity->name : StringAttr();
    add(op, name);
  }
  pending.clear();
}

void NodeIndex::placeNodes(Operation *op) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    NodeIdentity *identity = identityOf(inner);
    if (!identity)
      return;
    const NodeSlot *known = slot(identity->id);
    if (known && !known->live() && identity->name && isFree(identity->name))
      place(identity->id, inner, identity->name);
    else
      pending.insert(inner);
  });
}

void NodeIndex::rebuild(const Contents &contents, FunctionIds ids) {
  for (NodeSlot &slot : slots)
    slot = NodeSlot{nullptr, -1, Counted::Nothing, slot.name};
  counts = {};
  touchLog.addEverything();
  pending.clear();
  order.clear();
  held.clear();
  functions = std::move(ids);
  inputs = contents.inputIds;
  for (auto [i, id] : llvm::enumerate(inputs)) {
    bind(id, nullptr, contents.inputNames[i]);
    slots[id].input = static_cast<int32_t>(i);
  }
  for (auto [name, function] : contents.functions)
    bindFunction(function, name);
  placeNodes(contents.block.getParentOp());
  for (auto [name, function] : contents.functions)
    placeNodes(function);
  settle();
}

void NodeIndex::inherit(const NodeIndex &other) {
  slots = other.slots;
  for (NodeSlot &slot : slots)
    slot = NodeSlot{nullptr, -1, Counted::Nothing, slot.name};
  counts = {};
  functions = other.functions;
  names = other.names;
  counters.clear();
  for (const auto &entry : other.counters)
    counters[entry.getKey()] = entry.getValue();
}

} // namespace clika
