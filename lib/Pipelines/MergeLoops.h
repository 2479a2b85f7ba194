// Loops of a nest that can be run as one.
#pragma once
#include "Pipelines/Nest.h"

namespace clika {

/// An op that runs inside the loops of another op's nest: its accesses step along those loops.
struct Follower {
  Nest *nest;
  llvm::SmallVector<int> dims; // of its op, one per loop; -1 for none
};

/// Merges neighbouring loops that can be run as one, the follower's accesses with them. What it emits goes where the
/// builder stands.
void mergeLoops(mlir::OpBuilder &builder, Nest &nest, Follower *follower = nullptr);

} // namespace clika
