// Axes and integer lists as settings or tensors: what the inference of ops that move elements shares.
#ifndef CLIKA_DIALECT_LISTSETTINGS_H
#define CLIKA_DIALECT_LISTSETTINGS_H

#include "Dialect/Shape.h"
#include "mlir/IR/Value.h"

namespace clika {

using MaybeLocation = std::optional<mlir::Location>;

/// `axis`, counted from the end where negative, as a position below `rank`; an error for the op `op` where it is none.
mlir::FailureOr<int64_t> normalAxis(MaybeLocation location, llvm::StringRef op, int64_t axis, int64_t rank);
/// The same for a list of different axes.
mlir::FailureOr<llvm::SmallVector<int64_t>> normalAxes(MaybeLocation location, llvm::StringRef op,
                                                       llvm::ArrayRef<int64_t> axes, int64_t rank);

/// An integer list that the setting `name` or the optional operand `tensor` gives: its entries, null where unknown. The
/// tensor is 1-d (or of rank 0, one entry) and of known length; an error where it is not, or where both are given.
mlir::FailureOr<Dims> integerList(MaybeLocation location, llvm::StringRef op, llvm::StringRef name,
                                  mlir::MLIRContext *context, llvm::ArrayRef<int64_t> literal, mlir::Value tensor);
/// An integer that the Scalar setting `name` or an optional operand of one element gives: null where unknown or absent.
mlir::FailureOr<Dim> integerScalar(MaybeLocation location, llvm::StringRef op, llvm::StringRef name,
                                   mlir::MLIRContext *context, mlir::Attribute literal, mlir::Value tensor);
/// The entries of a list that are all known; nothing where one is not.
std::optional<llvm::SmallVector<int64_t>> knownIntegers(llvm::ArrayRef<Dim> list);

/// The most elements a tensor may have: more than any memory holds, few enough that sizes in bytes do not overflow.
constexpr int64_t kMostElements = int64_t(1) << 47;
/// Whether the known sizes of a type make no more elements than that.
bool isPossibleSize(mlir::Type type);
/// An error where the known sizes alone make more elements than that.
mlir::LogicalResult checkCount(MaybeLocation location, llvm::StringRef op, llvm::ArrayRef<Dim> dims);

/// Whether the tensor may hold exactly one element.
bool mayBeOneElement(mlir::Value tensor);

} // namespace clika

#endif
