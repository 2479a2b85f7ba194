// The operator that was built last, to be built again.
#ifndef CLIKA_API_LASTOP_H
#define CLIKA_API_LASTOP_H

#include "API/BuildOp.h"
#include "API/PropertiesCopy.h"

#include <memory>

namespace clika {

/// A rule makes one operator like the other: where all that inference and verification see is what it was, they have
/// the same to say. That holds for an operator that reads arguments alone, of which nothing but the type is known, and
/// whose results take no fresh names for their sizes. Of one context, and for one thread.
class LastOp {
public:
  /// What buildOp would give for these; null where it is to be asked.
  DetachedOp again(const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                   const std::vector<ClikaRT::graph::Attr> &settings) const;
  /// buildOp has made `op` of these.
  void remember(mlir::Operation *op, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                const std::vector<ClikaRT::graph::Attr> &settings);

private:
  const OpInfo *info = nullptr;
  std::vector<ClikaRT::graph::Attr> settings;
  /// By port; null where it was left out.
  llvm::SmallVector<mlir::Type> operandTypes;
  llvm::SmallVector<mlir::Type> resultTypes;
  std::unique_ptr<PropertiesCopy> properties;
};

} // namespace clika

#endif
