// Hands the identity of a node on when another op takes its place.
#ifndef CLIKA_TRANSFORMS_NODELISTENER_H
#define CLIKA_TRANSFORMS_NODELISTENER_H

#include "Dialect/NodeFacts.h"
#include "mlir/IR/PatternMatch.h"

namespace clika {

/// On `notifyOperationReplaced`, the first new op that has no identity takes the replaced op's.
class NodeListener : public mlir::RewriterBase::Listener {
public:
  using mlir::RewriterBase::Listener::notifyOperationReplaced;
  void notifyOperationReplaced(mlir::Operation *op, mlir::ValueRange replacement) override;

protected:
  /// `to` has taken the identity of `from`, which has none now.
  virtual void identityMoved(mlir::Operation *from, mlir::Operation *to) {}
};

} // namespace clika

#endif
