// remove_unused, remove_duplicates and share_constants.
#include "Dialect/CoreOps.h"
#include "Transforms/Literals.h"
#include "Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace clika {
namespace {

/// Calls `visit` for each block that holds nodes, a block before the blocks inside its ops.
void forEachBlock(ModuleOp module, llvm::function_ref<void(Block &)> visit) {
  module->walk<WalkOrder::PreOrder>([&](Block *block) {
    if (!isa<ModuleOp>(block->getParentOp()))
      visit(*block);
  });
}

struct EquivalentNode : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(const_cast<Operation *>(op), OperationEquivalence::directHashValue,
                                             OperationEquivalence::ignoreHashValue,
                                             OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() || b == getEmptyKey())
      return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a), const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};

/// The bytes, shape and dtype of a constant, told apart from every other's.
struct ConstantContent {
  Type type;
  llvm::ArrayRef<char> bytes;
  /// Where the data is one element for all, the attribute itself.
  Attribute splat;

  static ConstantContent of(ConstantOp op) {
    llvm::ArrayRef<char> bytes = bytesOf(op.getValue());
    return {op.getType(), bytes, bytes.empty() ? Attribute(op.getValue()) : Attribute()};
  }
  llvm::hash_code hash() const { return llvm::hash_combine(type, splat, llvm::hash_combine_range(bytes)); }
  bool operator==(const ConstantContent &other) const {
    return type == other.type && splat == other.splat && bytes == other.bytes;
  }
};

} // namespace

LogicalResult runRemoveUnused(TransformContext &context) {
  IRRewriter rewriter(context.module.getContext(), context.listener);
  forEachBlock(context.module, [&](Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!isa<NodeOp>(op) || !op.use_empty())
        continue;
      rewriter.eraseOp(&op);
      ++context.rewrites;
    }
  });
  return success();
}

LogicalResult runRemoveDuplicates(TransformContext &context) {
  IRRewriter rewriter(context.module.getContext(), context.listener);
  forEachBlock(context.module, [&](Block &block) {
    llvm::DenseSet<Operation *, EquivalentNode> seen;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isa<NodeOp>(op) || isa<ConstantOp>(op) || op.getNumRegions() > 0 || !isMemoryEffectFree(&op))
        continue;
      auto [first, added] = seen.insert(&op);
      if (added || op.use_empty())
        continue;
      for (auto [result, same] : llvm::zip(op.getResults(), (*first)->getResults()))
        rewriter.replaceAllUsesWith(result, same);
      rewriter.eraseOp(&op);
      ++context.rewrites;
    }
  });
  return success();
}

LogicalResult runShareConstants(TransformContext &context) {
  IRRewriter rewriter(context.module.getContext(), context.listener);
  forEachBlock(context.module, [&](Block &block) {
    llvm::DenseMap<size_t, llvm::SmallVector<ConstantOp, 1>> seen;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto constant = dyn_cast<ConstantOp>(op);
      if (!constant)
        continue;
      ConstantContent content = ConstantContent::of(constant);
      auto &candidates = seen[content.hash()];
      auto same = llvm::find_if(candidates, [&](ConstantOp c) { return ConstantContent::of(c) == content; });
      if (same == candidates.end()) {
        candidates.push_back(constant);
        continue;
      }
      rewriter.replaceAllUsesWith(constant.getResult(), same->getResult());
      rewriter.eraseOp(constant);
      ++context.rewrites;
    }
  });
  return success();
}

} // namespace clika
