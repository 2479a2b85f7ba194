// What is known of the masks of attention.
#ifndef CLIKA_TRANSFORMS_ATTENTIONMASKS_H
#define CLIKA_TRANSFORMS_ATTENTIONMASKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace clika {

/// Whether the mask is known to leave a key to every query, whatever the scores: a constant with an element in every
/// row that is true or above -inf, or floats that numbers and bools are known to make and none of which is -inf.
bool leavesKeys(mlir::Value mask);

/// The setting `causal` that a mask of scores of that type amounts to: 0 or true up to a diagonal, and above it -inf or
/// false, as a constant or as positions compared. "Off" for another mask.
llvm::StringRef causalOf(mlir::Value mask, mlir::RankedTensorType scores);

} // namespace clika

#endif
