#include "IO/Onnx/Structure.h"

#include <functional>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

namespace clika::onnx {
namespace {

using ClikaRT::Status;
using Names = std::unordered_set<std::string_view>;

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

[[noreturn]] void failGraph(const std::string &where, const std::string &text) {
  fail(Status::InvalidArgument, where + ": " + text);
}

void collectCaptured(const Graph &graph, std::vector<std::string_view> &captured) {
  Names defined;
  for (const ValueInfo &input : graph.inputs)
    defined.insert(input.name);
  for (const Tensor &initializer : graph.initializers)
    defined.insert(initializer.name);
  for (const Node &node : graph.nodes)
    defined.insert(node.outputs.begin(), node.outputs.end());
  auto use = [&](std::string_view name) {
    if (!name.empty() && !defined.count(name))
      captured.push_back(name);
  };
  for (const Node &node : graph.nodes) {
    for (std::string_view input : node.inputs)
      use(input);
    for (std::string_view name : capturedNames(node))
      use(name);
  }
  for (const ValueInfo &output : graph.outputs)
    use(output.name);
}

/// The node that defines each name, by index; `known` names stand for themselves and are left out.
class Dependencies {
public:
  Dependencies(const std::vector<Node> &nodes, const std::vector<std::string_view> &known, const std::string &where)
      : nodes(nodes), known(known.begin(), known.end()), where(where) {
    for (size_t i = 0; i < nodes.size(); ++i)
      for (std::string_view output : nodes[i].outputs)
        define(output, i);
  }

  /// Calls `edge(producer)` for every producer that node `reader` waits for.
  template <class Edge>
  void visit(size_t reader, Edge edge) const {
    auto read = [&](std::string_view name) {
      if (name.empty() || known.count(name))
        return;
      auto producer = producers.find(name);
      if (producer == producers.end())
        failGraph(where, describe(nodes[reader]) + " reads " + quoted(name) + ", which nothing defines");
      edge(producer->second);
    };
    for (std::string_view input : nodes[reader].inputs)
      read(input);
    for (std::string_view captured : capturedNames(nodes[reader]))
      read(captured);
  }

  bool defines(std::string_view name) const { return known.count(name) || producers.count(name); }

private:
  void define(std::string_view name, size_t index) {
    if (name.empty())
      return;
    if (known.count(name))
      failGraph(where, describe(nodes[index]) + " defines " + quoted(name) + ", which is an input or initializer");
    auto [entry, isNew] = producers.emplace(name, index);
    if (!isNew)
      failGraph(where, quoted(name) + " is defined twice, by " + describe(nodes[entry->second]) + " and by " +
                           describe(nodes[index]));
  }

  const std::vector<Node> &nodes;
  Names known;
  const std::string &where;
  std::unordered_map<std::string_view, size_t> producers;
};

/// Follows unfinished producers until a node comes again, and names the nodes between.
std::string describeCycle(const std::vector<Node> &nodes, const Dependencies &dependencies,
                          const std::vector<size_t> &waiting) {
  size_t at = 0;
  while (waiting[at] == 0)
    ++at;
  std::vector<size_t> path;
  std::map<size_t, size_t> position;
  while (position.emplace(at, path.size()).second) {
    path.push_back(at);
    size_t next = at;
    dependencies.visit(at, [&](size_t producer) {
      if (waiting[producer] != 0)
        next = producer;
    });
    at = next;
  }
  std::string text = describe(nodes[at]);
  size_t start = position[at], shown = 0;
  for (size_t i = path.size(); i-- > start && shown < 8; ++shown)
    text += " -> " + describe(nodes[path[i]]);
  return text;
}

void checkUnique(const std::vector<std::string_view> &names, const std::string &where, const char *kind) {
  Names seen;
  for (std::string_view name : names) {
    if (name.empty())
      failGraph(where, std::string("an ") + kind + " has no name");
    if (!seen.insert(name).second)
      failGraph(where, std::string("two ") + kind + "s are named " + quoted(name));
  }
}

using FunctionKey = std::pair<std::string_view, std::string_view>;

void checkRecursion(const Model &model) {
  std::multimap<FunctionKey, const Function *> byName;
  for (const Function &function : model.functions)
    byName.emplace(FunctionKey(function.domain, function.name), &function);
  std::map<const Function *, bool> isDone;
  constexpr size_t maxDepth = 256;
  std::function<void(const Function &, size_t)> visit = [&](const Function &function, size_t depth) {
    if (depth > maxDepth)
      fail(Status::InvalidArgument, "functions call each other more than " + std::to_string(maxDepth) + " deep");
    auto [state, isNew] = isDone.emplace(&function, false);
    if (!isNew) {
      if (!state->second)
        fail(Status::InvalidArgument, "the function '" + std::string(function.name) + "' calls itself");
      return;
    }
    for (const Node &node : function.nodes) {
      auto [first, last] = byName.equal_range(FunctionKey(node.domain, node.opType));
      for (; first != last; ++first)
        if (first->second->overload == node.overload)
          visit(*first->second, depth + 1);
    }
    isDone[&function] = true;
  };
  for (const Function &function : model.functions)
    visit(function, 0);
}

void checkImports(const std::vector<OpsetImport> &opsets, const std::string &where) {
  std::map<std::string_view, int64_t> versions;
  for (const OpsetImport &import : opsets) {
    auto [entry, isNew] = versions.emplace(import.domain, import.version);
    if (!isNew && entry->second != import.version)
      fail(Status::InvalidArgument, where + " imports versions " + std::to_string(entry->second) + " and " +
                                        std::to_string(import.version) + " of the operator set " +
                                        quoted(import.domain.empty() ? "ai.onnx" : import.domain));
  }
}

void checkFunctions(const Model &model) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  for (const Function &function : model.functions) {
    if (function.name.empty())
      fail(Status::Io, "the function at byte " + std::to_string(function.offset) + " has no name");
    if (!seen.emplace(function.domain, function.name, function.overload).second)
      fail(Status::InvalidArgument, "the function '" + std::string(function.name) + "' is defined twice");
    checkImports(function.opsets, "the function '" + std::string(function.name) + "'");
  }
  checkRecursion(model);
}

} // namespace

std::vector<std::string_view> capturedNames(const Node &node) {
  std::vector<std::string_view> captured;
  for (const Attribute &attribute : node.attributes)
    for (const auto &graph : attribute.graphs)
      collectCaptured(*graph, captured);
  return captured;
}

std::vector<const Node *> orderNodes(const std::vector<Node> &nodes, const std::vector<std::string_view> &known,
                                     const std::vector<std::string_view> &outputs, const std::string &where) {
  Dependencies dependencies(nodes, known, where);
  std::vector<size_t> waiting(nodes.size(), 0);
  std::vector<std::vector<size_t>> readers(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].opType.empty())
      failGraph(where, "the node at byte " + std::to_string(nodes[i].offset) + " has no operator type");
    dependencies.visit(i, [&](size_t producer) {
      readers[producer].push_back(i);
      ++waiting[i];
    });
  }
  for (std::string_view output : outputs)
    if (!dependencies.defines(output))
      failGraph(where, "the output " + quoted(output) + " is defined by nothing");

  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (waiting[i] == 0)
      ready.push(i);
  std::vector<const Node *> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    size_t index = ready.top();
    ready.pop();
    order.push_back(&nodes[index]);
    for (size_t reader : readers[index])
      if (--waiting[reader] == 0)
        ready.push(reader);
  }
  if (order.size() != nodes.size())
    failGraph(where, "the nodes form a cycle: " + describeCycle(nodes, dependencies, waiting));
  return order;
}

void checkModel(const Model &model) {
  if (!model.graph)
    fail(Status::Io, "the file holds no graph; it is cut off or not an ONNX model");
  if (model.opsets.empty())
    fail(Status::Io, "the file imports no operator set; it is cut off or not an ONNX model");
  checkImports(model.opsets, "the model");
  std::vector<std::string_view> names;
  for (const ValueInfo &input : model.graph->inputs)
    names.push_back(input.name);
  checkUnique(names, "graph", "input");
  names.clear();
  for (const Tensor &initializer : model.graph->initializers)
    names.push_back(initializer.name);
  for (const SparseTensor &initializer : model.graph->sparseInitializers)
    names.push_back(initializer.values.name);
  checkUnique(names, "graph", "initializer");
  names.clear();
  for (const ValueInfo &output : model.graph->outputs)
    names.push_back(output.name);
  checkUnique(names, "graph", "output");
  checkFunctions(model);
}

} // namespace clika::onnx
