#include "Transforms/ApplyOnce.h"

#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Transforms/EraseUnread.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

/// The ops to visit. Forgets those that patterns erase before their turn, and remembers what erased ops read.
class WorkList : public RewriterBase::ForwardingListener {
public:
  WorkList(ModuleOp module, const TransformContext &context)
      : ForwardingListener(context.listener), keepsReasons(context.refused != nullptr), keeps(context.keeps) {
    module->walk([&](Operation *op) {
      if (op != module)
        ops.push_back(op);
    });
  }

  void notifyOperationReplaced(Operation *op, ValueRange replacement) override {
    findPlaces();
    for (auto [result, value] : llvm::zip(op->getResults(), replacement))
      if (value && value.getDefiningOp() && result.getType() != value.getType() &&
          !places.contains(value.getDefiningOp()) && compatibleTypes(value.getType(), result.getType()))
        value.setType(result.getType());
    ForwardingListener::notifyOperationReplaced(op, replacement);
  }

  void notifyOperationErased(Operation *op) override {
    findPlaces();
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        orphans.insert(producer);
    orphans.remove(op);
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
    eraseUnread(rewriter, std::exchange(orphans, {}), [&](Operation *op) { return keeps && keeps(op); });
    orphans.clear();
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
  llvm::SetVector<Operation *> orphans;
};

/// What is left of a rewrite that failed goes with the run, which is undone.
struct Rewriter : PatternRewriter {
  using PatternRewriter::PatternRewriter;
  bool canRecoverFromRewriteFailure() const override { return true; }
};

const FrozenRewritePatternSet &compiled(PatternCache &cache, MLIRContext *context,
                                        void (*populate)(RewritePatternSet &)) {
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

/// Whether one of the operators may be the root of a pattern.
bool mayMatch(const FrozenRewritePatternSet &patterns, const llvm::DenseSet<OperationName> &present) {
  auto anyOp = patterns.getMatchAnyOpNativePatterns();
  if (patterns.getPDLByteCode() || anyOp.begin() != anyOp.end())
    return true;
  return llvm::any_of(patterns.getOpSpecificNativePatterns(),
                      [&](const auto &entry) { return present.contains(entry.first); });
}

} // namespace

LogicalResult applyOnce(TransformContext &context, void (*populate)(RewritePatternSet &),
                        StringRef (*unexplained)(Operation *)) {
  PatternCache own;
  return applyOnce(context, compiled(context.patterns ? *context.patterns : own, context.module.getContext(), populate),
                   unexplained);
}

LogicalResult applyOnce(TransformContext &context, const FrozenRewritePatternSet &patterns,
                        StringRef (*unexplained)(Operation *)) {
  if (context.present && !context.refused && !mayMatch(patterns, *context.present))
    return success();
  WorkList list(context.module, context);
  Rewriter rewriter(context.module.getContext());
  rewriter.setListener(&list);
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  for (size_t i = 0; i < list.ops.size(); ++i) {
    if (!list.ops[i])
      continue;
    if (context.interrupted && i % 256 == 0 && context.interrupted())
      return success();
    if (context.failed && context.failed())
      return failure();
    if (context.keeps && context.keeps(list.ops[i]))
      continue;
    rewriter.setInsertionPoint(list.ops[i]);
    list.reasons.clear();
    if (failed(applicator.matchAndRewrite(list.ops[i], rewriter))) {
      if (context.refused)
        tellReasons(context, list.ops[i], list.reasons, unexplained);
      continue;
    }
    ++context.rewrites;
    list.eraseOrphans(rewriter);
  }
  return failure(context.failed && context.failed());
}

} // namespace clika
