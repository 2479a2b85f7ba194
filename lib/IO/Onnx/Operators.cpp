#include "IO/Onnx/Operators.h"

#include <algorithm>
#include <set>

namespace clika::onnx {

using ClikaRT::Status;

Operators::Operators() {
  addElementwise(*this);
  addConstants(*this);
  addControl(*this);
  addEinsum(*this);
  addLinear(*this);
  addPools(*this);
  addNorms(*this);
  addAttention(*this);
  addRecurrent(*this);
  addReductions(*this);
  addShapes(*this);
  addIndexing(*this);
  addResize(*this);
  addQuantize(*this);
}

void Operators::add(std::string_view name, BuildFunction build, int64_t since, int64_t until) {
  table[{"", name}].push_back({since, until, build});
}

void Operators::addIn(std::string_view domain, std::string_view name, BuildFunction build) {
  table[{domain, name}].push_back({1, std::numeric_limits<int64_t>::max(), build});
}

BuildFunction Operators::find(std::string_view domain, std::string_view name, int64_t opset) const {
  auto found = table.find({domain, name});
  if (found == table.end())
    return nullptr;
  for (const Range &range : found->second)
    if (opset >= range.since && opset <= range.until)
      return range.build;
  return nullptr;
}

std::vector<std::string> Operators::names() const {
  std::vector<std::string> names;
  for (const auto &[key, ranges] : table)
    names.push_back(key.first.empty() ? std::string(key.second)
                                      : std::string(key.first) + "." + std::string(key.second));
  return names;
}

const Function *findFunction(const Model &model, const Node &node) {
  for (const Function &function : model.functions)
    if (function.name == node.opType && function.domain == node.domain && function.overload == node.overload)
      return &function;
  return nullptr;
}

namespace {

class Coverage {
public:
  Coverage(const Model &model, const Operators &operators) : model(model), operators(operators) {}

  void checkTypes() {
    for (const ValueInfo &input : model.graph->inputs)
      checkInput(input);
    for (const Tensor &initializer : model.graph->initializers)
      if (elementSize(initializer.type) == 0)
        missing.push_back("the type " + elementTypeName(initializer.type) + " of initializer '" +
                          std::string(initializer.name) + "'");
    for (const SparseTensor &sparse : model.graph->sparseInitializers)
      missing.push_back("the sparse initializer '" + std::string(sparse.values.name) + "'");
  }

  void checkNodes(const std::vector<Node> &nodes, const std::vector<OpsetImport> &opsets) {
    for (const Node &node : nodes) {
      if (const Function *function = findFunction(model, node)) {
        if (visited.insert(function).second)
          checkNodes(function->nodes, function->opsets);
        continue;
      }
      auto import = std::ranges::find(opsets, node.domain, &OpsetImport::domain);
      bool isImported = import != opsets.end() || !node.domain.empty();
      if (!operators.find(node.domain, node.opType, import == opsets.end() ? 0 : import->version))
        missing.push_back(describe(node) + (isImported ? "" : ", whose operator set is not imported"));
      for (const Attribute &attribute : node.attributes)
        for (const auto &graph : attribute.graphs)
          checkNodes(graph->nodes, opsets);
    }
  }

  std::vector<std::string> missing;

private:
  void checkInput(const ValueInfo &input) {
    std::string name = "'" + std::string(input.name) + "'";
    if (input.type.kind != Type::Kind::Tensor)
      missing.push_back("the input " + name + ", which is not a tensor");
    else if (elementSize(input.type.element) == 0)
      missing.push_back("the type " + elementTypeName(input.type.element) + " of input " + name);
  }

  const Model &model;
  const Operators &operators;
  std::set<const Function *> visited;
};

void checkOpset(const std::vector<OpsetImport> &opsets, const std::string &where) {
  for (const OpsetImport &import : opsets)
    if (import.domain.empty() && !coversOpset(import.version))
      fail(Status::Unsupported, where + " imports version " + std::to_string(import.version) +
                                    " of the operator set, covered are " + std::to_string(oldestOpset) + " to " +
                                    std::to_string(newestOpset));
}

} // namespace

void checkOpsets(const Model &model) {
  checkOpset(model.opsets, "the model");
  for (const Function &function : model.functions)
    checkOpset(function.opsets, "function '" + std::string(function.name) + "'");
}

std::vector<std::string> uncoveredOf(const Model &model, const Operators &operators) {
  Coverage coverage(model, operators);
  coverage.checkTypes();
  coverage.checkNodes(model.graph->nodes, model.opsets);
  return std::move(coverage.missing);
}

} // namespace clika::onnx
