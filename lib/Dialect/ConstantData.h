// The bytes of a constant, however its attribute holds them.
#ifndef CLIKA_DIALECT_CONSTANTDATA_H
#define CLIKA_DIALECT_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace clika {

/// Dense row-major elements; a Bool is a byte, 0 or 1.
struct ConstantData {
  bool valid = false;
  llvm::ArrayRef<char> bytes;
  /// What `bytes` lies in, where the attribute does not hold it in this form. Moving keeps `bytes` good.
  std::vector<char> owned;
};

/// Not valid where the attribute's data is not at hand (a resource without a blob, or of a wrong size).
ConstantData constantData(mlir::ElementsAttr attribute);

/// The attribute that holds a copy of `bytes` (in ConstantData's form) as text would.
mlir::ElementsAttr inlineConstant(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);

} // namespace clika

#endif
