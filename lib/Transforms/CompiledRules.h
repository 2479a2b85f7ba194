// Rewrite patterns made ready to match, with the operators that they begin at.
#ifndef CLIKA_TRANSFORMS_COMPILEDRULES_H
#define CLIKA_TRANSFORMS_COMPILEDRULES_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <optional>

namespace clika {

class CompiledRules {
public:
  explicit CompiledRules(mlir::RewritePatternSet &&patterns);

  const mlir::FrozenRewritePatternSet &patterns() const { return frozen; }
  /// The operators that can be the root of a pattern, each once; unset: any can.
  const std::optional<llvm::SmallVector<mlir::OperationName>> &roots() const { return rootNames; }

private:
  std::optional<llvm::SmallVector<mlir::OperationName>> rootNames;
  mlir::FrozenRewritePatternSet frozen;
};

/// Adds `Rule`, made of a root's name and the context, for each of the operators that it begins at.
template <class Rule, class... Roots>
void addRooted(mlir::RewritePatternSet &patterns) {
  (patterns.add<Rule>(Roots::getOperationName(), patterns.getContext()), ...);
}

} // namespace clika

#endif
