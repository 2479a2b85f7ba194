// The operators that rewrites of PDL make.
#ifndef CLIKA_API_PDLMAKER_H
#define CLIKA_API_PDLMAKER_H

#include "API/Core.h"
#include "API/LastOp.h"
#include "mlir/IR/PatternMatch.h"

#include <map>
#include <string>

namespace clika {

/// What errors of PDL rewrites begin with.
inline constexpr llvm::StringLiteral kFromPdl = "from_pdl";

/// The values of `argument`, which is one or a list of them; an Error where it is not there, as `what` names it.
void appendValues(mlir::PDLValue argument, llvm::SmallVectorImpl<mlir::Value> &values,
                  llvm::function_ref<std::string()> what);

class PdlMaker {
public:
  /// `arguments`: the name of the operator, those of its attributes, then these, operands and types. An Error where
  /// there is no such operator. It belongs to no block yet.
  mlir::Operation *make(GraphCore &core, llvm::ArrayRef<mlir::PDLValue> arguments);
  void reset() { last.clear(); }

private:
  struct Made {
    mlir::ArrayAttr names;
    llvm::SmallVector<mlir::Attribute> attributes;
    LastOp op;
  };
  /// The operator made last, by the name of its class.
  std::map<const void *, Made> last;
};

} // namespace clika

#endif
