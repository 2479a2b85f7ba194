#include "Transforms/RegionTally.h"

#include "Dialect/ControlOps.h"
#include "Dialect/CoreOps.h"
#include "Dialect/NodeIdentity.h"
#include "Transforms/NodeListener.h"
#include "Transforms/RegionPath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace clika {
namespace {

/// The private function whose body it is.
func::FuncOp privateFunctionOf(Block &block) {
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  return function && !function.isPublic() ? function : func::FuncOp();
}

bool isNode(Operation &op) { return isa<NodeOp>(op) && !isa<ConstantOp>(op); }

} // namespace

std::string regionPath(Block &block) {
  Operation *op = block.getParentOp();
  if (func::FuncOp function = privateFunctionOf(block))
    return "@" + function.getName().str();
  const NodeIdentity *identity = identityOf(op);
  if (!identity)
    return "";
  std::string around = regionPath(*op->getBlock());
  std::string name = identity->name ? identity->name.str() : std::string();
  return around + (around.empty() ? "" : "/") + name + "." + regionName(op, block.getParent()->getRegionNumber()).str();
}

size_t RegionTally::rowOf(Block &block) {
  if (func::FuncOp function = privateFunctionOf(block)) {
    auto [at, added] = functions.try_emplace(function.getSymNameAttr(), rows_.size() + 1);
    if (added) {
      rows_.emplace_back();
      rows_.back().path = regionPath(block);
    }
    return at->second;
  }
  const NodeIdentity *identity = identityOf(block.getParentOp());
  // What a run has just made gets its identity later.
  if (!identity || identity->id == 0)
    return 0;
  auto [at, added] = places.try_emplace({identity->id, block.getParent()->getRegionNumber()}, rows_.size() + 1);
  if (added) {
    rows_.emplace_back();
    rows_.back().path = regionPath(block);
  }
  return at->second;
}

void RegionTally::change(Block *block) {
  size_t next = block ? rowOf(*block) : 0;
  if (row != next) {
    auto now = std::chrono::steady_clock::now();
    if (row) {
      double spent = std::chrono::duration<double>(now - since).count();
      rows_[row - 1].seconds += spent;
      total += spent;
    }
    since = now;
  }
  current = block;
  row = next;
}

double RegionTally::leave() {
  // Not enter(): the block may have gone, and another be at its address.
  change(nullptr);
  return total;
}

void RegionTally::count(ModuleOp module, int64_t Row::*counter) {
  module->walk<WalkOrder::PostOrder>([&](Block *block) {
    if (size_t place = rowOf(*block))
      rows_[place - 1].*counter = llvm::count_if(*block, isNode);
  });
}

} // namespace clika
