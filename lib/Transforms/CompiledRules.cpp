#include "Transforms/CompiledRules.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace clika {
namespace {

/// The operator that a pattern of PDL names as its root; none where it leaves that open.
std::optional<OperationName> rootOf(pdl::PatternOp pattern) {
  Value root = pattern.getRewriter().getRoot();
  auto operation = root ? root.getDefiningOp<pdl::OperationOp>() : pdl::OperationOp();
  std::optional<StringRef> name = operation ? operation.getOpName() : std::nullopt;
  return name ? std::optional<OperationName>(OperationName(*name, pattern.getContext())) : std::nullopt;
}

/// Before the patterns are frozen, which turns PDL into bytecode.
std::optional<llvm::SmallVector<OperationName>> rootsOf(RewritePatternSet &patterns) {
  llvm::SetVector<OperationName> roots;
  for (const std::unique_ptr<RewritePattern> &pattern : patterns.getNativePatterns()) {
    std::optional<OperationName> root = pattern->getRootKind();
    if (!root)
      return std::nullopt;
    roots.insert(*root);
  }
  bool open = false;
  if (ModuleOp module = patterns.getPDLPatterns().getModule())
    module.walk([&](pdl::PatternOp pattern) {
      std::optional<OperationName> root = rootOf(pattern);
      if (root)
        roots.insert(*root);
      open |= !root;
    });
  return open ? std::nullopt : std::optional(llvm::to_vector(roots));
}

} // namespace

CompiledRules::CompiledRules(RewritePatternSet &&patterns)
    : rootNames(rootsOf(patterns)), frozen(std::move(patterns)) {}

} // namespace clika
