// Builds an operator from its record: operands, settings, result types, checks.
#ifndef CLIKA_API_BUILDOP_H
#define CLIKA_API_BUILDOP_H

#include "API/GraphContext.h"
#include "Dialect/OpTable.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include <ClikaRT/attribute.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace clika {

/// Names a size that inference does not know: what these sizes broadcast to or, where there are none, any other.
using NameSize = std::function<std::string(llvm::ArrayRef<mlir::AffineExpr> broadcast)>;

/// The sizes along `axis` of a broadcast to `rank` axes where they are two or more that may differ, each once; none
/// where one of them is not known.
llvm::SmallVector<mlir::AffineExpr> sizesToBroadcast(mlir::ValueRange operands, size_t rank, size_t axis);

/// Frees an operation that was never put into a block.
struct OperationDeleter {
  void operator()(mlir::Operation *op) const { op->destroy(); }
};
using DetachedOp = std::unique_ptr<mlir::Operation, OperationDeleter>;

/// A detached operator without identity. `operands` has one entry per port (null: left out), trailing ones may be
/// missing; a setting that is left out or none takes its default. Sizes nothing is known of get a name from `nameSize`,
/// where there is one. Throws an Error that begins with `call`.
DetachedOp buildOp(mlir::MLIRContext *context, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                   const std::vector<ClikaRT::graph::Attr> &settings, const NameSize &nameSize, std::string_view call);

/// The same of the operands present, in order, and MLIR's attributes: settings, and operandSegmentSizes where operands
/// other than the last ones are left out.
DetachedOp buildOp(mlir::MLIRContext *context, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                   mlir::NamedAttrList attributes, const NameSize &nameSize, std::string_view call);

/// What `op` would be with other operands or settings: a detached copy without identity whose result types are inferred
/// anew. Throws as buildOp does.
DetachedOp rebuildOp(mlir::Operation *op, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                     const std::vector<ClikaRT::graph::Attr> &changed, const NameSize &nameSize, std::string_view call);

/// Refuses a tensor type of more elements than memory can hold; `what` names it, as in "the input 'x'".
void checkSize(mlir::Type type, const std::string &what, std::string_view call);
/// Refuses a tensor type that `operand` does not take.
void checkDtype(const OperandInfo &operand, mlir::Type type, std::string_view call);
bool takesDtype(const OperandInfo &operand, ClikaRT::DataType dtype);
/// The operand at a port; ports of a variadic one count on. Null past the last.
const OperandInfo *operandInfoAt(const OpInfo &info, size_t port, size_t portCount);

} // namespace clika

#endif
