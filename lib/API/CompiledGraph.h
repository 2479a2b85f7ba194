// A finalized graph: its program, its constants and what its inputs must look like.
#ifndef CLIKA_API_COMPILEDGRAPH_H
#define CLIKA_API_COMPILEDGRAPH_H

#include "API/Ports.h"
#include "Runtime/Program.h"
#include "llvm/ADT/SmallVector.h"
#include <ClikaRT/graph.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace clika {

class GraphContext;
class GraphCore;
class Query;

class CompiledGraph {
public:
  /// Compiles a copy of the graph; throws ClikaRT::Error, whose message begins with `call`, and leaves the graph as it
  /// is.
  static std::shared_ptr<CompiledGraph> compile(GraphCore &core, const ClikaRT::graph::FinalizeOptions &options,
                                                std::string_view call);
  /// The graph with `program`, which was compiled of it with these options; null where it takes or gives something
  /// else.
  static std::shared_ptr<CompiledGraph> over(GraphCore &core, std::shared_ptr<Program> program,
                                             const ClikaRT::graph::FinalizeOptions &options, std::string_view call);

  const std::vector<GraphPort> &inputs() const { return inputPorts; }
  const std::vector<GraphPort> &outputs() const { return outputPorts; }
  const Program &compiledProgram() const { return *program; }
  /// What it was compiled with, `progress` left out.
  const ClikaRT::graph::FinalizeOptions &finalizeOptions() const { return options; }

  /// The same graph, in code that tells a ProfileRecorder of its kernels: made at the first call. `query` holds the
  /// graph's lock, which is free meanwhile.
  std::shared_ptr<const CompiledGraph> profiled(Query &query) const;
  /// What the graph was compiled to; FAILED_PRECONDITION where it has not been finalized.
  static std::shared_ptr<CompiledGraph> of(Query &query);

  /// Checks the inputs and runs. Thread-safe. Errors begin with `call`.
  std::vector<ClikaRT::Tensor> run(const std::vector<ClikaRT::Tensor> &inputs, std::string_view call) const;
  void runInto(const std::vector<ClikaRT::Tensor> &inputs, const std::vector<ClikaRT::Tensor> &outputs,
               std::string_view call) const;

private:
  using Arguments = llvm::SmallVector<ProgramInput, 16>;
  Arguments argumentsOf(const std::vector<ClikaRT::Tensor> &inputs, std::string_view call) const;

  /// Owns the expressions of `dims`.
  std::shared_ptr<GraphContext> context;
  std::shared_ptr<Program> program;
  ClikaRT::graph::FinalizeOptions options;
  std::vector<GraphPort> inputPorts, outputPorts;
  std::vector<ClikaRT::DataType> outputDtypes;
  mutable std::mutex profiledMutex;
  mutable std::shared_ptr<const CompiledGraph> profiledGraph;
};

} // namespace clika

#endif
