#include "API/Insert.h"

#include "API/Edits.h"
#include "API/Fail.h"
#include "API/Order.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Shape.h"
#include "Runtime/Counted.h"
#include "Transforms/EraseUnread.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clika;

namespace clika {
namespace {

/// The operator of `block` that makes `value`; null where none does.
mlir::Operation *producerIn(mlir::Block &block, mlir::Value value) {
  mlir::Operation *producer = producerOf(value);
  return producer && producer->getBlock() == &block ? producer : nullptr;
}

/// Where to put operators that read `inputs` and stand for `olds`: at `place`, and after every input.
mlir::Block::iterator iteratorAt(GraphCore &core, InsertPlace place, llvm::ArrayRef<mlir::Value> olds,
                                 llvm::ArrayRef<mlir::Value> inputs, std::string_view call) {
  if (place.isRoot)
    return place.op->getIterator();
  llvm::SmallVector<mlir::Value> all(olds);
  all.append(inputs.begin(), inputs.end());
  mlir::Block &block = place.op ? *place.op->getBlock() : blockFor(core, all, call);
  mlir::Operation *first = place.op;
  if (!first)
    for (mlir::Value old : olds)
      if (mlir::Operation *producer = producerIn(block, old))
        if (!first || core.index.isBefore(producer, first))
          first = producer;
  if (!first)
    return after(core, all, call);
  mlir::Operation *last = nullptr;
  for (mlir::Value input : inputs)
    if (mlir::Operation *producer = producerIn(block, input))
      if (!core.index.isBefore(producer, first))
        last = later(core, last, producer);
  return last ? std::next(last->getIterator()) : first->getIterator();
}

/// The readers' moves from old to new values; undone unless it is kept.
class Redirect {
public:
  explicit Redirect(GraphCore &core) : core(core), changes(core.changes) {}
  ~Redirect() {
    if (kept)
      return;
    for (auto &[use, old] : llvm::reverse(done))
      use->set(old);
    setOutputTypes(core);
    undoMoves(core, moves);
    for (mlir::Operation *op : llvm::reverse(added)) {
      op->walk([&](mlir::Operation *inner) { core.index.erased(inner); });
      op->erase();
    }
    core.changes = changes;
  }

  void run(mlir::Value old, mlir::Value next, llvm::ArrayRef<mlir::OpOperand *> uses, std::string_view call,
           bool isAhead) {
    for (mlir::OpOperand *use : uses)
      done.emplace_back(use, old);
    redirectUses(core, next, uses, call, &moves, isAhead);
  }

  std::vector<mlir::Operation *> added;
  bool kept = false;

private:
  GraphCore &core;
  uint64_t changes;
  std::vector<std::pair<mlir::OpOperand *, mlir::Value>> done;
  MoveLog moves;
};

} // namespace

void checkReplacement(GraphCore &core, llvm::ArrayRef<mlir::Value> olds, const Recording &recording,
                      std::string_view call, const std::string &what) {
  if (olds.size() != recording.results.size())
    invalid(call, what + " stands for " + counted(olds.size(), "output") + ", " +
                      counted(recording.results.size(), "value") + " returned; return one value per output");
  for (auto [i, old] : llvm::enumerate(olds)) {
    mlir::Type next = recording.results[i].getType();
    if (!canStandFor(next, old.getType()))
      invalid(call, what + " returned " + describe(next) + " for " + quote(core.nameOf(old)) + ", which is " +
                        describe(old.getType()) + "; return a value of equal dtype and shape");
  }
}

llvm::SmallVector<mlir::Value> replaceValues(GraphCore &core, llvm::ArrayRef<mlir::Value> olds, Recording recording,
                                             llvm::ArrayRef<mlir::Value> inputs, std::string_view call,
                                             InsertPlace place) {
  Redirect redirect(core);
  llvm::SmallVector<llvm::SmallVector<mlir::OpOperand *>> uses(olds.size());
  llvm::SmallDenseSet<mlir::Value, 8> seen;
  for (auto [i, old] : llvm::enumerate(olds))
    if (seen.insert(old).second)
      for (mlir::OpOperand &use : old.getUses())
        uses[i].push_back(&use);
  mlir::Block::iterator where = iteratorAt(core, place, olds, inputs, call);
  checkCalls(core, recording, *where->getBlock(), call);
  auto results = splice(core, std::move(recording), inputs, where, redirect.added);
  for (auto [i, old] : llvm::enumerate(olds))
    if (results[i] != old)
      redirect.run(old, results[i], uses[i], call, place.isRoot);
  redirect.kept = true;
  orderFunctions(core, redirect.added);
  llvm::SmallPtrSet<mlir::Operation *, 8> kept(redirect.added.begin(), redirect.added.end());
  // An operator that an input is computed from stays; a constant is none, and goes once nothing reads it.
  for (mlir::Value value : inputs)
    if (mlir::Operation *producer = producerOf(value); producer && !llvm::isa<ConstantOp>(producer))
      kept.insert(producer);
  for (mlir::Value value : results)
    if (mlir::Operation *producer = producerOf(value))
      kept.insert(producer);
  eraseUnread(
      producersOf(olds), [&](mlir::Operation *op) { return kept.contains(op); },
      [&](mlir::Operation *op) { eraseOp(core, op); });
  return results;
}

} // namespace clika

namespace ClikaRT::graph {
namespace {

struct Resolved {
  std::vector<mlir::Value> values;
  std::vector<mlir::Type> types;
  std::vector<mlir::StringAttr> names;
};

Resolved resolveAll(GraphCore &core, const std::vector<Value> &values, std::string_view call) {
  Resolved resolved;
  for (const Value &value : values) {
    resolved.values.push_back(core.resolve(value, call));
    resolved.types.push_back(resolved.values.back().getType());
    resolved.names.push_back(core.nameAttrOf(resolved.values.back()));
  }
  return resolved;
}

std::vector<Value> handles(GraphCore &core, llvm::ArrayRef<mlir::Value> values) {
  std::vector<Value> result;
  for (mlir::Value value : values)
    result.push_back(core.handleOf(value));
  return result;
}

/// Records `fn` with the lock free and edits forbidden, then finds the inputs again.
Recording recordOver(Edit &edit, const TraceFunction &fn, const std::vector<Value> &inputs, Resolved &resolved) {
  std::string call(edit.call);
  edit.unlock();
  Recording recording = [&] {
    std::string who = "the function of " + call + "()";
    ForbidEdits forbid(*edit, who);
    return record(*edit, fn, resolved.types, resolved.names, call);
  }();
  edit.relock();
  Resolved again = resolveAll(*edit, inputs, call);
  if (again.types != resolved.types)
    precondition(call, "an input has changed while the function ran; edit a graph from one thread at a time");
  resolved = std::move(again);
  return recording;
}

} // namespace

std::vector<Value> ModelGraph::insert(const TraceFunction &fn, const std::vector<Value> &inputs) {
  Edit edit(core_, "insert");
  Resolved resolved = resolveAll(*edit, inputs, edit.call);
  Recording recording = recordOver(edit, fn, inputs, resolved);
  std::vector<mlir::Operation *> added;
  mlir::Block::iterator where = after(*edit, resolved.values, edit.call);
  checkCalls(*edit, recording, *where->getBlock(), edit.call);
  auto results = splice(*edit, std::move(recording), resolved.values, where, added);
  orderFunctions(*edit, added);
  return handles(*edit, results);
}

std::vector<Value> ModelGraph::replace(const std::vector<Value> &old_outputs, const TraceFunction &fn,
                                       const std::vector<Value> &inputs) {
  Edit edit(core_, "replace");
  resolveAll(*edit, old_outputs, edit.call);
  Resolved resolved = resolveAll(*edit, inputs, edit.call);
  Recording recording = recordOver(edit, fn, inputs, resolved);
  Resolved olds = resolveAll(*edit, old_outputs, edit.call);
  checkReplacement(*edit, olds.values, recording, edit.call, "the function");
  return handles(*edit, replaceValues(*edit, olds.values, std::move(recording), resolved.values, edit.call));
}

} // namespace ClikaRT::graph
