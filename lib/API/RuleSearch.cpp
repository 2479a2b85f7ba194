#include "API/RuleSearch.h"

#include "API/Order.h"
#include "Dialect/Dialect.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

/// So many operators ahead of the one that is looked at memory is asked for.
constexpr size_t kAhead = 16;

uint32_t codeOf(Operation *op) { return factsOf(op).code; }

void sortByOrder(GraphCore &core, std::vector<Operation *> &ops) {
  auto isBefore = [&](Operation *a, Operation *b) { return comesFirst(core, a, b); };
  if (!std::ranges::is_sorted(ops, isBefore))
    std::ranges::sort(ops, isBefore);
}

/// The operator of `id`, if it is one.
Operation *operatorOf(GraphCore &core, uint64_t id) {
  const NodeSlot *slot = core.index.slot(id);
  Operation *op = slot ? slot->op : nullptr;
  return isOperator(op) ? op : nullptr;
}

} // namespace

void RootIndex::add(uint64_t id, uint32_t code) {
  if (id >= codes.size())
    codes.resize(id + 1);
  if (std::exchange(codes[id], code) == code)
    return;
  if (code >= byCode.size())
    byCode.resize(code + 1);
  byCode[code].ids.push_back(id);
  byCode[code].isMixed |= built;
}

void RootIndex::begin(GraphCore &core) {
  built = false;
  seen = core.index.touchLog.end();
  moves = core.index.moves();
  byCode.clear();
  codes.assign(core.index.nextId(), 0);
}

void RootIndex::start(GraphCore &core, std::vector<ModuleRecord::Operator> operators) {
  begin(core);
  first = std::move(operators);
}

void RootIndex::build(GraphCore &core) {
  if (first.empty()) {
    begin(core);
    for (func::FuncOp function : core.module().getOps<func::FuncOp>())
      addRegion(function.getBody());
  }
  for (auto [id, code] : std::exchange(first, {}))
    add(id, code);
  built = true;
}

void RootIndex::update(GraphCore &core) {
  auto touched = core.index.touchLog.since(seen);
  if (!touched) {
    built = false;
    first.clear();
  }
  if (!built)
    build(core);
  touched = core.index.touchLog.since(seen);
  seen = core.index.touchLog.end();
  for (auto [i, id] : llvm::enumerate(*touched)) {
    if (i + kAhead < touched->size())
      core.index.fetch((*touched)[i + kAhead]);
    if (Operation *op = operatorOf(core, id))
      add(id, codeOf(op));
  }
}

/// Those of inner blocks go before those of the block around them, as they come in the order of a search.
void RootIndex::addRegion(Region &region) {
  for (Block &block : region) {
    for (Operation &op : block)
      for (Region &inner : op.getRegions())
        addRegion(inner);
    for (Operation &op : block) {
      const NodeFacts &facts = factsOf(&op);
      if (facts.isNode && !facts.isConstant && facts.info)
        add(identityOf(&op)->id, facts.code);
    }
  }
}

std::vector<Operation *> RootIndex::operators(GraphCore &core, const std::vector<ClikaRT::graph::OpCode> &wanted) {
  std::vector<Operation *> ops;
  if (wanted.empty()) {
    for (Block *block : blocksOf(core))
      for (Operation &op : *block)
        if (isOperator(&op) && infoOf(&op))
          ops.push_back(&op);
    return ops;
  }
  update(core);
  bool inOrder = wanted.size() == 1 && moves == core.index.moves();
  for (ClikaRT::graph::OpCode each : wanted) {
    const auto code = static_cast<uint32_t>(each);
    if (code >= byCode.size())
      continue;
    inOrder &= !byCode[code].isMixed;
    const std::vector<uint64_t> &ids = byCode[code].ids;
    for (auto [i, id] : llvm::enumerate(ids)) {
      if (i + kAhead < ids.size())
        core.index.fetch(ids[i + kAhead]);
      if (Operation *op = operatorOf(core, id); op && codeOf(op) == code)
        ops.push_back(op);
    }
  }
  if (inOrder)
    return ops;
  sortByOrder(core, ops);
  ops.erase(std::ranges::unique(ops).begin(), ops.end());
  return ops;
}

void RuleSearch::forget(uint64_t root) {
  std::optional<Occurrence> occurrence = found.find(root);
  if (!occurrence)
    return;
  if (!plan.backwardOnly)
    for (uint64_t id : occurrence->ids) {
      auto roots = rootsByNode.find(id);
      if (roots != rootsByNode.end())
        llvm::erase(roots->second, root);
    }
  found.erase(root);
}

void RuleSearch::searchFrom(Matcher &matcher, GraphCore &core, Operation *root) {
  ++searched;
  uint64_t id = identityOf(root)->id;
  matcher.enumerate(root, false, [&](const Assignment &assignment) {
    Occurrence occurrence = found.add(id, matcher.portsFound());
    for (auto [node, op] : llvm::zip_equal(occurrence.ids, assignment.ops))
      node = op ? identityOf(op)->id : 0;
    if (occurrence.ports.empty() && !assignment.values.empty()) {
      std::vector<std::pair<uint64_t, uint32_t>> values;
      for (void *value : assignment.values)
        values.push_back(core.placeOf(Value::getFromOpaquePointer(value)));
      found.setValues(id, std::move(values));
    }
    if (!always && !plan.backwardOnly)
      for (uint64_t node : occurrence.ids)
        if (node != 0)
          rootsByNode[node].push_back(id);
    order.push_back(id);
    return Matcher::Use::Stop;
  });
  if (matcher.exhausted())
    cut.insert(id);
}

/// Every root that a search passes through one of `level` from gets stale: those it is read by and, where the pattern
/// asks for it, those it reads, as many steps away as the pattern is high.
void RuleSearch::spread(GraphCore &core, std::vector<Operation *> level) {
  llvm::DenseSet<Operation *> visited(level.begin(), level.end());
  std::vector<Operation *> next;
  auto visit = [&](Operation *op, Operation *beside) {
    if (op && op->getBlock() == beside->getBlock() && isOperator(op) && visited.insert(op).second)
      next.push_back(op);
  };
  for (size_t depth = 0; !level.empty(); ++depth) {
    const auto &codes = plan.nodes()[plan.root].codes;
    for (Operation *op : level)
      if (codes.empty() || llvm::is_contained(codes, static_cast<ClikaRT::graph::OpCode>(codeOf(op))))
        stale.insert(identityOf(op)->id);
    if (depth == plan.reach)
      return;
    for (Operation *op : level) {
      for (Operation *user : op->getUsers())
        visit(user, op);
      if (!plan.backwardOnly)
        for (Value operand : op->getOperands())
          visit(operand.getDefiningOp(), op);
    }
    // Dearer than to search it all.
    if (visited.size() > graphSize) {
      whole = true;
      return;
    }
    level = std::exchange(next, {});
  }
}

void RuleSearch::update(GraphCore &core) {
  auto touched = core.index.touchLog.since(seen);
  seen = core.index.touchLog.end();
  whole |= !touched || touched->size() > graphSize;
  if (whole)
    return;
  std::vector<Operation *> level;
  for (uint64_t id : *touched) {
    if (auto roots = rootsByNode.find(id); roots != rootsByNode.end())
      stale.insert(roots->second.begin(), roots->second.end());
    // It may be a constant by now, or of another code.
    if (found.contains(id))
      stale.insert(id);
    const NodeSlot *slot = core.index.slot(id);
    if (Operation *op = operatorOf(core, id))
      level.push_back(op);
    else if (slot && slot->op)
      for (Operation *user : slot->op->getUsers())
        if (isOperator(user))
          level.push_back(user);
  }
  std::ranges::sort(level);
  level.erase(std::ranges::unique(level).begin(), level.end());
  spread(core, std::move(level));
}

bool RuleSearch::isStale(GraphCore &core, uint64_t root) {
  if (!always)
    update(core);
  return always || whole || stale.contains(root) || cut.contains(root);
}

void RuleSearch::fetchSearched(GraphCore &core, Operation *root) const {
  // Most often what a root is computed from was made just before it.
  const uint64_t id = identityOf(root)->id, count = std::min<uint64_t>(plan.nodes().size(), id);
  for (uint64_t each = id - count + 1; each <= id; ++each)
    core.index.fetch(each);
}

void RuleSearch::fetch(GraphCore &core, uint64_t root) {
  for (uint64_t id : occurrence(root).ids)
    core.index.fetch(id);
}

void RuleSearch::noteTouched(GraphCore &core) {
  auto ids = core.index.touchLog.since(lookedAt);
  allTouched |= always || !ids;
  if (allTouched || ids->empty())
    return;
  lookedAt = core.index.touchLog.end();
  if (touched.size() < core.index.nextId())
    touched.resize(core.index.nextId());
  for (uint64_t id : *ids)
    touched[id] = true;
}

bool RuleSearch::isUntouched(GraphCore &core, const Occurrence &occurrence) const {
  return !allTouched && llvm::none_of(occurrence.ids, [&](uint64_t id) {
    if (id == 0)
      return false;
    const NodeSlot *slot = core.index.slot(id);
    return mayBeTouched(id) || !slot->op || llvm::any_of(slot->op->getOperands(), [&](Value operand) {
             Operation *producer = operand.getDefiningOp();
             return producer && mayBeTouched(identityOf(producer)->id);
           });
  });
}

std::vector<uint64_t> RuleSearch::search(Matcher &matcher, GraphCore &core, RootIndex &index, uint64_t newIds,
                                         RegionTally &regions) {
  whole |= always;
  if (!whole)
    update(core);
  seen = core.index.touchLog.end();
  const bool inOrder = whole;
  std::vector<Operation *> roots;
  if (whole) {
    roots = index.operators(core, plan.nodes()[plan.root].codes);
    graphSize = std::max<size_t>(roots.size(), 64);
    found.clear();
    rootsByNode.clear();
    order.clear();
  } else {
    stale.insert(cut.begin(), cut.end());
    for (uint64_t id : stale) {
      forget(id);
      if (Operation *op = operatorOf(core, id); op && id < newIds)
        roots.push_back(op);
    }
    sortByOrder(core, roots);
  }
  whole = false;
  stale.clear();
  cut.clear();
  touched.clear();
  allTouched = false;
  lookedAt = seen;
  const size_t ahead = turnsAhead();
  for (auto [i, root] : llvm::enumerate(roots)) {
    if (i + ahead < roots.size())
      fetchSearched(core, roots[i + ahead]);
    regions.enter(root->getBlock());
    auto before = static_cast<int64_t>(matcher.attempts);
    searchFrom(matcher, core, root);
    regions.attempt(static_cast<int64_t>(matcher.attempts) - before);
  }
  if (inOrder)
    return order;
  std::erase_if(order, [&](uint64_t id) { return !found.contains(id) || !core.index.slot(id)->op; });
  auto isBefore = [&](uint64_t a, uint64_t b) {
    return comesFirst(core, core.index.slot(a)->op, core.index.slot(b)->op);
  };
  if (!std::ranges::is_sorted(order, isBefore))
    std::ranges::sort(order, isBefore);
  order.erase(std::ranges::unique(order).begin(), order.end());
  return order;
}

RuleSearch &RuleSearches::of(size_t entry, const ClikaRT::graph::Pattern &pattern) {
  auto &search = searches[entry];
  if (!search)
    search = std::make_unique<RuleSearch>(pattern, always);
  return *search;
}

void RuleSearches::trim(GraphCore &core) {
  uint64_t least = index.position().value_or(core.index.touchLog.end());
  for (const auto &[entry, search] : searches)
    least = std::min(least, search->position());
  core.index.touchLog.forgetBefore(least);
}

} // namespace clika
