#include "API/Core.h"

#include "API/BuildOp.h"
#include "API/Fail.h"
#include "Dialect/ConstantData.h"
#include "Dialect/ControlOps.h"
#include "Dialect/Dialect.h"
#include "Dialect/Functions.h"
#include "Dialect/ModuleAttributes.h"
#include "Dialect/Shape.h"
#include "Pipelines/Evaluator.h"
#include "mlir/IR/Builders.h"

#include <ClikaRT/transform.h>

using namespace mlir;
using ClikaRT::graph::Node;

namespace clika {
namespace {

constexpr StringLiteral kMainName = "main";

OwningOpRef<ModuleOp> emptyModule(MLIRContext *context, llvm::StringRef name) {
  Location location = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location, name.empty() ? std::optional<StringRef>() : name);
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  auto main = func::FuncOp::create(builder, location, kMainName, builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  func::ReturnOp::create(builder, location);
  return module;
}

/// The names in `attributes`, completed with `base`_N where one is missing or taken.
std::vector<StringAttr> completeNames(MLIRContext *context, unsigned count,
                                      llvm::function_ref<StringAttr(unsigned)> given, llvm::StringRef base) {
  std::vector<StringAttr> names(count);
  llvm::DenseSet<StringAttr> taken;
  for (unsigned i = 0; i < count; ++i)
    if (StringAttr name = given(i); name && !name.empty() && taken.insert(name).second)
      names[i] = name;
  unsigned next = 0;
  for (StringAttr &name : names)
    while (!name) {
      StringAttr fresh = StringAttr::get(context, base + "_" + llvm::Twine(next++));
      if (taken.insert(fresh).second)
        name = fresh;
    }
  return names;
}

/// "the clika.relu 'relu_1'", for an operation that is not of a graph yet.
std::string describeOp(Operation *op) {
  NodeIdentity *identity = identityOf(op);
  std::string text = "the " + op->getName().getStringRef().str();
  return identity && identity->name ? text + " " + quote(identity->name.getValue()) : text;
}

/// Refuses names that the text gives to two inputs, or to two outputs, or that are none.
void checkGivenNames(func::FuncOp function, std::string_view call) {
  auto check = [&](unsigned count, llvm::function_ref<Attribute(unsigned)> given, const std::string &kind) {
    llvm::DenseSet<Attribute> taken;
    for (unsigned i = 0; i < count; ++i) {
      Attribute attribute = given(i);
      auto name = dyn_cast_or_null<StringAttr>(attribute);
      if (attribute && (!name || name.empty()))
        invalid(call, "the " + std::string(kNameAttr) + " of " + kind + " " + std::to_string(i) +
                          " is no name; give a text that is not empty");
      if (name && !taken.insert(name).second)
        invalid(call, "two " + kind + "s are named " + quote(name.getValue()) + "; names are unique, so give another");
    }
  };
  check(function.getNumArguments(), [&](unsigned i) { return function.getArgAttr(i, kNameAttr); }, "input");
  check(function.getNumResults(), [&](unsigned i) { return function.getResultAttr(i, kNameAttr); }, "output");
}

/// An argument of region r, number a, is value kRegionArgument + r * kMostArguments + a of its operator.
constexpr uint32_t kRegionArgument = uint32_t{1} << 31, kMostArguments = uint32_t{1} << 24;

/// Null where there is none.
Value valueIn(Operation *op, uint32_t number) {
  if (number < kRegionArgument)
    return number < op->getNumResults() ? op->getResult(number) : Value();
  unsigned region = (number - kRegionArgument) / kMostArguments, argument = number % kMostArguments;
  if (region >= op->getNumRegions() || argument >= op->getRegion(region).getNumArguments())
    return {};
  return op->getRegion(region).getArgument(argument);
}

const NodeSlot &liveSlot(const NodeIndex &index, uint64_t id, std::string_view call) {
  const NodeSlot *slot = index.slot(id);
  if (!slot)
    notFound(call, "the handle is of no node; take handles from the graph's queries");
  if (!slot->live())
    notFound(call, "the node " + quote(slot->name.getValue()) +
                       " has been removed from the graph; "
                       "take a new handle from nodes() or find_node()");
  return *slot;
}

} // namespace

void CoreListener::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  ++core.changes;
  core.index.inserted(op);
}
void CoreListener::notifyOperationModified(Operation *op) {
  ++core.changes;
  core.index.modified(op);
}
void CoreListener::notifyOperationErased(Operation *op) {
  ++core.changes;
  core.index.erased(op);
}
void CoreListener::identityMoved(Operation *, Operation *to) { core.index.moved(to); }

GraphCore::GraphCore(std::shared_ptr<GraphContext> shared, llvm::StringRef name) : context(std::move(shared)) {
  moduleOp = emptyModule(mlir(), name);
  bindModule();
}

GraphCore::~GraphCore() {
  ConstantPin pin(mlir());
  index = NodeIndex();
}

std::string GraphCore::name() const {
  std::optional<StringRef> symbol = module().getSymName();
  return symbol ? symbol->str() : "graph";
}

void GraphCore::bindModule() {
  mainOp = graphFunction(module());
  body = &mainOp.getBody().front();
}

void GraphCore::rebuildIndex(const std::vector<uint64_t> &inputIds, const FunctionIds &functionIds) {
  std::vector<std::pair<StringAttr, Operation *>> functions;
  for (func::FuncOp function : privateFunctions(module()))
    functions.emplace_back(function.getSymNameAttr(), function);
  std::vector<StringAttr> names = inputNames();
  index.rebuild({*body, inputIds, names, functions}, functionIds);
}

OwningOpRef<ModuleOp> GraphCore::exchange(OwningOpRef<ModuleOp> next, const std::vector<uint64_t> &inputIds,
                                          const FunctionIds &functionIds) {
  std::swap(moduleOp, next);
  bindModule();
  rebuildIndex(inputIds, FunctionIds(functionIds));
  return next;
}

func::FuncOp GraphCore::functionOf(const std::string &name, std::string_view call) const {
  std::string known;
  for (func::FuncOp function : privateFunctions(module())) {
    if (function.getName() == name)
      return function;
    known += (known.empty() ? "" : ", ") + quote(function.getName());
  }
  notFound(call, "the graph has no private function " + quote(name) + "; it has " + (known.empty() ? "none" : known));
}

void GraphCore::reindex(std::string_view call) {
  auto functions = module().getOps<func::FuncOp>();
  auto found = llvm::find_if(functions, [](func::FuncOp function) { return function.isPublic(); });
  if (found == functions.end() || (*found).isExternal() || !llvm::hasSingleElement((*found).getBody()) ||
      (*found).getNumArguments() != index.inputIds().size())
    fail(Status::Internal, call, "the passes left no public function of one block with the graph's inputs");
  mainOp = *found;
  body = &mainOp.getBody().front();
  for (func::FuncOp function : functions) {
    if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
      fail(Status::Internal, call, "the passes left a function " + quote(function.getName()) + " without one block");
    for (Operation &op : function.getBody().front())
      if (!isa<NodeOp, func::ReturnOp>(op))
        fail(Status::Internal, call,
             "the passes left the operation '" + op.getName().getStringRef().str() +
                 "', and a graph holds only clika operators");
  }
  if (auto ring = sortFunctions(module()); !ring.empty())
    fail(Status::Internal, call, "the passes left functions that call each other: " + ringText(ring));
  for (StringAttr name : inputNames())
    if (!name)
      fail(Status::Internal, call, "the passes took the name of an input of the graph");
  rebuildIndex(std::vector<uint64_t>(index.inputIds()), FunctionIds(index.functionIds()));
}

void GraphCore::adopt(OwningOpRef<ModuleOp> next, std::string_view call) {
  if ((*next)->hasAttr(kLogVersionAttr))
    invalid(call, "the module is a log of rewrites, and no graph; read it with RewriteLog");
  func::FuncOp function;
  for (Operation &op : *next->getBody()) {
    auto candidate = dyn_cast<func::FuncOp>(op);
    if (candidate && candidate.isPublic() && function)
      invalid(call, "the module has more than one public function; keep one, the graph");
    if (candidate && candidate.isPublic())
      function = candidate;
  }
  if (!function || function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    invalid(call, "the module has no public function with one block; write the graph as one func.func");
  for (func::FuncOp inner : next->getOps<func::FuncOp>()) {
    checkFunction(inner, call);
    if (inner != function && inner.getName() == kMainName)
      invalid(call, "a private function is named 'main', as a graph is; give it another name");
  }
  function.setName(kMainName);
  if (auto ring = sortFunctions(*next); !ring.empty())
    invalid(call, "functions call each other: " + ringText(ring) + "; none may come to call itself, so write a loop");
  auto outputs = completeNames(
      mlir(), function.getNumResults(),
      [&](unsigned i) { return function.getResultAttrOfType<StringAttr>(i, kNameAttr); }, "output");
  for (auto [i, name] : llvm::enumerate(outputs))
    function.setResultAttr(i, kNameAttr, name);
  for (func::FuncOp inner : next->getOps<func::FuncOp>())
    nameArguments(inner, call);
  next->walk([&](Operation *op) {
    noteBroadcasts(op);
    for (Type type : op->getResultTypes()) {
      checkSize(type, "a result of " + describeOp(op), call);
      noteDimensions(type);
    }
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes()) {
        checkSize(type, "a value carried by " + describeOp(op), call);
        noteDimensions(type);
      }
    forEachResource(op, [&](DenseResourceElementsAttr resource) {
      if (!constantData(resource).valid)
        invalid(call, "the data of " + describeOp(op) + ", the resource " + quote(resource.getRawHandle().getKey()) +
                          ", is missing or of another size; give it in the text's dialect_resources, or load a saved "
                          "graph");
    });
  });
  std::swap(moduleOp, next);
  bindModule();
  index = NodeIndex();
  for (StringAttr name : inputNames())
    index.addInput(name);
  // Names of the graph's own nodes go before those of a function's.
  index.addNamed(mainOp);
  for (func::FuncOp inner : privateFunctions(module()))
    index.addFunction(inner, inner.getSymNameAttr());
}

void GraphCore::checkFunction(func::FuncOp function, std::string_view call) {
  bool isGraph = function.isPublic();
  std::string what = isGraph ? "the graph" : "the function " + quote(function.getName());
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    invalid(call, what + " has no body of one block; give it one");
  function.getBody().walk([&](Operation *op) {
    if (!isa<NodeOp, func::ReturnOp, YieldOp>(op))
      invalid(call, "the operation '" + op->getName().getStringRef().str() +
                        "' is no clika operator; a graph holds only these");
  });
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    // `none` is the type of what a file says nothing of.
    if (!(isGraph && isa<NoneType>(type)) && (!tensor || !dtypeOfElement(tensor.getElementType())))
      invalid(call,
              "an argument of " + what + " is " + describe(type) + "; it takes ranked tensors of the API's dtypes");
  }
  checkGivenNames(function, call);
}

void GraphCore::nameArguments(func::FuncOp function, std::string_view call) {
  auto names = completeNames(
      mlir(), function.getNumArguments(),
      [&](unsigned i) { return function.getArgAttrOfType<StringAttr>(i, kNameAttr); }, "input");
  for (auto [i, name] : llvm::enumerate(names)) {
    checkSize(function.getArgument(i).getType(), "the input " + quote(name.getValue()), call);
    function.setArgAttr(i, kNameAttr, name);
    noteDimensions(function.getArgument(i).getType());
  }
}

std::vector<StringAttr> GraphCore::inputNames() const {
  std::vector<StringAttr> names;
  auto function = const_cast<func::FuncOp &>(mainOp);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    names.push_back(function.getArgAttrOfType<StringAttr>(i, kNameAttr));
  return names;
}

std::vector<StringAttr> GraphCore::outputNames() const {
  std::vector<StringAttr> names;
  auto function = const_cast<func::FuncOp &>(mainOp);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    names.push_back(function.getResultAttrOfType<StringAttr>(i, kNameAttr));
  return names;
}

Operation *GraphCore::operationOf(uint64_t id, std::string_view call) const {
  const NodeSlot &slot = liveSlot(index, id, call);
  if (isConstant(slot.op))
    notFound(call, "the node " + quote(slot.name.getValue()) +
                       " has become a constant, which is a value and no node; "
                       "take a new handle from nodes() or find_node()");
  return slot.op;
}

Value GraphCore::valueOf(uint64_t id, uint32_t resultIndex, std::string_view call) const {
  const NodeSlot &slot = liveSlot(index, id, call);
  if (!slot.op)
    return body->getArgument(static_cast<unsigned>(slot.input));
  if (Value value = valueIn(slot.op, resultIndex))
    return value;
  notFound(call, "the node " + quote(nameOf(slot.op)) + " has no output " + std::to_string(resultIndex) + " any more");
}

bool GraphCore::hasValue(Operation *op, uint32_t resultIndex) { return static_cast<bool>(valueIn(op, resultIndex)); }

Value GraphCore::resolve(const ClikaRT::graph::Value &value, std::string_view call) const {
  if (!value.core())
    invalid(call, "a value given is an empty handle; take values from the graph's queries");
  if (value.core().get() != this)
    invalid(call, "a value given is of another graph ('" + value.core()->name() + "'); take it from this one, '" +
                      name() + "'");
  return valueOf(value.id(), value.index(), call);
}

Operation *GraphCore::resolve(const Node &node, std::string_view call) const {
  if (!node.core())
    invalid(call, "the node given is an empty handle; take nodes from the graph's queries");
  if (node.core().get() != this)
    invalid(call, "the node given is of another graph ('" + node.core()->name() + "'); take it from this one, '" +
                      name() + "'");
  return operationOf(node.id(), call);
}

std::pair<uint64_t, uint32_t> GraphCore::placeOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    auto result = cast<OpResult>(value);
    return {identityOf(result.getOwner())->id, result.getResultNumber()};
  }
  if (argument.getOwner() == body)
    return {index.inputIds()[argument.getArgNumber()], 0};
  Region *region = argument.getParentRegion();
  auto function = dyn_cast<func::FuncOp>(region->getParentOp());
  uint64_t holder =
      function ? index.functionIds().lookup(function.getSymNameAttr()) : identityOf(region->getParentOp())->id;
  return {holder, kRegionArgument + region->getRegionNumber() * kMostArguments + argument.getArgNumber()};
}

ClikaRT::graph::Value GraphCore::handleOf(Value value) {
  auto [id, resultIndex] = placeOf(value);
  return {shared_from_this(), id, resultIndex};
}

Node GraphCore::handleOf(Operation *op) { return {shared_from_this(), identityOf(op)->id}; }

std::string GraphCore::nameOf(Operation *op) const {
  NodeIdentity *identity = identityOf(op);
  return identity && identity->name ? identity->name.str() : std::string();
}

std::string GraphCore::nameOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == body)
      return index.slot(index.inputIds()[argument.getArgNumber()])->name.str();
    unsigned number = argument.getArgNumber();
    if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      return "@" + function.getName().str() + "/" + function.getArgAttrOfType<StringAttr>(number, kNameAttr).str();
    return nameOf(argument.getParentRegion()->getParentOp()) + "/" +
           (number == 0 ? "i" : "carried_" + std::to_string(number - 1));
  }
  auto result = cast<OpResult>(value);
  std::string name = nameOf(result.getOwner());
  return result.getOwner()->getNumResults() == 1 ? name : name + ":" + std::to_string(result.getResultNumber());
}

StringAttr GraphCore::nameAttrOf(Value value) const {
  Operation *op = value.getDefiningOp();
  const NodeIdentity *identity = op && op->getNumResults() == 1 ? identityOf(op) : nullptr;
  return identity && identity->name ? identity->name : StringAttr::get(mlir(), nameOf(value));
}

std::string GraphCore::freshDimension() {
  while (true) {
    std::string name = "dim_" + std::to_string(dimensionCounter++);
    if (dimensions.insert(name).second)
      return name;
  }
}

namespace {

std::vector<const void *> keyOf(ArrayRef<AffineExpr> sizes) {
  std::vector<const void *> key;
  for (AffineExpr size : sizes)
    key.push_back(size.getAsOpaquePointer());
  llvm::sort(key);
  return key;
}

} // namespace

std::string GraphCore::broadcastDimension(ArrayRef<AffineExpr> sizes) {
  if (sizes.empty())
    return freshDimension();
  std::string &name = broadcasts[keyOf(sizes)];
  if (name.empty())
    name = freshDimension();
  return name;
}

void GraphCore::forgetBroadcast(AffineExpr size) {
  auto symbol = dyn_cast<AffineSymbolExpr>(size);
  if (!symbol)
    return;
  StringRef name = mlir()->getOrLoadDialect<ClikaDialect>()->symbolName(symbol.getPosition()).getValue();
  std::erase_if(broadcasts, [&](const auto &entry) { return entry.second == name; });
}

void GraphCore::noteBroadcasts(Operation *op) {
  const OpInfo *info = infoOf(op);
  if (!info || !info->pointwise)
    return;
  auto *dialect = mlir()->getOrLoadDialect<ClikaDialect>();
  Dims dims = dimsOf(op->getResult(0).getType());
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    SmallVector<Dim> sizes = sizesToBroadcast(op->getOperands(), dims.size(), axis);
    if (auto symbol = dyn_cast_if_present<AffineSymbolExpr>(dim); symbol && !sizes.empty())
      broadcasts.try_emplace(keyOf(sizes), dialect->symbolName(symbol.getPosition()).str());
  }
}

void GraphCore::inheritDimensions(const GraphCore &other) {
  dimensions = other.dimensions;
  broadcasts = other.broadcasts;
  dimensionCounter = other.dimensionCounter;
}

void GraphCore::noteDimensions(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return;
  auto *dialect = mlir()->getOrLoadDialect<ClikaDialect>();
  for (Dim dim : dimsOf(tensor))
    if (dim)
      dim.walk([&](AffineExpr part) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
          dimensions.insert(dialect->symbolName(symbol.getPosition()).getValue());
      });
}

} // namespace clika
