// remove_unused, remove_duplicates and share_constants.
#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/NodeFacts.h"
#include "Transforms/CallEffects.h"
#include "Transforms/EraseUnread.h"
#include "Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace clika {
namespace {

/// So many operations ahead of the one that is looked at memory is asked for.
constexpr int64_t kAhead = 16;

/// Calls `visit` for each block that holds nodes, the blocks inside an op before the one that it is in.
void forEachBlock(const TransformContext &context, llvm::function_ref<void(Block &)> visit) {
  ModuleOp module = context.module;
  // A walk over a large graph, to find that it has no block but its own, costs more than most of what is done there.
  if (!context.mayHaveRegions) {
    for (auto function : module.getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        visit(block);
    return;
  }
  module->walk<WalkOrder::PostOrder>([&](Block *block) {
    if (!isa<ModuleOp>(block->getParentOp()))
      visit(*block);
  });
}

/// A node and the hash of what it does to what, which a table that grows must not compute again.
struct HashedNode {
  Operation *op;
  unsigned hash;

  explicit HashedNode(Operation *op)
      : op(op), hash(static_cast<unsigned>(OperationEquivalence::computeHash(op, OperationEquivalence::directHashValue,
                                                                             OperationEquivalence::ignoreHashValue,
                                                                             OperationEquivalence::IgnoreLocations))) {}
  HashedNode(Operation *op, unsigned hash) : op(op), hash(hash) {}
};

struct EquivalentNode {
  static HashedNode getEmptyKey() { return {llvm::DenseMapInfo<Operation *>::getEmptyKey(), 0}; }
  static HashedNode getTombstoneKey() { return {llvm::DenseMapInfo<Operation *>::getTombstoneKey(), 1}; }
  static unsigned getHashValue(HashedNode node) { return node.hash; }
  static bool isEqual(HashedNode a, HashedNode b) {
    if (a.op == b.op)
      return true;
    return a.hash == b.hash && isNode(a.op) && isNode(b.op) &&
           OperationEquivalence::isEquivalentTo(a.op, b.op, OperationEquivalence::IgnoreLocations);
  }

private:
  static bool isNode(Operation *op) { return op != getEmptyKey().op && op != getTombstoneKey().op; }
};

/// Whether the constants have equal elements, whatever form they are in.
bool sameContent(ConstantOp a, ConstantOp b) {
  if (a.getValue() == b.getValue())
    return true;
  ConstantData x = constantData(a.getValue()), y = constantData(b.getValue());
  return a.getType() == b.getType() && x.valid && y.valid && x.bytes == y.bytes;
}

/// Why a node that is read was not merged with one before it.
StringRef whyNoDuplicate(Operation *op) {
  if (op->getNumOperands() > 0)
    for (Operation *other : op->getOperand(0).getUsers())
      if (other != op && other->getName() == op->getName() && other->getOperands() == op->getOperands())
        return "the nodes that read the same values have other settings, or no reader";
  return "no node before it does the same to the same values";
}

} // namespace

LogicalResult runRemoveUnused(TransformContext &context) {
  IRRewriter rewriter(context.module.getContext(), context.listener);
  forEachBlock(context, [&](Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      context.fetchFrom(&op, -kAhead);
      if (context.stops())
        return;
      if (!factsOf(&op).isNode || holdsKept(&op, context.keeps))
        continue;
      context.attempt(&block);
      if (!op.use_empty()) {
        if (context.refused)
          context.refused(&op, "something reads it");
        continue;
      }
      rewriter.eraseOp(&op);
      context.rewrote();
    }
  });
  return success();
}

LogicalResult runRemoveDuplicates(TransformContext &context) {
  CallEffects effects(context.module);
  IRRewriter rewriter(context.module.getContext(), context.listener);
  forEachBlock(context, [&](Block &block) {
    llvm::DenseSet<HashedNode, EquivalentNode> seen;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      context.fetchFrom(&op, kAhead);
      if (context.stops())
        return;
      const NodeFacts &facts = factsOf(&op);
      if (!facts.isNode || facts.isConstant)
        continue;
      context.attempt(&block);
      // Of equal ones all have effects or none, so that where nobody asks it is enough to know of those.
      if (op.getNumRegions() > 0 || (context.refused && effects.hasEffects(&op))) {
        if (context.refused)
          context.refused(&op, "it is not known to compute the same each time");
        continue;
      }
      if (context.keeps && context.keeps(&op)) {
        seen.insert(HashedNode(&op));
        continue;
      }
      auto [first, added] = seen.insert(HashedNode(&op));
      if (added || op.use_empty() || effects.hasEffects(&op)) {
        if (context.refused)
          context.refused(&op, op.use_empty() ? "nothing reads it" : whyNoDuplicate(&op));
        continue;
      }
      for (auto [result, same] : llvm::zip(op.getResults(), first->op->getResults()))
        rewriter.replaceAllUsesWith(result, same);
      rewriter.eraseOp(&op);
      context.rewrote();
    }
  });
  return success();
}

LogicalResult runShareConstants(TransformContext &context) {
  if (context.lacks<ConstantOp>())
    return success();
  IRRewriter rewriter(context.module.getContext(), context.listener);
  forEachBlock(context, [&](Block &block) {
    llvm::DenseMap<std::pair<Type, ContentDigest>, llvm::SmallVector<ConstantOp, 1>> seen;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      context.fetchFrom(&op, kAhead);
      if (context.stops())
        return;
      auto constant = dyn_cast<ConstantOp>(op);
      if (!constant)
        continue;
      context.attempt(&block);
      auto &candidates = seen[{constant.getType(), contentDigest(constant.getValue())}];
      auto *same = llvm::find_if(candidates, [&](ConstantOp other) { return sameContent(constant, other); });
      if (same == candidates.end()) {
        if (context.refused)
          context.refused(constant, "no constant before it holds the same bytes, shape and dtype");
        candidates.push_back(constant);
        continue;
      }
      rewriter.replaceAllUsesWith(constant.getResult(), same->getResult());
      rewriter.eraseOp(constant);
      context.rewrote();
    }
  });
  return success();
}

} // namespace clika
