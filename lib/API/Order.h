// Keeps the block's order topological when an edit makes a reader depend on a later operator.
#ifndef CLIKA_API_ORDER_H
#define CLIKA_API_ORDER_H

#include "API/Core.h"

#include <utility>
#include <vector>

namespace clika {

/// The operator that makes `value`; null for an input.
mlir::Operation *producerOf(mlir::Value value);
/// The operation that `user` is or lies in, of the block that `value` is of. An Error that begins with `call` where it
/// lies outside of the region that `value` is of.
mlir::Operation *readerBeside(GraphCore &core, mlir::Value value, mlir::Operation *user, std::string_view call);
/// The innermost block of those that `values` (null ones left out) are of: from there all can be read. The graph's own
/// where there are none. An Error that begins with `call` where they are of regions beside each other.
mlir::Block &blockFor(GraphCore &core, llvm::ArrayRef<mlir::Value> values, std::string_view call);
/// Whether `a` comes first: by their blocks, those of an operator's regions before the one that it is in, then by
/// place.
bool comesFirst(GraphCore &core, mlir::Operation *a, mlir::Operation *b);
/// Of two operations of a block (null: before all), the later.
mlir::Operation *later(GraphCore &core, mlir::Operation *a, mlir::Operation *b);
/// Where an operator that reads `inputs` may stand at the earliest. Errors begin with `call`.
mlir::Block::iterator after(GraphCore &core, llvm::ArrayRef<mlir::Value> inputs, std::string_view call);

/// Moves made in the block, in order: the operation, and the one it stood ahead of.
using MoveLog = std::vector<std::pair<mlir::Operation *, mlir::Operation *>>;
void undoMoves(GraphCore &core, const MoveLog &log);

/// Lets every one of `readers`, which are of its block, read `value`: moves what `value` is computed from ahead of them
/// where it stands later. Where one of them is what `value` is computed from, an Error that begins with `call`, and
/// nothing has moved. `log`, where given, gets the moves.
void makeAvailable(GraphCore &core, mlir::Value value, llvm::ArrayRef<mlir::Operation *> readers, std::string_view call,
                   MoveLog *log = nullptr);

} // namespace clika

#endif
