// Notes what each step of a run did to a graph.
#ifndef CLIKA_TRANSFORMS_REWRITERECORDER_H
#define CLIKA_TRANSFORMS_REWRITERECORDER_H

#include "Dialect/ConstantStore.h"
#include "Transforms/RewriteLog.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <utility>

namespace clika {

/// Compares the graph with what it was at the step before: it needs to be told of no change, and each step costs a
/// walk.
class RewriteRecorder {
public:
  /// `inputIds`: what tells the graph's inputs apart, in order.
  RewriteRecorder(mlir::ModuleOp graph, llvm::ArrayRef<uint64_t> inputIds);

  ~RewriteRecorder();

  /// What `transform` did in this iteration, if the graph is another now.
  void step(mlir::ModuleOp graph, llvm::ArrayRef<uint64_t> inputIds, llvm::StringRef transform, int64_t iteration);
  /// The log of all steps.
  std::string text(mlir::ModuleOp graph);

private:
  /// A value by the id of the node that makes it and its number among that node's results.
  using ValueKey = std::pair<uint64_t, uint64_t>;
  struct Seen {
    uint64_t low, high;
    size_t place;
    mlir::StringAttr name;
  };
  struct Signature {
    std::vector<uint64_t> ids;
    std::vector<mlir::StringAttr> inputNames, outputNames;
    std::vector<mlir::Type> types;
    std::vector<ValueKey> outputs;
    bool operator==(const Signature &) const = default;
  };
  /// The graph after a step.
  struct State {
    std::vector<mlir::Operation *> ops;
    llvm::DenseMap<uint64_t, Seen> seen;
    Signature signature;
    /// The private functions, in order, and what each holds.
    std::vector<std::pair<mlir::StringAttr, std::pair<uint64_t, uint64_t>>> functions;
  };

  State stateOf(mlir::ModuleOp graph, llvm::ArrayRef<uint64_t> inputIds) const;
  Signature signatureOf(mlir::func::FuncOp function, llvm::ArrayRef<uint64_t> inputIds) const;
  std::vector<mlir::Operation *> placedAnew(const State &now) const;
  mlir::func::FuncOp bodyOf(llvm::ArrayRef<mlir::Operation *> placed, const State &now);
  void noteSignature(mlir::func::FuncOp function, const State &now);
  void noteFunctions(mlir::ModuleOp graph, mlir::func::FuncOp step, const State &now);
  void hold(mlir::Operation *copy);

  mlir::OwningOpRef<mlir::ModuleOp> log;
  State before;
  int64_t steps = 0;
  /// Of the resources that the log's constants read.
  std::vector<ConstantHold> holds;
};

} // namespace clika

#endif
