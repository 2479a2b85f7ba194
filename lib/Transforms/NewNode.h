// Making nodes inside a rule.
#ifndef CLIKA_TRANSFORMS_NEWNODE_H
#define CLIKA_TRANSFORMS_NEWNODE_H

#include "Dialect/Dialect.h"
#include "mlir/IR/PatternMatch.h"

namespace clika {

/// A copy of `op` that is a node of its own: it has neither name nor id yet.
inline mlir::Operation *cloneAsNew(mlir::RewriterBase &rewriter, mlir::Operation *op) {
  mlir::Operation *copy = op->clone();
  if (auto node = llvm::dyn_cast<NodeOp>(copy))
    node.getNodeIdentity() = NodeIdentity();
  rewriter.insert(copy);
  return copy;
}

/// Whether the function applied to `op`'s result is none.
inline bool hasNoActivation(mlir::Operation *op) {
  auto tail = llvm::dyn_cast_or_null<mlir::StringAttr>(op->getInherentAttr("activation").value_or(mlir::Attribute()));
  return !tail || tail.getValue() == "Identity";
}

/// Whether one operation reads `value`, once, and it is of the same block: what makes it may become part of its reader.
/// (A reader in a loop would make it anew in every iteration.)
inline bool isReadOnce(mlir::Value value) {
  return value.hasOneUse() && value.getParentBlock() == (*value.user_begin())->getBlock();
}

} // namespace clika

#endif
