// insert and replace, for the edits and for rules.
#ifndef CLIKA_API_INSERT_H
#define CLIKA_API_INSERT_H

#include "API/Trace.h"

namespace clika {

/// Checks that a recording made over `inputs` can stand for `olds`; `what` names the function in errors.
void checkReplacement(GraphCore &core, llvm::ArrayRef<mlir::Value> olds, const Recording &recording,
                      std::string_view call, const std::string &what);

/// Ahead of what new operators are to stand.
struct InsertPlace {
  /// Null: of the first old producer.
  mlir::Operation *op = nullptr;
  /// `op` makes all the old values, and is known to come after all that the new operators read, in its block or in one
  /// inside.
  bool isRoot = false;
};

/// Splices `recording` in over `inputs`, lets the readers of `olds` read its results, and removes what only the old
/// values needed. On an Error the graph is as it was. The new operators stand at `place`, and after every input.
llvm::SmallVector<mlir::Value> replaceValues(GraphCore &core, llvm::ArrayRef<mlir::Value> olds, Recording recording,
                                             llvm::ArrayRef<mlir::Value> inputs, std::string_view call,
                                             InsertPlace place = {});

/// Refuses what was recorded for `block` where it calls a function that is not there, or makes one call itself.
void checkCalls(GraphCore &core, const Recording &recording, mlir::Block &block, std::string_view call);
/// Puts functions behind those that they call, once `added` may call some.
void orderFunctions(GraphCore &core, llvm::ArrayRef<mlir::Operation *> added);

} // namespace clika

#endif
