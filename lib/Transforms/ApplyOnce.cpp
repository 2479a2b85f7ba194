#include "Transforms/ApplyOnce.h"

#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Transforms/EraseUnread.h"
#include "Transforms/Kept.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

/// The ops to visit. Forgets those that patterns erase before their turn, and remembers what erased ops read.
class WorkList : public RewriterBase::ForwardingListener {
public:
  WorkList(std::vector<Operation *> ops, const TransformContext &context)
      : ForwardingListener(context.listener), ops(std::move(ops)), keepsReasons(context.refused != nullptr),
        keeps(context.keeps) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override {
    if (!previous.isSet())
      made.insert(op);
    ForwardingListener::notifyOperationInserted(op, previous);
  }

  void notifyOperationReplaced(Operation *op, ValueRange replacement) override {
    for (auto [result, value] : llvm::zip(op->getResults(), replacement))
      if (value && result.getType() != value.getType() && made.contains(value.getDefiningOp()) &&
          compatibleTypes(value.getType(), result.getType()))
        value.setType(result.getType());
    ForwardingListener::notifyOperationReplaced(op, replacement);
  }

  void notifyOperationErased(Operation *op) override {
    findPlaces();
    if (!sweeps) {
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          orphans.insert(producer);
      orphans.remove(op);
    }
    made.erase(op);
    auto place = places.find(op);
    if (place != places.end()) {
      ops[place->second] = nullptr;
      places.erase(place);
    }
    ForwardingListener::notifyOperationErased(op);
  }

  void notifyMatchFailure(Location location, llvm::function_ref<void(Diagnostic &)> describe) override {
    if (!keepsReasons)
      return;
    Diagnostic reason(location, DiagnosticSeverity::Remark);
    describe(reason);
    if (!llvm::is_contained(reasons, reason.str()))
      reasons.push_back(reason.str());
  }

  /// Erases what only the erased ops read.
  void eraseOrphans(RewriterBase &rewriter) {
    sweeps = true;
    eraseUnread(std::move(orphans), keeps, [&](Operation *op) {
      if (op->getNumRegions() > 0)
        return rewriter.eraseOp(op);
      notifyOperationErased(op);
      op->erase();
    });
    orphans.clear();
    sweeps = false;
  }

  std::vector<Operation *> ops;
  /// Why the op at hand was refused, each reason once.
  std::vector<std::string> reasons;

private:
  /// Most runs change nothing and need no places. Before the first op goes, all of `ops` still stand.
  void findPlaces() {
    if (!places.empty())
      return;
    places.reserve(ops.size());
    for (auto [place, op] : llvm::enumerate(ops))
      places[op] = place;
  }

  bool keepsReasons;
  std::function<bool(Operation *)> keeps;
  llvm::DenseMap<Operation *, size_t> places;
  /// What patterns have made and not erased.
  llvm::DenseSet<Operation *> made;
  OpSet orphans;
  /// What nothing reads any more is being erased, with what it reads.
  bool sweeps = false;
};

/// What is left of a rewrite that failed goes with the run, which is undone.
struct Rewriter : PatternRewriter {
  explicit Rewriter(TransformContext &context) : PatternRewriter(context.module.getContext()), keeps(context.keeps) {}
  bool canRecoverFromRewriteFailure() const override { return true; }

  const std::function<bool(Operation *)> &keeps;
};

const CompiledRules &compiled(PatternCache &cache, MLIRContext *context, void (*populate)(RewritePatternSet &)) {
  auto found = cache.find(populate);
  if (found != cache.end())
    return found->second;
  RewritePatternSet patterns(context);
  populate(patterns);
  return cache.try_emplace(populate, std::move(patterns)).first->second;
}

void tellReasons(TransformContext &context, Operation *op, llvm::ArrayRef<std::string> reasons,
                 StringRef (*unexplained)(Operation *)) {
  for (const std::string &reason : reasons)
    context.refused(op, reason);
  StringRef other = reasons.empty() && unexplained ? unexplained(op) : StringRef();
  if (!other.empty())
    context.refused(op, other);
}

/// The operations that a rule may begin at: all where reasons are asked for, as each that is left has one.
std::vector<Operation *> candidates(const TransformContext &context, const CompiledRules &rules) {
  std::optional<WalkedInventory> own;
  Inventory &inventory = context.inventory ? *context.inventory : own.emplace(context.module);
  return context.refused || !rules.roots() ? inventory.all() : inventory.of(*rules.roots());
}

/// Whether a rule may begin at `op`, which may be no candidate where reasons are asked for.
bool mayBeginAt(Operation *op, const CompiledRules &rules) {
  if (rules.roots())
    return llvm::is_contained(*rules.roots(), op->getName());
  return isa<NodeOp>(op) && !isa<ConstantOp>(op);
}

} // namespace

bool isKept(const RewriterBase &rewriter, Operation *op) {
  return holdsKept(op, static_cast<const Rewriter &>(rewriter).keeps);
}

LogicalResult applyOnce(TransformContext &context, void (*populate)(RewritePatternSet &),
                        StringRef (*unexplained)(Operation *)) {
  PatternCache own;
  return applyOnce(context, compiled(context.patterns ? *context.patterns : own, context.module.getContext(), populate),
                   unexplained);
}

LogicalResult applyOnce(TransformContext &context, const CompiledRules &rules, StringRef (*unexplained)(Operation *)) {
  WorkList list(candidates(context, rules), context);
  if (list.ops.empty())
    return success();
  Rewriter rewriter(context);
  rewriter.setListener(&list);
  PatternApplicator applicator(rules.patterns());
  applicator.applyDefaultCostModel();
  for (size_t i = 0; i < list.ops.size(); ++i) {
    if (!list.ops[i])
      continue;
    if (context.stops())
      return success();
    if (context.failed && context.failed())
      return failure();
    if (isKept(rewriter, list.ops[i]))
      continue;
    bool begins = mayBeginAt(list.ops[i], rules);
    if (begins)
      context.attempt(list.ops[i]->getBlock());
    rewriter.setInsertionPoint(list.ops[i]);
    list.reasons.clear();
    if (failed(applicator.matchAndRewrite(list.ops[i], rewriter))) {
      if (context.refused)
        tellReasons(context, list.ops[i], list.reasons, unexplained);
      if (context.unmatched && begins)
        context.unmatched(list.ops[i]);
      continue;
    }
    context.rewrote();
    list.eraseOrphans(rewriter);
  }
  return failure(context.failed && context.failed());
}

} // namespace clika
