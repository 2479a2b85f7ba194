// How the ops of a family are registered: as ODS makes them, but for settings that nobody has. ODS reads from a `<{…}>`
// what it knows and passes over the rest.
#ifndef CLIKA_DIALECT_NODEREGISTRATION_H
#define CLIKA_DIALECT_NODEREGISTRATION_H

#include "Dialect/Dialect.h"

namespace clika {

/// Refuses entries of `settings` that `op` has none of. `names` are those it has.
mlir::LogicalResult checkSettingNames(mlir::StringRef op, mlir::ArrayRef<mlir::StringRef> names,
                                      mlir::Attribute settings,
                                      llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// What MLIR registers in the place of `Op`, as the very same op.
template <class Op>
struct StrictNode : Op {
  using Op::Op;
  static mlir::TypeID resolveTypeID() { return mlir::TypeID::get<Op>(); }
  static mlir::LogicalResult setPropertiesFromAttr(typename Op::Properties &properties, mlir::Attribute settings,
                                                   llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    if (failed(checkSettingNames(Op::getOperationName(), Op::getAttributeNames(), settings, emitError)))
      return mlir::failure();
    return Op::setPropertiesFromAttr(properties, settings, emitError);
  }
};

template <class... Ops>
void ClikaDialect::addNodes() {
  addOperations<StrictNode<Ops>...>();
}

} // namespace clika

#endif
