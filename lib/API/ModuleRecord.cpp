#include "API/ModuleRecord.h"

#include "API/NodeIndex.h"
#include "Dialect/NodeFacts.h"
#include "Dialect/NodeIdentity.h"
#include "llvm/ADT/DenseMap.h"

#include <cstddef>

using namespace mlir;

namespace clika {

class ModuleRecord::Writer {
public:
  Writer(ModuleRecord &record, const NodeIndex *index) : record(record), index(index) {}

  /// False where there is something that is in no graph: several blocks in a region, or a value that comes before what
  /// makes it.
  bool write(Operation *op) {
    if (op->getNumSuccessors() > 0)
      return false;
    for (Value operand : op->getOperands()) {
      uint32_t number = numberOf(operand);
      if (number == kNone)
        return false;
      record.operands.push_back(number);
    }
    record.ops.push_back({op->getName(), op->getLoc(), op->getRawDictionaryAttrs(), propertiesOf(op),
                          op->getNumResults(), op->getNumOperands(), op->getNumRegions()});
    for (OpResult result : op->getResults())
      record.types.push_back(result.getType());
    const NodeFacts &facts = factsOf(op);
    isNested |= facts.isNode && op->getNumRegions() > 0;
    for (mlir::Region &region : op->getRegions())
      if (!write(region))
        return false;
    NodeIdentity *identity = identityOf(op, facts);
    if (identity && index)
      fetchAhead(identity->id);
    if (op->getNumResults() > 0)
      number(op, identity);
    if (identity && !facts.isConstant && facts.info)
      record.operators.push_back({identity->id, facts.code});
    forEachResource(op, [&](DenseResourceElementsAttr resource) { record.holds.emplace_back(resource); });
    return true;
  }

  bool isNested = false;

private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  bool write(mlir::Region &region) {
    size_t at = record.regions.size();
    record.regions.push_back({region.empty(), region.getNumArguments(), 0});
    if (region.empty())
      return true;
    if (!llvm::hasSingleElement(region))
      return false;
    for (BlockArgument argument : region.getArguments()) {
      record.types.push_back(argument.getType());
      record.argumentLocs.push_back(argument.getLoc());
      arguments[argument] = next++;
    }
    uint32_t count = 0;
    for (Operation &op : region.front()) {
      if (!write(&op))
        return false;
      ++count;
    }
    record.regions[at].ops = count;
    return true;
  }

  void *propertiesOf(Operation *op) {
    auto size = static_cast<size_t>(op->getPropertiesStorageSize());
    if (size == 0)
      return nullptr;
    void *place = record.memory.Allocate(size, alignof(std::max_align_t));
    op->getName().initOpProperties(OpaqueProperties(place), op->getPropertiesStorage());
    return place;
  }

  /// Most often the operations come in the order of their ids. From one to the next there is no looking ahead: each
  /// must be there to tell where the next one is.
  void fetchAhead(uint64_t id) {
    constexpr uint64_t kAhead = 16;
    index->fetch(id + kAhead);
  }

  /// By their ids, which grow about as the operations come, they lie closer than in a map.
  void number(Operation *op, NodeIdentity *identity) {
    if (identity && identity->id >= nodes.size())
      nodes.resize(std::max<size_t>(identity->id + 1, 2 * nodes.size()));
    if (identity && !nodes[identity->id].first)
      nodes[identity->id] = {op, next};
    else
      others[op] = next;
    next += op->getNumResults();
  }

  uint32_t numberOf(Value value) const {
    auto result = dyn_cast<OpResult>(value);
    if (!result) {
      auto known = arguments.find(value);
      return known == arguments.end() ? kNone : known->second;
    }
    Operation *op = result.getOwner();
    NodeIdentity *identity = identityOf(op);
    if (identity && identity->id < nodes.size() && nodes[identity->id].first == op)
      return nodes[identity->id].second + result.getResultNumber();
    auto known = others.find(op);
    return known == others.end() ? kNone : known->second + result.getResultNumber();
  }

  ModuleRecord &record;
  /// Null where there is none.
  const NodeIndex *index;
  uint32_t next = 0;
  /// The number of an operation's first result.
  std::vector<std::pair<Operation *, uint32_t>> nodes;
  llvm::DenseMap<Operation *, uint32_t> others;
  llvm::DenseMap<Value, uint32_t> arguments;
};

class ModuleRecord::Builder {
public:
  explicit Builder(const ModuleRecord &record)
      : op(record.ops.data()), region(record.regions.data()), type(record.types.data()),
        argumentLoc(record.argumentLocs.data()), operand(record.operands.data()) {}

  Operation *build() {
    const Op &from = *op++;
    SmallVector<Value, 8> operands;
    for (uint32_t i = 0; i < from.operands; ++i)
      operands.push_back(values[*operand++]);
    Operation *made = Operation::create(from.loc, from.name, TypeRange(ArrayRef(type, from.results)), operands,
                                        from.attributes, OpaqueProperties(from.properties), BlockRange(), from.regions);
    type += from.results;
    for (mlir::Region &to : made->getRegions())
      fill(to);
    values.insert(values.end(), made->result_begin(), made->result_end());
    return made;
  }

private:
  void fill(mlir::Region &to) {
    const Region &from = *region++;
    if (from.isEmpty)
      return;
    auto *block = new Block;
    to.push_back(block);
    for (uint32_t i = 0; i < from.arguments; ++i)
      values.push_back(block->addArgument(*type++, *argumentLoc++));
    for (uint32_t i = 0; i < from.ops; ++i)
      block->push_back(build());
  }

  const Op *op;
  const Region *region;
  const Type *type;
  const Location *argumentLoc;
  const uint32_t *operand;
  /// By number.
  std::vector<Value> values;
};

ModuleRecord::ModuleRecord(ModuleOp module, const NodeIndex *index) {
  const size_t expected = index ? static_cast<size_t>(index->operatorAndConstantCount()) + 4 : 0;
  ops.reserve(expected);
  types.reserve(expected);
  operands.reserve(2 * expected);
  operators.reserve(expected);
  Writer writer(*this, index);
  bool isWritten = writer.write(module);
  if (!isWritten || writer.isNested)
    operators = {};
  if (isWritten)
    return;
  destroyProperties();
  holds.clear();
  other = module.clone();
  other->walk([&](Operation *op) {
    forEachResource(op, [&](DenseResourceElementsAttr resource) { holds.emplace_back(resource); });
  });
}

ModuleRecord::~ModuleRecord() { destroyProperties(); }

void ModuleRecord::destroyProperties() {
  for (const Op &op : ops)
    if (op.properties)
      op.name.destroyOpProperties(OpaqueProperties(op.properties));
  ops.clear();
}

OwningOpRef<ModuleOp> ModuleRecord::build() const {
  if (other)
    return cast<ModuleOp>(other.get()->clone());
  return cast<ModuleOp>(Builder(*this).build());
}

} // namespace clika
