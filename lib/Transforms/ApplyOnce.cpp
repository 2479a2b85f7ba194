#include "Transforms/ApplyOnce.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace clika {
namespace {

/// Forgets the ops that patterns erase before their turn.
class WorkList : public RewriterBase::ForwardingListener {
public:
  WorkList(ModuleOp module, OpBuilder::Listener *next) : ForwardingListener(next) {
    module->walk([&](Operation *op) {
      if (op == module)
        return;
      places[op] = ops.size();
      ops.push_back(op);
    });
  }

  void notifyOperationErased(Operation *op) override {
    auto place = places.find(op);
    if (place != places.end()) {
      ops[place->second] = nullptr;
      places.erase(place);
    }
    ForwardingListener::notifyOperationErased(op);
  }

  std::vector<Operation *> ops;

private:
  llvm::DenseMap<Operation *, size_t> places;
};

} // namespace

LogicalResult applyOnce(TransformContext &context, const FrozenRewritePatternSet &patterns) {
  WorkList list(context.module, context.listener);
  PatternRewriter rewriter(context.module.getContext());
  rewriter.setListener(&list);
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  for (size_t i = 0; i < list.ops.size(); ++i) {
    if (!list.ops[i])
      continue;
    if (context.interrupted && i % 256 == 0 && context.interrupted())
      return success();
    rewriter.setInsertionPoint(list.ops[i]);
    if (succeeded(applicator.matchAndRewrite(list.ops[i], rewriter)))
      ++context.rewrites;
  }
  return success();
}

} // namespace clika
