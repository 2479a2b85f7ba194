// The operator that was built last, to be built again.
#ifndef CLIKA_API_LASTOP_H
#define CLIKA_API_LASTOP_H

#include "API/BuildOp.h"
#include "API/PropertiesCopy.h"

#include <memory>

namespace clika {

/// A rule makes one operator like the other: where all that inference and verification see is what it was, they have
/// the same to say. Of a value they see the type and, where it may stand for a setting, what it is computed from;
/// nothing is known of an argument. Whoever keeps one sees to it that the settings are the same. Of one context, and
/// for one thread.
class LastOp {
public:
  /// What building it would give for these, by port (null: left out); null where that must be asked.
  DetachedOp again(llvm::ArrayRef<mlir::Value> operands) const;
  /// `op`, of the record `info`, was built of these.
  void remember(mlir::Operation *op, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands);

private:
  bool readsValues = false;
  /// By port; null where it was left out.
  llvm::SmallVector<mlir::Type> operandTypes;
  llvm::SmallVector<mlir::Type> resultTypes;
  /// Null where it may not be built again.
  std::unique_ptr<PropertiesCopy> properties;
};

/// The calls of ops recorded last, one of each op.
class LastCalls {
public:
  DetachedOp again(const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                   const std::vector<ClikaRT::graph::Attr> &settings) const;
  void remember(mlir::Operation *op, const OpInfo &info, llvm::ArrayRef<mlir::Value> operands,
                const std::vector<ClikaRT::graph::Attr> &settings);

private:
  struct Call {
    const OpInfo *info;
    std::vector<ClikaRT::graph::Attr> settings;
    LastOp op;
  };
  /// Few: a replacement makes a handful.
  std::vector<Call> calls;
};

} // namespace clika

#endif
