// Does to a graph what a log of rewrites says.
#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Functions.h"
#include "Dialect/NodeIdentity.h"
#include "Transforms/NodeListener.h"
#include "Transforms/RegionPath.h"
#include "Transforms/RewriteLogText.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace clika {
namespace {

using namespace rewrite_log;

/// A constant of `key`'s resource where that holds the same; else one that keeps the key if it is free.
DenseResourceElementsAttr withKey(DenseResourceElementsAttr resource, StringRef key) {
  if (resource.getRawHandle().getKey() == key)
    return resource;
  auto *dialect = resource.getRawHandle().getDialect();
  auto *interface = dialect->getRegisteredInterface<ResourceBlobManagerDialectInterface>();
  DialectResourceBlobManager::BlobEntry *entry = interface->getBlobManager().lookup(key);
  if (!entry || !entry->getBlob())
    return resource;
  auto known = DenseResourceElementsAttr::get(resource.getType(), DenseResourceElementsHandle(entry, dialect));
  ConstantData ours = constantData(resource), theirs = constantData(known);
  return theirs.valid && ours.bytes == theirs.bytes ? known : resource;
}

/// A graph while steps are done to it.
class Replay {
public:
  /// `graph` is a graph whose operators have names.
  Replay(func::FuncOp graph, std::vector<int64_t> &inputs) : function(graph), inputs(inputs) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      inputs.push_back(i);
      places[textOf(function.getArgAttr(i, kNode))] = i;
    }
    for (Operation &op : body().without_terminator())
      nodes[identityOf(&op)->name.getValue()] = &op;
  }

  llvm::Error take(func::FuncOp step) {
    if (llvm::Error error = resolve(step))
      return error;
    auto newInputs = step->getAttrOfType<ArrayAttr>(kInputs);
    if (newInputs)
      if (llvm::Error error = addInputs(newInputs))
        return error;
    if (llvm::Error error = place(step))
      return error;
    if (auto outputs = step->getAttrOfType<ArrayAttr>(kOutputs))
      if (llvm::Error error = setOutputs(outputs))
        return error;
    if (llvm::Error error = remove())
      return error;
    return newInputs ? removeInputs(newInputs) : llvm::Error::success();
  }

  void restoreKey(Operation *copy) {
    auto key = dyn_cast_or_null<StringAttr>(copy->removeDiscardableAttr(kKey));
    auto constant = dyn_cast<ConstantOp>(copy);
    auto resource = constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue()) : nullptr;
    if (key && resource)
      constant.setValueAttr(withKey(resource, key.getValue()));
  }

private:
  Block &body() { return function.getBody().front(); }

  /// What to say further of a name that no node of the graph itself has.
  std::string elsewhere(StringRef name) {
    std::string path;
    function.walk([&](Operation *op) {
      NodeIdentity *identity = identityOf(op);
      if (identity && identity->name && identity->name.getValue() == name && path.empty())
        path = regionPath(*op->getBlock());
    });
    return path.empty() ? ""
                        : ", but for one inside of " + quoted(path) +
                              "; a step tells of the graph's own nodes, and holds the whole of one that has regions";
  }

  /// Finds what the step removes and takes the place of, and frees their names.
  llvm::Error resolve(func::FuncOp step) {
    removed.clear();
    replaced.clear();
    SmallVector<StringRef> freed;
    auto find = [&](StringAttr name) -> llvm::Expected<Operation *> {
      auto found = nodes.find(name.getValue());
      if (found == nodes.end())
        return refusal("the graph has no node " + quoted(name) + elsewhere(name));
      freed.push_back(name.getValue());
      return found->second;
    };
    const SmallVector<StringAttr> gone = *textsOf(step, kRemoved), was = *textsOf(step, kWas);
    for (StringAttr name : gone) {
      auto op = find(name);
      if (!op)
        return op.takeError();
      removed.push_back(*op);
    }
    for (StringAttr name : was) {
      replaced.push_back(nullptr);
      if (name.empty())
        continue;
      auto op = find(name);
      if (!op)
        return op.takeError();
      replaced.back() = *op;
    }
    for (StringRef name : freed)
      if (!nodes.erase(name))
        return refusal("two of its changes are to the node " + quoted(name));
    return llvm::Error::success();
  }

  /// The value of a name, as result `result` of its node; null where there is none.
  Value valueOf(StringRef name, int64_t result) {
    if (auto place = places.find(name); place != places.end())
      return result == 0 ? body().getArgument(place->second) : Value();
    auto node = nodes.find(name);
    if (node == nodes.end() || result < 0 || result >= node->second->getNumResults())
      return {};
    return node->second->getResult(static_cast<unsigned>(result));
  }

  llvm::Error place(func::FuncOp step) {
    IRMapping mapping;
    for (BlockArgument argument : step.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto number = step.getArgAttrOfType<IntegerAttr>(i, kResult);
      std::string name = textOf(step.getArgAttr(i, kNode));
      Value value = valueOf(name, number ? number.getInt() : 0);
      if (!value || value.getType() != argument.getType())
        return refusal("it reads " + quoted(name) + ", which the graph " +
                       (value ? std::string("has of another type") : "does not have" + elsewhere(name)));
      mapping.map(argument, value);
    }
    OpBuilder builder(function.getContext());
    SmallVector<StringAttr> behind = *textsOf(step, kBehind);
    for (auto [i, op] : llvm::enumerate(step.getBody().front().without_terminator())) {
      StringRef name = identityOf(&op)->name.getValue();
      if (nodes.contains(name) || places.contains(name))
        return refusal("it names a node " + quoted(name) + ", and the graph has one of that name");
      auto before = nodes.find(behind[i].getValue());
      if (!behind[i].empty() && before == nodes.end())
        return refusal("the graph has no node " + quoted(behind[i]) + " for " + quoted(name) + " to stand behind" +
                       elsewhere(behind[i]));
      Block::iterator where = behind[i].empty() ? body().begin() : std::next(before->second->getIterator());
      builder.setInsertionPoint(&body(), where);
      Operation *copy = builder.clone(op, mapping);
      restoreKey(copy);
      nodes[name] = copy;
      if (Operation *old = replaced[i])
        takeOver(old, copy);
    }
    return llvm::Error::success();
  }

  /// `next` stands for `old` from here on, with its handle.
  void takeOver(Operation *old, Operation *next) {
    for (auto [before, after] : llvm::zip(old->getResults(), next->getResults()))
      before.replaceAllUsesWith(after);
    identityOf(next)->id = identityOf(old)->id;
    removed.push_back(old);
  }

  /// What the step removes or puts another in the place of, all at once: these may read each other.
  llvm::Error remove() {
    for (Operation *op : removed)
      op->dropAllReferences();
    for (Operation *op : removed) {
      if (!op->use_empty())
        return refusal("it removes " + quoted(identityOf(op)->name) + ", or an output of it, which is read");
      op->erase();
    }
    return llvm::Error::success();
  }

  /// Gives the inputs their names, and adds those that are new.
  llvm::Error addInputs(ArrayAttr list) {
    Builder builder(function.getContext());
    places.clear();
    unsigned last = 0;
    for (Attribute entry : list) {
      auto fields = dyn_cast<ArrayAttr>(entry);
      auto name = fields && fields.size() == 3 ? dyn_cast<StringAttr>(fields[0]) : nullptr;
      auto type = name ? dyn_cast<TypeAttr>(fields[1]) : nullptr;
      auto place = type ? dyn_cast<IntegerAttr>(fields[2]) : nullptr;
      if (!place || !isa<RankedTensorType, NoneType>(type.getValue()))
        return refusal("its list of inputs is none");
      int64_t at = place.getInt();
      if (at >= 0 && (at < last || at >= static_cast<int64_t>(function.getNumArguments()) ||
                      function.getArgument(at).getType() != type.getValue()))
        return refusal("the graph's input " + std::to_string(at) + " is not what it was for the input " + quoted(name));
      if (at < 0) {
        at = function.getNumArguments();
        if (failed(function.insertArgument(at, type.getValue(), {}, builder.getUnknownLoc())))
          return refusal("the graph takes no further input");
        inputs.push_back(-1);
      }
      function.setArgAttr(at, kNode, name);
      if (!places.try_emplace(name.getValue(), at).second || nodes.contains(name.getValue()))
        return refusal("it names an input " + quoted(name) + ", and the graph has that name already");
      last = at + 1;
    }
    return llvm::Error::success();
  }

  /// Removes the inputs that `list` does not hold.
  llvm::Error removeInputs(ArrayAttr list) {
    for (unsigned i = function.getNumArguments(); i-- > 0;) {
      std::string name = textOf(function.getArgAttr(i, kNode));
      if (auto kept = places.find(name); kept != places.end() && kept->second == i)
        continue;
      if (!function.getArgument(i).use_empty())
        return refusal("it removes the input " + quoted(name) + ", which is read");
      if (failed(function.eraseArgument(i)))
        return refusal("the input " + quoted(name) + " cannot be removed");
      inputs.erase(inputs.begin() + i);
    }
    places.clear();
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      places[textOf(function.getArgAttr(i, kNode))] = i;
    return llvm::Error::success();
  }

  llvm::Error setOutputs(ArrayAttr list) {
    Builder builder(function.getContext());
    SmallVector<Value> values;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (Attribute entry : list) {
      auto fields = dyn_cast<ArrayAttr>(entry);
      auto name = fields && fields.size() == 3 ? dyn_cast<StringAttr>(fields[0]) : nullptr;
      auto node = name ? dyn_cast<StringAttr>(fields[1]) : nullptr;
      auto result = node ? dyn_cast<IntegerAttr>(fields[2]) : nullptr;
      Value value = result ? valueOf(node.getValue(), result.getInt()) : Value();
      if (!value)
        return refusal("an output of it is no value of the graph" + (node ? ": " + quoted(node) : std::string()));
      values.push_back(value);
      types.push_back(value.getType());
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNode, name)));
    }
    function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), types));
    function.setAllResultAttrs(attributes);
    body().back().setOperands(values);
    return llvm::Error::success();
  }

  func::FuncOp function;
  std::vector<int64_t> &inputs;
  llvm::StringMap<unsigned> places;
  llvm::StringMap<Operation *> nodes;
  /// Of the step at hand.
  SmallVector<Operation *> removed, replaced;
};

bool hasNamedNodes(func::FuncOp function) {
  return function && !function.isExternal() && llvm::hasSingleElement(function.getBody()) &&
         llvm::all_of(function.getBody().front().without_terminator(), [](Operation &op) {
           NodeIdentity *identity = identityOf(&op);
           return identity && identity->name;
         });
}

/// Puts the private functions into the graph that the step changed or added, and drops those that it removed. Nodes
/// that are known by their names keep their handles.
llvm::Error takeFunctions(Replay &replay, ModuleOp log, ModuleOp graph, func::FuncOp step) {
  std::optional<SmallVector<StringAttr>> order = textsOf(step, kFunctions);
  std::vector<func::FuncOp> changed = functionsOf(log, step);
  if (!order)
    return changed.empty() ? llvm::Error::success() : refusal("it does not say which private functions there are");
  llvm::StringMap<func::FuncOp> functions;
  llvm::StringMap<uint64_t> ids;
  for (func::FuncOp function : privateFunctions(graph)) {
    functions[function.getName()] = function;
    function.walk([&](Operation *op) {
      if (NodeIdentity *identity = identityOf(op))
        ids[identity->name.getValue()] = identity->id;
    });
  }
  for (func::FuncOp function : changed) {
    std::string name = textOf(function->getAttr(kFunction));
    if (name == graphOf(graph).getName())
      return refusal("it has a private function of the graph's name");
    auto next = cast<func::FuncOp>(function->clone());
    next.setName(name);
    next->removeAttr(kFunctionOf);
    next->removeAttr(kFunction);
    next.walk([&](Operation *op) {
      if (NodeIdentity *identity = identityOf(op))
        identity->id = ids.lookup(identity->name.getValue());
      replay.restoreKey(op);
    });
    func::FuncOp &place = functions[name];
    if (place)
      place.erase();
    place = next;
    graph.push_back(next);
  }
  Block *body = graph.getBody();
  for (StringAttr name : *order) {
    auto function = functions.find(name.getValue());
    if (function == functions.end())
      return refusal("the graph has no private function " + quoted(name));
    function->second->moveBefore(body, body->end());
    functions.erase(function);
  }
  for (auto &entry : functions)
    entry.second.erase();
  graphOf(graph)->moveBefore(body, body->end());
  return llvm::Error::success();
}

llvm::Error takeStep(Replay &replay, ModuleOp log, ModuleOp graph, func::FuncOp step) {
  if (llvm::Error error = takeFunctions(replay, log, graph, step))
    return error;
  return replay.take(step);
}

} // namespace

llvm::Error replayRewriteLog(ModuleOp log, ModuleOp graph, std::vector<int64_t> &inputs) {
  if (graphDigest(graph) != textOf(log->getAttr(kBefore)))
    return refusal("the log is of another graph: it begins with the graph " +
                   textOf(log->getAttr(kBefore)).substr(0, 12) + ", and this one is " +
                   graphDigest(graph).substr(0, 12) +
                   "; replay it on the graph that it was recorded on, names included");
  func::FuncOp function = graphOf(graph);
  if (!hasNamedNodes(function))
    return refusal("the module's first function is no graph whose operators all have names");
  if (!llvm::all_of(privateFunctions(graph), hasNamedNodes))
    return refusal("a private function of the module has operators without names");
  inputs.clear();
  Replay replay(function, inputs);
  for (auto [number, step] : llvm::enumerate(stepsOf(log)))
    if (llvm::Error error = takeStep(replay, log, graph, step))
      return refusal("step " + std::to_string(number) + " (" + textOf(step->getAttr(kTransform)) +
                     ") does not fit the graph: " + llvm::toString(std::move(error)));
  if (Attribute device = log->getAttr(kTargetDeviceAttr))
    graph->setAttr(kTargetDeviceAttr, device);
  else
    graph->removeAttr(kTargetDeviceAttr);
  if (auto ring = sortFunctions(graph); !ring.empty())
    return refusal("the log leads to functions that call each other: " + ringText(ring));
  DiagnosticCapture capture(graph.getContext());
  if (failed(verify(graph)))
    return refusal("the log leads to no valid graph: " + capture.message("it does not verify"));
  if (graphDigest(graph) != textOf(log->getAttr(kAfter)))
    return refusal("the log leads to another graph than the one it was recorded with; it has been changed, or was "
                   "written by another release");
  return llvm::Error::success();
}

} // namespace clika
