// The runtime's transforms as functions over a module: entries of optimize() and passes of clika-opt alike.
#ifndef CLIKA_TRANSFORMS_RUNTIMETRANSFORMS_H
#define CLIKA_TRANSFORMS_RUNTIMETRANSFORMS_H

#include "Transforms/CompiledRules.h"
#include "Transforms/Inventory.h"
#include "Transforms/RegionTally.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace clika {

/// Compiled rules, kept from one iteration to the next.
using PatternCache = llvm::DenseMap<void (*)(mlir::RewritePatternSet &), CompiledRules>;

/// Told how many rewrites were made, says whether to go on.
using RewriteGuard = std::function<bool(int64_t rewrites)>;

/// What one run of a transform works on and reports.
struct TransformContext {
  mlir::ModuleOp module;
  /// Must hear of every change: build each rewriter with it. It hands name and handle on (see NodeListener.h).
  mlir::RewriterBase::Listener *listener = nullptr;
  /// To be counted by the transform (see below): nodes that it looked at, and rewrites that it made.
  int64_t attempts = 0, rewrites = 0;
  /// Counts both, and the time, by region; null: nobody asks.
  RegionTally *regions = nullptr;
  /// True: stop as soon as convenient; the run is undone.
  std::function<bool()> interrupted;
  /// Null: makes all rewrites it finds.
  RewriteGuard goesOn;
  /// True: a rewrite has failed, and what it leaves is of no use.
  std::function<bool()> failed;
  /// Told of each op that was considered and left as it is, and why; null: nobody asks, and no reason is made up.
  std::function<void(mlir::Operation *, llvm::StringRef)> refused;
  /// Told of each op that a rule may begin at and that none took, before anything else changes; null: nobody asks.
  std::function<void(mlir::Operation *)> unmatched;
  /// Whether an operation may not be consumed: it is no root of a rewrite, and stays though nothing reads it. Null:
  /// none.
  std::function<bool(mlir::Operation *)> keeps;
  /// What the module holds as it is, so that a rule looks at its own operators alone; null: not known.
  Inventory *inventory = nullptr;
  /// False: no operator has regions.
  bool mayHaveRegions = true;
  /// Asks for the memory of what will be looked at soon: it most often stands so many operators further on (back where
  /// negative) as its id is greater. Null: nobody knows ids.
  std::function<void(mlir::Operation *, int64_t)> fetchBeyond;
  /// Where rules are kept; null: they are compiled for this run.
  PatternCache *patterns = nullptr;
  /// fold_constants makes no constant larger than this, in bytes, unless it takes no more room than what it replaces.
  int64_t foldLimit = kDefaultFoldLimit;
  /// Whether fold_constants leaves an operation as it is; null: none.
  std::function<bool(mlir::Operation *)> foldExcludes;

  static constexpr int64_t kDefaultFoldLimit = 16 << 20;

  /// To be asked before each operation that is looked at.
  bool stops() const { return (interrupted && interrupted()) || (goesOn && !goesOn(rewrites)); }

  /// Whether a rule that needs one of these operators can be left out: none is there, and nobody asks why.
  template <class... Ops>
  bool lacks() const {
    mlir::MLIRContext *context = mlir::ModuleOp(module).getContext();
    return inventory && !refused && !(inventory->holds(mlir::OperationName(Ops::getOperationName(), context)) || ...);
  }
  void fetchFrom(mlir::Operation *op, int64_t distance) const {
    if (fetchBeyond)
      fetchBeyond(op, distance);
  }
  /// The transform looks at a node of this block now.
  void attempt(mlir::Block *block) {
    ++attempts;
    if (!regions)
      return;
    regions->enter(block);
    regions->attempt();
  }
  /// It has rewritten the node that it looked at last.
  void rewrote() {
    ++rewrites;
    if (regions)
      regions->rewrote();
  }
};

enum class ExactnessKind { Exact, Bounded, Approximate };

struct RuntimeTransform {
  llvm::StringLiteral name;
  /// What it does, in a line.
  llvm::StringLiteral summary;
  ExactnessKind exactness = ExactnessKind::Exact;
  double rtol = 0.0, atol = 0.0;
  bool inDefaultList = true;
  /// One pass over the graph. It does only what its name says: nothing is folded, merged or erased on the side. On
  /// failure it has emitted an error that says why. Ops it makes need no identity.
  llvm::LogicalResult (*run)(TransformContext &context) = nullptr;
};

/// All of them; those of the default list first, in its sound order.
llvm::ArrayRef<RuntimeTransform> runtimeTransforms();
/// The one of that name, or null.
const RuntimeTransform *findRuntimeTransform(llvm::StringRef name);
/// Makes each a pass of clika-opt, `--` and its name with dashes.
void registerTransformPasses();

} // namespace clika

#endif
