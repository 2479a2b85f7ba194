// What a search need not try: assignments that cannot become convex, and states that it failed from before.
#include "API/Match.h"
#include "llvm/ADT/MapVector.h"

#include <algorithm>

using namespace mlir;

namespace clika {
namespace {

/// How many operators are looked at for paths that leave an assignment and come back.
constexpr size_t kLookedAt = 256;

} // namespace

/// Where each open pattern node's operator must stand: after those it is computed from, before those computed from it.
std::vector<Matcher::Window> Matcher::openWindows() {
  std::vector<Window> windows;
  steps += states.size() * states.size() / 16;
  for (size_t node = 0; node < states.size(); ++node) {
    if (states[node] != State::Open)
      continue;
    Window window{node, nullptr, nullptr};
    for (size_t other = 0; other < states.size(); ++other) {
      Operation *there = taken.ops[other];
      if (!there)
        continue;
      if (plan.feeds[node].test(static_cast<unsigned>(other)) &&
          (!window.before || query->index.isBefore(there, window.before)))
        window.before = there;
      if (plan.feeds[other].test(static_cast<unsigned>(node)) &&
          (!window.after || query->index.isBefore(window.after, there)))
        window.after = there;
    }
    windows.push_back(window);
  }
  return windows;
}

/// Whether an open pattern node may be `op`, which is in no place yet.
bool Matcher::mayStillBeTaken(Operation *op, llvm::ArrayRef<Window> windows) {
  if (!infoOf(op) || identityOf(op)->id >= newIds)
    return false;
  return llvm::any_of(windows, [&](const Window &window) {
    ++steps;
    return hasCode(op, window.node) && (!window.before || query->index.isBefore(op, window.before)) &&
           (!window.after || query->index.isBefore(window.after, op));
  });
}

/// Whether a path leads from `added` out of the assignment and back (or, not `forward`, into `added`) through an
/// operator that no open pattern node can be. False also where too many would have to be looked at.
bool Matcher::leadsBack(Operation *added, bool forward) {
  Operation *limit = added;
  for (Operation *op : taken.ops)
    if (op && query->index.isBefore(forward ? limit : op, forward ? op : limit))
      limit = op;
  if (limit == added)
    return false;
  // Which operators outside lead on to the assignment, known once all they lead to are.
  llvm::SmallMapVector<Operation *, bool, 16> leads;
  auto onward = [&](Operation *op, llvm::function_ref<void(Operation *)> visit) {
    if (forward)
      for (Operation *user : op->getUsers())
        visit(block->findAncestorOpInBlock(*user));
    else
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *producer = operand.getDefiningOp())
            visit(block->findAncestorOpInBlock(*producer));
      });
  };
  SmallVector<Operation *> work = {added};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    // For every reader of a value, a walk over all of its readers is the square of their number.
    if (forward && llvm::any_of(op->getResults(), [](Value value) { return value.hasNUsesOrMore(kLookedAt); }))
      return false;
    onward(op, [&](Operation *next) {
      ++steps;
      if (!next || !isOperator(next) || llvm::is_contained(taken.ops, next) ||
          !query->index.isBefore(forward ? next : limit, forward ? limit : next) || !leads.insert({next, false}).second)
        return;
      work.push_back(next);
    });
    if (leads.size() > kLookedAt)
      return false;
  }
  SmallVector<Operation *> outside;
  for (auto &[op, found] : leads)
    outside.push_back(op);
  std::ranges::sort(outside, [&](Operation *a, Operation *b) {
    return forward ? query->index.isBefore(b, a) : query->index.isBefore(a, b);
  });
  std::optional<std::vector<Window>> windows;
  size_t needed = 0;
  for (Operation *op : outside) {
    bool found = false;
    onward(op, [&](Operation *next) {
      auto *known = leads.find(next);
      found |= next && (llvm::is_contained(taken.ops, next) || (known != leads.end() && known->second));
    });
    leads[op] = found;
    needed += found;
    if (found && !windows)
      windows = openWindows();
    if (found && !mayStillBeTaken(op, *windows))
      return true;
  }
  return needed > static_cast<size_t>(std::ranges::count(states, State::Open));
}

bool Matcher::mayBeConvex(Operation *added) {
  bool may = !leadsBack(added, true) && !leadsBack(added, false);
  pruned += !may;
  return may;
}

/// All that the rest of the search depends on: which operators are taken, and what those are that it goes on from.
Matcher::Key Matcher::keyOfState() const {
  Key key;
  auto pack = [&](size_t count, llvm::function_ref<uintptr_t(size_t)> bits) {
    for (size_t i = 0; i < count; ++i) {
      if (i % 16 == 0)
        key.push_back(0);
      key.back() |= bits(i) << (2 * (i % 16));
    }
  };
  pack(states.size(), [&](size_t i) { return static_cast<uintptr_t>(states[i]); });
  pack(edgeDone.size(), [&](size_t i) { return static_cast<uintptr_t>(edgeDone[i]); });
  pack(leafDone.size(), [&](size_t i) { return static_cast<uintptr_t>(leafDone[i]); });
  size_t start = key.size();
  for (Operation *op : taken.ops)
    if (op)
      key.push_back(reinterpret_cast<uintptr_t>(op));
  std::sort(key.begin() + static_cast<ptrdiff_t>(start), key.end());
  auto isOpen = [&](size_t node) {
    auto open = [&](size_t edge) { return !edgeDone[edge]; };
    return llvm::any_of(plan.in[node], open) || llvm::any_of(plan.out[node], open);
  };
  for (size_t node = 0; node < states.size(); ++node) {
    bool leaves = false;
    for (size_t leaf = 0; leaf < leafDone.size(); ++leaf)
      leaves |= plan.leaves()[leaf].to == node && !leafDone[leaf];
    if (!taken.ops[node] || (!leaves && !isOpen(node)))
      continue;
    key.push_back(reinterpret_cast<uintptr_t>(taken.ops[node]));
    SmallVector<size_t, 2> ports = boundPorts[node];
    std::ranges::sort(ports);
    key.push_back(ports.size());
    key.insert(key.end(), ports.begin(), ports.end());
  }
  for (void *value : taken.values)
    key.push_back(reinterpret_cast<uintptr_t>(value));
  return key;
}

} // namespace clika
