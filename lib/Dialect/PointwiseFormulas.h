// Scalar formulas that several ops share: as operators of their own, as activations, and inside composites. `x` is f32,
// f64 or, where integers are allowed, a signless integer.
#ifndef CLIKA_DIALECT_POINTWISEFORMULAS_H
#define CLIKA_DIALECT_POINTWISEFORMULAS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace clika {

/// The function that the setting `activation` names, with default settings, of a computed scalar of dtype `element`.
/// Integers have Identity, Relu and Relu6.
mlir::Value buildActivation(mlir::ImplicitLocOpBuilder &builder, llvm::StringRef activation, mlir::Value x,
                            mlir::Type element);
/// Whether `activation` is defined for tensors of `element`.
bool activationTakes(llvm::StringRef activation, mlir::Type element);

/// A constant of a float or integer type.
mlir::Value numberOf(mlir::ImplicitLocOpBuilder &builder, mlir::Type type, double value);

// IEEE 754-2019 maximum and minimum, signed or unsigned for integers.
mlir::Value maximum(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y, bool isUnsigned);
mlir::Value minimum(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value y, bool isUnsigned);

mlir::Value buildRelu(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, bool isUnsigned);
mlir::Value buildLeakyRelu(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, mlir::Value slope);
mlir::Value buildElu(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, double alpha);
mlir::Value buildSelu(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, double alpha, double gamma);
mlir::Value buildGelu(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, bool withTanh);
mlir::Value buildSigmoid(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);
mlir::Value buildSilu(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);
mlir::Value buildHardSigmoid(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, double alpha, double beta);
mlir::Value buildHardSwish(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);
mlir::Value buildSoftplus(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, double beta, double threshold);
mlir::Value buildMish(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

} // namespace clika

#endif
