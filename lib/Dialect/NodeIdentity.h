// The identity and name every operator carries.
#ifndef CLIKA_DIALECT_NODEIDENTITY_H
#define CLIKA_DIALECT_NODEIDENTITY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace clika {

/// Stored as an op property. Any two compare equal, so that CSE and the like treat ops of different names alike.
struct NodeIdentity {
  /// Never reused within a graph; 0 while the op has none. Not printed and not saved.
  uint64_t id = 0;
  /// Null while the op has none.
  mlir::StringAttr name;

  bool operator==(const NodeIdentity &) const { return true; }
  mlir::Attribute toAttribute(mlir::MLIRContext *context) const;
  mlir::LogicalResult fromAttribute(mlir::Attribute attribute,
                                    llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
};

/// Names an op's results after its node, for the printer.
void setNodeResultNames(mlir::Operation *op, const NodeIdentity &node, mlir::OpAsmSetValueNameFn setName);

// The directive `custom<NodeName>($node)`: prints ` name "…"` where the name is not the one of the printed result.
mlir::ParseResult parseNodeName(mlir::OpAsmParser &parser, NodeIdentity &node);
void printNodeName(mlir::OpAsmPrinter &printer, mlir::Operation *op, const NodeIdentity &node);

} // namespace clika

#endif
