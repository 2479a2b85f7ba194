#ifndef CLIKA_DIALECT_CONTROLOPS_H
#define CLIKA_DIALECT_CONTROLOPS_H

#include "Dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

#define GET_OP_CLASSES
#include "Dialect/ControlOps.h.inc"

namespace clika {

/// Whether the type can hold one element only, as a condition and a trip count do.
bool canBeOneElement(mlir::Type type);

/// The sizes that types around a region tell. A name that only the region knows may stand for another size in every
/// iteration.
class KnownDims {
public:
  void add(mlir::Type type);
  /// Whether it is made of names that are known.
  bool hasNames(Dim dim) const;
  /// Whether a dimension of a type is just it.
  bool hasSize(Dim dim) const { return sizes.contains(dim); }

private:
  llvm::SmallDenseSet<mlir::AffineExpr, 16> names, sizes;
};

/// The type of what either of two values is: dimensions in which they differ, or whose names `isKnown` refuses, are
/// unknown. Null where dtypes or ranks differ.
mlir::RankedTensorType joinTypes(mlir::Type a, mlir::Type b, llvm::function_ref<bool(Dim)> isKnown);
/// The type of what `count` values of `each`, stacked along a new axis 0, are.
mlir::RankedTensorType stackedType(Dim count, mlir::Type each, llvm::function_ref<bool(Dim)> isKnown);

/// What region number `i` of `op` is called: then, else, body.
llvm::StringRef regionName(mlir::Operation *op, unsigned i);

/// The values that the operations of `block` read from outside of it, each once, in the order of the reads.
llvm::SmallVector<mlir::Value> capturesOf(mlir::Block &block);
/// The same of all regions of `op`.
llvm::SmallVector<mlir::Value> capturesOf(mlir::Operation *op);

} // namespace clika

#endif
