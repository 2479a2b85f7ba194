// Whether a path leaves a set of operators and comes back.
#ifndef CLIKA_API_CONVEXITY_H
#define CLIKA_API_CONVEXITY_H

#include "API/Core.h"
#include "llvm/ADT/DenseSet.h"

namespace clika {

/// Asked about one set the answer costs the ancestors of the set that stand between its first and its last operator.
/// Asked about many that share an operator, what that operator is read by is found out once, and kept up to date.
class Convexity {
public:
  explicit Convexity(GraphCore &core) : core(core) {}

  bool holds(llvm::ArrayRef<mlir::Operation *> ops);
  /// How many operators were looked at: what the answers have cost.
  uint64_t looked = 0;

private:
  /// The operators that read an operator's results, and what they are read by, by id.
  struct Reach {
    bool asked = false, known = false;
    llvm::DenseSet<uint64_t> ids;
  };
  using Set = llvm::ArrayRef<mlir::Operation *>;

  std::optional<bool> walkBack(Set ops, mlir::Operation *first, size_t limit);
  bool byReach(Set ops, mlir::Operation *first);
  bool reaches(mlir::Operation *from, mlir::Operation *to, Reach &reach);
  void forEachProducer(mlir::Operation *op, llvm::function_ref<void(mlir::Operation *)> visit);
  llvm::SmallVector<mlir::Operation *> readersOf(mlir::Value value);

  GraphCore &core;
  uint64_t knownAt = 0;
  llvm::DenseMap<uint64_t, Reach> known;
};

} // namespace clika

#endif
