// Recording a function over the public ops.
#ifndef CLIKA_API_TRACE_H
#define CLIKA_API_TRACE_H

#include "API/BuildOp.h"
#include "API/Core.h"
#include "API/LastOp.h"
#include "Runtime/TensorImpl.h"

#include <ClikaRT/detail/call_op.h>

namespace clika {

/// What a traced tensor knows of its trace.
struct TraceState {
  /// Names and types are its, and outlive the graph where a tensor is kept.
  std::shared_ptr<GraphContext> context;
  bool live = true;
  std::string call, graph;
  /// Of a region: as in "the branch then_fn", and the trace that it is part of.
  std::string region;
  std::shared_ptr<const TraceState> outer;
  /// As in "the trace of 'graph'".
  std::string describe() const;
};

/// Where a traced value comes from, put into words only when it is asked for.
struct TracedOrigin {
  /// As in "the input "; empty for an operator's output.
  std::string_view kind;
  mlir::StringAttr name;
  bool quoted = true;
  /// Its operator's name, which lives for ever, and which output it is where there are several.
  std::string_view op = {};
  std::optional<size_t> output = std::nullopt;
};

/// A value of a block that is being recorded.
class TracedValue final : public ClikaRT::detail::TracedTensor {
public:
  TracedValue(std::shared_ptr<TraceState> state, mlir::Value value, TracedOrigin origin);
  ClikaRT::DataType dtype() const override;
  ClikaRT::Shape shape() const override;
  std::string describe() const override;
  bool isLive() const noexcept override { return state->live; }

  const std::shared_ptr<TraceState> state;
  /// Good while the trace is live.
  const mlir::Value value;

private:
  const TracedOrigin origin;
  const mlir::RankedTensorType type;
};

/// Operators that a function recorded, in a block of their own whose arguments stand for the function's inputs.
struct Recording {
  /// Until the graph holds the constants that were made; none where whoever keeps the LastCalls has one.
  std::optional<ConstantPin> pin;
  std::unique_ptr<mlir::Block> block;
  llvm::SmallVector<mlir::Value> results;
  /// Values of the graph that the block's last arguments stand for.
  std::vector<ClikaRT::graph::Value> captured;
};

/// Calls `fn` over one traced tensor per type and returns what it recorded. The graph's lock must be free. Throws what
/// `fn` throws, and an Error that begins with `call` where it returns a tensor of another trace. `mayCapture`: `fn` may
/// read other values of the graph, by captureValue(). `last`: kept from one recording to the next, where there are many
/// alike, beside a ConstantPin.
Recording record(GraphCore &core, const ClikaRT::graph::TraceFunction &fn, llvm::ArrayRef<mlir::Type> inputs,
                 llvm::ArrayRef<mlir::StringAttr> names, std::string_view call, bool mayCapture = false,
                 LastCalls *last = nullptr);

/// A value of the graph as a tensor of the trace that is being recorded for it, which reads it.
ClikaRT::Tensor captureValue(const ClikaRT::graph::Value &value, std::string_view call);

/// Moves what was recorded into the graph ahead of `where`, reading `inputs`; returns the values of its results.
/// `added` receives the operations moved.
llvm::SmallVector<mlir::Value> splice(GraphCore &core, Recording recording, llvm::ArrayRef<mlir::Value> inputs,
                                      mlir::Block::iterator where, std::vector<mlir::Operation *> &added);

/// Whether this thread is recording.
bool isTracing();

/// A part of the trace of this thread that becomes a region of an operator: its block's arguments are what the function
/// was given, and it may read what the trace holds so far.
struct RecordedRegion {
  std::unique_ptr<mlir::Block> block;
  llvm::SmallVector<mlir::Value> results;
};
using RegionFunction = std::function<std::vector<ClikaRT::Tensor>(const std::vector<ClikaRT::Tensor> &)>;
/// Calls `fn` over one traced tensor per type. `what` is as in "the branch then_fn"; `names` says what the tensors are.
RecordedRegion recordRegion(llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<mlir::StringAttr> names,
                            const RegionFunction &fn, std::string_view call, const std::string &what);
/// The graph that this thread is recording, which must be.
GraphCore &tracedGraph();
/// What `tensor` is in the trace of this thread; a constant where it is concrete.
mlir::Value tracedValue(const ClikaRT::Tensor &tensor, std::string_view call);
/// Appends an operator with regions to the trace of this thread; returns its results, of a `what` as in "If", which
/// lives for ever.
std::vector<ClikaRT::Tensor> appendTraced(mlir::Operation *op, std::string_view what);

/// Records a call of the op in the trace of this thread.
std::vector<ClikaRT::Tensor> recordOp(const OpInfo &info, const std::vector<ClikaRT::detail::Operand> &operands,
                                      const std::vector<ClikaRT::graph::Attr> &settings);

} // namespace clika

#endif
