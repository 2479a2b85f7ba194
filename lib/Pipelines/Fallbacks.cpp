#include "Pipelines/Fallbacks.h"
#include "Pipelines/KernelOutliner.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace clika {
namespace {

/// Whether all that it computes is computed by its own loops: it copies, or counts, at least.
bool computesAlone(Operation *loop) {
  bool stores = false;
  bool others = loop->walk([&](Operation *op) {
                      stores |= isa<memref::StoreOp>(op);
                      bool other = isa<linalg::LinalgOp, func::CallOp, memref::CopyOp>(op);
                      return other ? WalkResult::interrupt() : WalkResult::advance();
                    })
                    .wasInterrupted();
  return stores && !others;
}

Fallback fallbackOf(Operation *op, StringRef reason) {
  Fallback fallback;
  for (StringAttr node : nodesOf(op))
    fallback.nodes.push_back(node.str());
  fallback.reason = reason.str();
  return fallback;
}

} // namespace

std::vector<Fallback> fallbacksIn(ModuleOp module) {
  std::vector<Fallback> found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kKernelAttr))
      continue;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto reason = op->getAttrOfType<StringAttr>(kFallbackAttr))
        found.push_back(fallbackOf(op, reason.getValue()));
      if (!isa<scf::ForOp, scf::WhileOp>(op) || !computesAlone(op))
        return WalkResult::advance();
      found.push_back(fallbackOf(op, "it takes its elements one after the other"));
      return WalkResult::skip();
    });
  }
  return found;
}

} // namespace clika
