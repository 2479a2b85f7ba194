// run, run_named and run_into: inputs checked, then the program.
#include "API/CompiledGraph.h"
#include "API/Core.h"
#include "API/Fail.h"
#include "API/Ports.h"
#include "Dialect/Shape.h"
#include "Pipelines/Evaluator.h"
#include "Runtime/Counted.h"
#include "Runtime/Program.h"
#include "Runtime/TensorImpl.h"

#include <algorithm>
#include <cstring>
#include <span>

using namespace clika;
using ClikaRT::Tensor;

namespace clika {
namespace {

/// The list of a run that is over, whose memory the thread's next run takes over.
thread_local llvm::SmallVector<ProgramInput, 16> spareArguments;

/// What `work` gives; its errors, which do not name a call, begin with `call`.
template <class Work>
auto prefixed(std::string_view call, Work &&work) {
  try {
    return work();
  } catch (const Error &error) {
    throw Error(error.status(), std::string(call) + ": " + error.what(), error.code_name());
  }
}

/// Hands a program the memory of given tensors.
class IntoSink final : public ResultSink {
public:
  IntoSink(const std::vector<GraphPort> &ports, const std::vector<Tensor> &outputs, std::string_view call)
      : ports(ports), outputs(outputs), call(call) {}

  void *allocate(size_t index, size_t bytes) override {
    size_t room = ClikaRT::detail::concrete(outputs[index], call).elements * ClikaRT::item_size(ports[index].dtype);
    if (bytes != room)
      throw Error(Status::InvalidArgument, "the output " + quote(ports[index].name) + " has " + std::to_string(bytes) +
                                               " bytes, and the tensor given for it " + std::to_string(room));
    return ClikaRT::detail::resultData(outputs[index], call);
  }
  void shape(size_t index, const int64_t *sizes, size_t rank) override {
    if (!std::ranges::equal(std::span(sizes, rank), ClikaRT::detail::concrete(outputs[index], call).sizes))
      throw Error(Status::InvalidArgument, "the output " + quote(ports[index].name) + " has the shape " +
                                               ClikaRT::shape_string(ClikaRT::Shape(sizes, sizes + rank)) +
                                               ", and the tensor given for it " +
                                               ClikaRT::shape_string(outputs[index].shape()));
  }

private:
  const std::vector<GraphPort> &ports;
  const std::vector<Tensor> &outputs;
  std::string_view call;
};

std::pair<const char *, const char *> rangeOf(const Tensor &tensor) {
  const auto &data = ClikaRT::detail::concrete(tensor, "run_into");
  const auto *begin = static_cast<const char *>(data.data);
  return {begin, begin + data.elements * ClikaRT::item_size(data.type)};
}

void checkApart(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
                const std::vector<GraphPort> &ports, std::string_view call) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto [begin, end] = rangeOf(outputs[i]);
    auto overlaps = [&](const Tensor &other) {
      auto [otherBegin, otherEnd] = rangeOf(other);
      return begin < otherEnd && otherBegin < end;
    };
    bool shared = std::ranges::any_of(inputs, overlaps);
    for (size_t j = 0; j < i; ++j)
      shared |= overlaps(outputs[j]);
    if (shared)
      invalid(call, "the tensor given for the output " + quote(ports[i].name) +
                        " shares memory with an input or another output; give one of its own, of Tensor::empty");
  }
}

} // namespace

std::shared_ptr<CompiledGraph> CompiledGraph::of(Query &query) {
  if (!query->compiled)
    precondition(query.call, "the graph has not been finalized; call finalize() first");
  return query->compiled;
}

CompiledGraph::Arguments CompiledGraph::argumentsOf(const std::vector<Tensor> &inputs, std::string_view call) const {
  Arguments arguments = std::move(spareArguments);
  arguments.clear();
  for (const Tensor &tensor : inputs) {
    const auto &data = ClikaRT::detail::concrete(tensor, call);
    arguments.push_back({data.data, data.sizes.data()});
  }
  return arguments;
}

std::vector<Tensor> CompiledGraph::run(const std::vector<Tensor> &inputs, std::string_view call) const {
  checkInputs(inputPorts, inputs, call);
  auto describe = [&](size_t i) { return "the output " + quote(outputPorts[i].name); };
  return prefixed(call, [&] {
    Arguments arguments = argumentsOf(inputs, call);
    std::vector<Tensor> results = runProgram(*program, arguments, outputDtypes, describe);
    spareArguments = std::move(arguments);
    return results;
  });
}

void CompiledGraph::runInto(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs,
                            std::string_view call) const {
  checkInputs(inputPorts, inputs, call);
  if (outputs.size() != outputPorts.size())
    invalid(call, counted(outputs.size(), "output was", "outputs were") + " given; the graph has " +
                      std::to_string(outputPorts.size()) + ": " + listNames(outputPorts));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &data = ClikaRT::detail::concrete(outputs[i], call);
    bool fits = data.type == outputPorts[i].dtype && data.sizes.size() == outputPorts[i].dims.size();
    for (size_t d = 0; fits && d < data.sizes.size(); ++d)
      if (auto size = constantOf(outputPorts[i].dims[d]))
        fits = *size == data.sizes[d];
    if (!fits)
      invalid(call, "the tensor given for the output " + quote(outputPorts[i].name) + " is " + outputs[i].to_string() +
                        "; the graph makes " + std::string(ClikaRT::data_type_name(outputPorts[i].dtype)) +
                        shapeOf(outputPorts[i]));
    if (data.elements > 0 && !ClikaRT::detail::resultData(outputs[i], call))
      invalid(call, "the tensor given for the output " + quote(outputPorts[i].name) +
                        " has data that may not change: Tensor::empty did not make it, or it is a constant of a graph; "
                        "make one with Tensor::empty (Python: clika_runtime.empty)");
  }
  checkApart(inputs, outputs, outputPorts, call);
  IntoSink sink(outputPorts, outputs, call);
  prefixed(call, [&] {
    Arguments arguments = argumentsOf(inputs, call);
    program->invoke(arguments.data(), sink);
    spareArguments = std::move(arguments);
  });
}

} // namespace clika

namespace ClikaRT::graph {
namespace {

std::shared_ptr<CompiledGraph> compiledOf(const std::shared_ptr<GraphCore> &core, std::string_view call) {
  Query query(core, call);
  return CompiledGraph::of(query);
}

} // namespace

std::vector<Tensor> ModelGraph::run(const std::vector<Tensor> &inputs) {
  return compiledOf(core_, "run")->run(inputs, "run");
}

std::map<std::string, Tensor> ModelGraph::run_named(const std::map<std::string, Tensor> &inputs) {
  std::shared_ptr<CompiledGraph> compiled = compiledOf(core_, "run_named");
  for (const auto &[name, tensor] : inputs)
    if (std::ranges::none_of(compiled->inputs(), [&](const GraphPort &port) { return port.name == name; }))
      invalid("run_named",
              "the graph has no input " + quote(name) + "; its inputs are: " + listNames(compiled->inputs()));
  std::vector<Tensor> list;
  for (const GraphPort &port : compiled->inputs()) {
    auto found = inputs.find(port.name);
    if (found == inputs.end())
      invalid("run_named", "the input " + quote(port.name) +
                               " is missing; the graph's inputs are: " + listNames(compiled->inputs()));
    list.push_back(found->second);
  }
  std::vector<Tensor> results = compiled->run(list, "run_named");
  std::map<std::string, Tensor> named;
  for (std::size_t i = 0; i < results.size(); ++i)
    named[compiled->outputs()[i].name] = results[i];
  return named;
}

void ModelGraph::run_into(const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs) {
  compiledOf(core_, "run_into")->runInto(inputs, outputs, "run_into");
}

} // namespace ClikaRT::graph
