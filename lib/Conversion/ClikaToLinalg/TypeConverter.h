// How values of a graph are stored and computed with after the lowering, and what its patterns share.
#ifndef CLIKA_CONVERSION_CLIKATOLINALG_TYPECONVERTER_H
#define CLIKA_CONVERSION_CLIKATOLINALG_TYPECONVERTER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace clika {

/// Drops symbolic sizes, stores bool as i8 (0 or 1) and integers as signless ones.
class LoweredTypes : public mlir::TypeConverter {
public:
  LoweredTypes();
};

/// The element type a tensor of `element` is stored in.
mlir::Type storedElement(mlir::Type element);
/// The type one element of `element` is computed with: f32 for f16 and bf16, i1 for bool, else as stored.
mlir::Type computedElement(mlir::Type element);

/// A stored scalar of dtype `element`, made ready for computing, and back (one rounding for f16 and bf16). A computed
/// value that already has the stored type is left as it is.
mlir::Value toComputed(mlir::ImplicitLocOpBuilder &builder, mlir::Value stored, mlir::Type element);
mlir::Value toStored(mlir::ImplicitLocOpBuilder &builder, mlir::Value computed, mlir::Type element);

/// Applies the setting `activation` to a computed scalar of dtype `element` and returns it stored: f16 and bf16 are
/// rounded before the activation and after it.
mlir::Value activateAndStore(mlir::ImplicitLocOpBuilder &builder, llvm::StringRef activation, mlir::Value computed,
                             mlir::Type element);

/// "add 'scores'": an op's mnemonic and node name, as run-time messages begin.
std::string nodeText(mlir::Operation *op);
/// Fails at run time with "MNEMONIC 'NODE': MESSAGE" unless `condition` (an i1) holds.
void checkAtRunTime(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value condition, const llvm::Twine &message);

/// `value`, cast to the lowered form of `type` where it says more or less about the sizes.
mlir::Value castToLowered(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, mlir::Type type);

} // namespace clika

#endif
