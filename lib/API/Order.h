// Keeps the block's order topological when an edit makes a reader depend on a later operator.
#ifndef CLIKA_API_ORDER_H
#define CLIKA_API_ORDER_H

#include "API/Core.h"

#include <utility>
#include <vector>

namespace clika {

/// The operator that makes `value`; null for an input.
mlir::Operation *producerOf(mlir::Value value);
/// The operation of the graph's block that `user` is or lies in.
mlir::Operation *inBlock(GraphCore &core, mlir::Operation *user);
/// Of two operations of the block (null: before all), the later.
mlir::Operation *later(GraphCore &core, mlir::Operation *a, mlir::Operation *b);
/// Where an operator that reads `inputs` may stand at the earliest.
mlir::Block::iterator after(GraphCore &core, llvm::ArrayRef<mlir::Value> inputs);

/// Moves made in the block, in order: the operation, and the one it stood ahead of.
using MoveLog = std::vector<std::pair<mlir::Operation *, mlir::Operation *>>;
void undoMoves(GraphCore &core, const MoveLog &log);

/// Lets every one of `readers` read `value`: moves what `value` is computed from ahead of them where it stands later.
/// Where one of them is what `value` is computed from, an Error that begins with `call`, and nothing has moved.
/// `log`, where given, gets the moves.
void makeAvailable(GraphCore &core, mlir::Value value, llvm::ArrayRef<mlir::Operation *> readers, std::string_view call,
                   MoveLog *log = nullptr);

} // namespace clika

#endif
