// Symbolic shapes: what a tensor type says about its dimensions, and how op inference computes with it.
#ifndef CLIKA_DIALECT_SHAPE_H
#define CLIKA_DIALECT_SHAPE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace clika {

/// One dimension: a constant, an expression over dimension names, or null where nothing is known.
using Dim = mlir::AffineExpr;
using Dims = llvm::SmallVector<Dim, 4>;

Dim constantDim(mlir::MLIRContext *context, int64_t size);
/// The size of a constant dimension, or nothing.
std::optional<int64_t> constantOf(Dim dim);
/// The dimension named `name`.
Dim namedDim(mlir::MLIRContext *context, llvm::StringRef name);

/// The dimensions of a ranked tensor type.
Dims dimsOf(mlir::Type type);
/// The tensor type of these dimensions. Its encoding is left out where every dynamic dimension is unknown.
mlir::RankedTensorType tensorOf(llvm::ArrayRef<Dim> dims, mlir::Type element);
/// The same type without symbolic sizes, as the lowering uses it.
mlir::RankedTensorType plainTensor(mlir::RankedTensorType type);

// Arithmetic that keeps null (unknown) unknown.
Dim addDims(Dim a, Dim b);
Dim addDims(Dim a, int64_t b);
Dim mulDims(Dim a, Dim b);
Dim mulDims(Dim a, int64_t b);
/// floor(a / b) and ceil(a / b), b > 0.
Dim floorDivDims(Dim a, int64_t b);
Dim ceilDivDims(Dim a, int64_t b);
/// a / b where it divides evenly for every size, else null.
Dim exactDivDims(Dim a, Dim b);
/// The product of all.
Dim productOf(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims);

/// Whether both are known to be the same size.
bool sameDim(Dim a, Dim b);
/// Whether both can be the same size (they differ only where both are constants).
bool canMatch(Dim a, Dim b);
/// The one that says more, of two dimensions that must be equal.
Dim refine(Dim a, Dim b);

/// The size two dimensions broadcast to; failure if they cannot (constants that differ, neither 1).
mlir::FailureOr<Dim> broadcastDims(Dim a, Dim b);
/// NumPy broadcasting of whole shapes.
mlir::FailureOr<Dims> broadcastShapes(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

/// "2x3xfloat32", "batchx3xint64": a shape and dtype for messages.
std::string describe(mlir::Type type);
/// "float32", "bool", "uint8": the public name of an element type.
std::string dtypeName(mlir::Type element);
/// "[batch, 3]".
std::string describe(llvm::ArrayRef<Dim> dims);
/// "batch * 2 + 1"; "?" for null.
std::string describe(Dim dim);
/// The dimension `text` describes (the inverse of `describe`); failure where it is not such an expression.
mlir::FailureOr<Dim> parseDim(mlir::MLIRContext *context, llvm::StringRef text);

/// Whether every pair of types has one element type and rank and sizes that can match.
bool compatibleTypes(mlir::TypeRange inferred, mlir::TypeRange actual);
/// Inference of an op whose operands have one dtype and broadcast; `op` names it in the error ("clika.add").
mlir::LogicalResult inferBroadcast(std::optional<mlir::Location> location, llvm::StringRef op, mlir::TypeRange operands,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace clika

#endif
