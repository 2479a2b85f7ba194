#include "IO/Onnx/Importer.h"

#include "Dialect/ConstantData.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Dialect.h"
#include "Dialect/ListSettings.h"
#include "IO/Onnx/Call.h"
#include "IO/Onnx/Opaque.h"
#include "IO/Onnx/Structure.h"
#include "Runtime/Counted.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace clika::onnx {
namespace {

constexpr unsigned maxDeferredChain = 64;

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

/// Replaces attributes that refer to the call of the function by the call's own, or the function's defaults.
Node resolveReferences(const Node &node, const Scope &scope) {
  Node resolved = node;
  resolved.attributes.clear();
  for (const Attribute &attribute : node.attributes) {
    if (attribute.refName.empty()) {
      resolved.attributes.push_back(attribute);
      continue;
    }
    const Attribute *actual = scope.call ? scope.call->find(attribute.refName) : nullptr;
    if (!actual && scope.function)
      for (const Attribute &fallback : scope.function->defaults)
        if (fallback.name == attribute.refName)
          actual = &fallback;
    if (!actual)
      continue;
    resolved.attributes.push_back(*actual);
    resolved.attributes.back().name = attribute.name;
  }
  return resolved;
}

void importOpsets(const std::vector<OpsetImport> &opsets, Scope &scope) {
  for (const OpsetImport &import : opsets)
    scope.opsets[import.domain] = import.version;
  scope.opset = scope.opsets[""];
}

} // namespace

Importer::Importer(MLIRContext &context, const Model &model, WeightReader &weights, const OnnxOptions &options)
    : builder(&context), location(UnknownLoc::get(&context)), context(context), model(model), weights(weights),
      options(options) {
  context.getOrLoadDialect<func::FuncDialect>();
  context.getOrLoadDialect<ClikaDialect>();
}

void Importer::failNode(StringRef text, ClikaRT::Status status) const {
  fail(status, (current ? describe(*current) + ": " : std::string()) + text.str());
}

void Importer::failFollowing(StringRef text) const {
  throw ClikaRT::Error(ClikaRT::Status::Unsupported,
                       "from_onnx: " + (current ? describe(*current) + ": " : std::string()) + text.str(), followsCode);
}

OwningOpRef<ModuleOp> Importer::run() {
  checkModel(model);
  if (!options.allowUnknown) {
    checkOpsets(model);
    refusals.addUncovered(uncoveredOf(model, operators));
  }
  OwningOpRef<ModuleOp> module;
  try {
    module = buildModule();
  } catch (const ClikaRT::Error &error) {
    bool isOfTheFile = isRefusal(error) || error.status() == ClikaRT::Status::Io;
    if (refusals.empty() || !isOfTheFile)
      throw;
    refusals.add(textOf(error), error.status());
  }
  if (!refusals.empty())
    refusals.raise();
  return module;
}

OwningOpRef<ModuleOp> Importer::buildModule() {
  const Graph &graph = *model.graph;
  for (const ValueInfo &value : graph.values)
    declared.emplace(value.name, &value);
  for (const ValueInfo &value : graph.outputs)
    declared.emplace(value.name, &value);
  for (const Node &node : graph.nodes)
    nodeNames.insert(std::string(node.name));

  importOpsets(model.opsets, top);
  OwningOpRef<ModuleOp> module(ModuleOp::create(builder, location));
  addInitializers(top);
  addInputs(module);
  std::vector<std::string_view> known, outputs;
  for (const auto &[name, entry] : top.entries)
    known.push_back(name);
  for (const ValueInfo &output : graph.outputs)
    outputs.push_back(output.name);
  buildNodes(graph.nodes, top, known, outputs, "graph '" + std::string(graph.name) + "'");
  checkStated(graph, top);
  finish(module);
  return module;
}

//===-- Inputs and constants -------------------------------------------------------------------------------------===//

mlir::Type Importer::elementType(ElementType type) const {
  MLIRContext *ctx = &context;
  switch (type) {
  case ElementType::Bool:
    return IntegerType::get(ctx, 1);
  case ElementType::Int8:
    return IntegerType::get(ctx, 8);
  case ElementType::Int16:
    return IntegerType::get(ctx, 16);
  case ElementType::Int32:
    return IntegerType::get(ctx, 32);
  case ElementType::Int64:
    return IntegerType::get(ctx, 64);
  case ElementType::UInt8:
    return IntegerType::get(ctx, 8, IntegerType::Unsigned);
  case ElementType::UInt16:
    return IntegerType::get(ctx, 16, IntegerType::Unsigned);
  case ElementType::UInt32:
    return IntegerType::get(ctx, 32, IntegerType::Unsigned);
  case ElementType::UInt64:
    return IntegerType::get(ctx, 64, IntegerType::Unsigned);
  case ElementType::Float16:
    return Float16Type::get(ctx);
  case ElementType::BFloat16:
    return BFloat16Type::get(ctx);
  case ElementType::Float32:
    return Float32Type::get(ctx);
  case ElementType::Float64:
    return Float64Type::get(ctx);
  default:
    std::string named = elementTypeName(type);
    failNode((StringRef(named).starts_with("unknown") ? "the " : "the type ") + named + " is not covered",
             ClikaRT::Status::Unsupported);
  }
}

/// "?" and the empty name say nothing: such a dimension, like a negative size, gets a name of its own.
Dim Importer::inputDim(const ValueInfo &input, size_t axis) {
  const Dimension &dim = (*input.type.shape)[axis];
  if (dim.size && *dim.size >= 0)
    return constantDim(&context, *dim.size);
  if (!dim.param.empty() && dim.param != "?")
    return namedDim(&context, ref(dim.param));
  return namedDim(&context, std::string(input.name) + "_" + std::to_string(axis));
}

RankedTensorType Importer::tensorType(const ValueInfo &value) {
  Dims dims;
  for (size_t axis = 0; axis < value.type.shape->size(); ++axis)
    dims.push_back(inputDim(value, axis));
  RankedTensorType type = tensorOf(dims, elementType(value.type.element));
  if (!isPossibleSize(type))
    failNode("the value " + quoted(value.name) + " is " + clika::describe(type) +
             ", more elements than memory can hold");
  return type;
}

/// Unknown where the file states no type that tensors have.
mlir::Type Importer::inputType(const ValueInfo &input) {
  bool lacksShape = input.type.kind == Type::Kind::Tensor && elementSize(input.type.element) != 0 && !input.type.shape;
  if (lacksShape && !options.allowUnknown)
    refusals.add("the input " + quoted(input.name) + " has no shape; give it one, with names for what varies",
                 ClikaRT::Status::InvalidArgument);
  return statedType(input);
}

void Importer::addInputs(OwningOpRef<ModuleOp> &module) {
  SmallVector<mlir::Type> types;
  std::vector<const ValueInfo *> inputs;
  for (const ValueInfo &input : model.graph->inputs) {
    // An input with an initializer has a default, which is taken.
    if (top.entries.count(input.name))
      continue;
    inputs.push_back(&input);
    types.push_back(inputType(input));
  }
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, location, "main", builder.getFunctionType(types, {}));
  Block *block = function.addEntryBlock();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    function.setArgAttr(static_cast<unsigned>(i), "clika.name", builder.getStringAttr(ref(input->name)));
    define(input->name, top).value = block->getArgument(static_cast<unsigned>(i));
    usedNames.insert(std::string(input->name));
  }
  builder.setInsertionPointToEnd(block);
  for (const SparseTensor &sparse : model.graph->sparseInitializers)
    define(sparse.values.name, top).value = opaqueConstant(sparse.values.name, "a sparse tensor");
}

void Importer::addInitializers(Scope &scope) {
  for (const Tensor &initializer : model.graph->initializers)
    define(initializer.name, scope).tensor = &initializer;
}

Weights Importer::weightsOf(const Tensor &tensor) {
  std::string what = tensor.name.empty() ? current ? "the constant of " + describe(*current) : "a constant"
                                         : "initializer " + quoted(tensor.name);
  return weights.read(tensor, what);
}

Value Importer::constant(ElementsAttr elements) {
  OperationState state(location, ConstantOp::getOperationName());
  state.addAttribute("value", elements);
  state.addTypes(elements.getType());
  return builder.create(state)->getResult(0);
}

ElementsAttr Importer::elements(const Tensor &tensor, std::string_view name) {
  mlir::Type element = elementType(tensor.type);
  Weights data = weightsOf(tensor);
  auto type = RankedTensorType::get(tensor.dims, element);
  ArrayRef<char> bytes(data.bytes.data(), data.bytes.size());
  return sharedConstant(type, bytes, data.owner, ref(name));
}

Value Importer::constant(const Tensor &tensor, std::string_view name) {
  Value value = constant(elements(tensor, name));
  setName(value.getDefiningOp(), std::string(name));
  return value;
}

Value Importer::scalar(mlir::Type type, double number) {
  auto tensor = RankedTensorType::get({}, type);
  if (auto floating = dyn_cast<FloatType>(type)) {
    llvm::APFloat value(number);
    bool loses = false;
    value.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return constant(DenseElementsAttr::get(tensor, value));
  }
  llvm::APInt value(64, static_cast<uint64_t>(static_cast<int64_t>(number)), true);
  return constant(DenseElementsAttr::get(tensor, value.trunc(type.getIntOrFloatBitWidth())));
}

Value Importer::ints(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), builder.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

Value Importer::valueOf(Entry &entry) {
  if (entry.value)
    return entry.value;
  if (entry.tensor && isUnknown(entry))
    return entry.value = opaqueConstant(entry.name, "a tensor of " + elementTypeName(entry.tensor->type));
  if (entry.tensor)
    return entry.value = constant(*entry.tensor, entry.name);
  if (std::optional<std::vector<int64_t>> values = entry.known ? entry.known->constants() : std::nullopt) {
    SmallVector<int64_t, 1> shape;
    if (!entry.known->isScalar)
      shape.push_back(static_cast<int64_t>(values->size()));
    SmallVector<llvm::APInt> elements;
    unsigned width = entry.known->element.getIntOrFloatBitWidth();
    for (int64_t value : *values)
      elements.push_back(llvm::APInt(64, static_cast<uint64_t>(value)).trunc(width));
    entry.value = constant(DenseElementsAttr::get(RankedTensorType::get(shape, entry.known->element), elements));
    setName(entry.value.getDefiningOp(), std::string(entry.name));
    return entry.value;
  }
  if (entry.deferred && !entry.deferred->isBuilt) {
    entry.deferred->isBuilt = true;
    const Node *outer = current;
    Location outerLocation = location;
    buildNode(*entry.deferred->node, *entry.deferred->scope);
    current = outer;
    location = outerLocation;
  }
  return entry.value;
}

const KnownInts *Importer::knownOf(Entry &entry) {
  if (!entry.known && entry.tensor) {
    const Tensor &tensor = *entry.tensor;
    bool isInt = tensor.type == ElementType::Int64 || tensor.type == ElementType::Int32;
    if (isInt && tensor.dims.size() <= 1 && (tensor.dims.empty() || tensor.dims[0] <= 64)) {
      KnownInts known;
      Weights data = weightsOf(tensor);
      unsigned size = elementSize(tensor.type);
      for (size_t at = 0; at < data.bytes.size(); at += size) {
        int64_t value = 0;
        int32_t narrow = 0;
        if (size == 8)
          std::memcpy(&value, data.bytes.data() + at, 8);
        else
          std::memcpy(&narrow, data.bytes.data() + at, 4), value = narrow;
        known.elements.push_back(constantDim(&context, value));
      }
      known.isScalar = tensor.dims.empty();
      known.element = elementType(tensor.type);
      entry.known = std::move(known);
    }
  }
  return entry.known ? &*entry.known : nullptr;
}

/// The entry of `name`, a new one where it has none: a deferred node keeps its own when it is built.
Entry &Importer::define(std::string_view name, Scope &scope) {
  std::shared_ptr<Entry> &entry = scope.entries[name];
  if (!entry) {
    entry = std::make_shared<Entry>();
    entry->name = name;
  }
  return *entry;
}

Entry &Importer::entryOf(std::string_view name, Scope &scope) {
  auto found = scope.entries.find(name);
  if (found == scope.entries.end())
    failNode("reads " + std::string(quoted(name)) + ", which is not defined");
  return *found->second;
}

//===-- Nodes ----------------------------------------------------------------------------------------------------===//

void Importer::buildNodes(const std::vector<Node> &nodes, Scope &scope, const std::vector<std::string_view> &known,
                          const std::vector<std::string_view> &outputs, const std::string &where) {
  for (const Node *node : orderNodes(nodes, known, outputs, where)) {
    bool refers = llvm::any_of(node->attributes, [](const Attribute &a) { return !a.refName.empty(); });
    if (refers)
      node = &resolved.emplace_back(resolveReferences(*node, scope));
    readNode(*node, scope);
  }
}

void Importer::readNode(const Node &node, Scope &scope) {
  current = &node;
  std::optional<Refusal> refusal;
  try {
    checkNode(node, scope);
    if (const Function *function = findFunction(model, node)) {
      callFunction(node, *function, scope);
      current = nullptr;
      return;
    }
    if (visitConstant(node, scope) || deferNode(node, scope))
      return;
  } catch (const ClikaRT::Error &error) {
    refusal = refuse(node, error);
  }
  buildNode(node, scope, refusal ? &*refusal : nullptr);
  current = nullptr;
}

/// A Constant that holds a tensor becomes one where it is read, if at all.
bool Importer::visitConstant(const Node &node, Scope &scope) {
  const Attribute *value = node.find("value");
  bool isTensor = node.domain.empty() && node.opType == "Constant" && node.outputs.size() == 1 && value &&
                  value->kind == Attribute::Kind::Tensor && elementSize(value->tensors[0].type) != 0;
  if (isTensor)
    define(node.outputs[0], scope).tensor = &value->tensors[0];
  return isTensor;
}

/// Defers a node whose integers are known, so that sizes computed only to shape tensors leave no operators behind.
bool Importer::deferNode(const Node &node, Scope &scope) {
  std::vector<Entry *> inputs;
  unsigned depth = 1;
  bool readsUnknown = false;
  for (std::string_view name : node.inputs) {
    inputs.push_back(name.empty() ? nullptr : &entryOf(name, scope));
    if (inputs.back() && inputs.back()->deferred)
      depth = std::max(depth, inputs.back()->deferred->depth + 1);
    readsUnknown |= inputs.back() && isUnknown(*inputs.back());
  }
  if (!readsUnknown && !isOfOtherOpset(node, scope) && node.domain.empty() && node.outputs.size() == 1 &&
      depth <= maxDeferredChain) {
    Call call(*this, node, scope.opset, inputs, &scope);
    if (std::optional<KnownInts> known = evaluateInts(call)) {
      Entry &entry = define(node.outputs[0], scope);
      entry.known = std::move(known);
      entry.deferred = std::make_shared<Deferred>(Deferred{&node, &scope, depth});
      return true;
    }
  }
  return false;
}

std::vector<Value> Importer::build(const Node &node, Scope &scope, const Refusal *refusal) {
  if (refusal)
    return buildOpaque(node, scope, refusal->reason, refusal->isTyped);
  auto version = scope.opsets.find(node.domain);
  int64_t opset = version == scope.opsets.end() ? 0 : version->second;
  BuildFunction build = operators.find(node.domain, node.opType, opset);
  if (!build)
    return buildOpaque(node, scope, "the operator is not covered");
  if (isOfOtherOpset(node, scope))
    return buildOpaque(node, scope, "version " + std::to_string(scope.opset) + " of the operator set is not covered");
  std::vector<Entry *> inputs;
  for (std::string_view name : node.inputs) {
    inputs.push_back(name.empty() ? nullptr : &entryOf(name, scope));
    if (inputs.back() && isUnknown(*inputs.back()))
      return buildOpaque(node, scope, "");
  }
  Block *block = builder.getInsertionBlock();
  Operation *before = block->empty() ? nullptr : &block->back();
  try {
    Call call(*this, node, opset, inputs, &scope);
    build(call);
    call.finish();
    return call.outputs();
  } catch (const ClikaRT::Error &error) {
    current = &node;
    Refusal why = refuse(node, error);
    dropUnnamed(before);
    return buildOpaque(node, scope, why.reason, why.isTyped);
  }
}

void Importer::buildNode(const Node &node, Scope &scope, const Refusal *refusal) {
  current = &node;
  location = NameLoc::get(builder.getStringAttr(nodeNameIn(node, scope)));
  Block *block = builder.getInsertionBlock();
  Operation *before = block->empty() ? nullptr : &block->back();
  std::vector<Value> results = build(node, scope, refusal);
  nameOps(node, scope, results.empty() ? Value() : results[0], before);
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty())
      define(node.outputs[i], scope).value = results[i];
}

void Importer::callFunction(const Node &node, const Function &function, Scope &caller) {
  calls.push_back(std::make_unique<Scope>());
  Scope &scope = *calls.back();
  importOpsets(function.opsets, scope);
  scope.prefix = nodeNameIn(node, caller) + "/";
  scope.function = &function;
  scope.call = &node;
  if (node.inputs.size() > function.inputs.size())
    failNode("has " + counted(node.inputs.size(), "input") + ", its function takes " +
             std::to_string(function.inputs.size()));
  if (node.outputs.size() > function.outputs.size())
    failNode("has " + counted(node.outputs.size(), "output") + ", its function gives " +
             std::to_string(function.outputs.size()));
  std::vector<std::string_view> known;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    known.push_back(function.inputs[i]);
    if (i < node.inputs.size() && !node.inputs[i].empty()) {
      entryOf(node.inputs[i], caller);
      scope.entries[function.inputs[i]] = caller.entries[node.inputs[i]];
    }
  }
  buildNodes(function.nodes, scope, known, function.outputs, "function '" + std::string(function.name) + "'");
  current = &node;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty())
      continue;
    entryOf(function.outputs[i], scope);
    caller.entries[node.outputs[i]] = scope.entries[function.outputs[i]];
  }
}

//===-- Names ----------------------------------------------------------------------------------------------------===//

std::string Importer::nodeNameIn(const Node &node, const Scope &scope) {
  std::string_view name = node.name;
  for (size_t i = 0; name.empty() && i < node.outputs.size(); ++i)
    name = node.outputs[i];
  return scope.prefix + std::string(name);
}

std::string Importer::uniqueName(const std::string &wanted) {
  std::string base = wanted.empty() ? "node" : wanted, name = base;
  for (unsigned i = 1; !usedNames.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

void Importer::setName(Operation *op, const std::string &wanted) {
  if (auto node = dyn_cast_or_null<NodeOp>(op))
    node.getNodeIdentity().name = builder.getStringAttr(uniqueName(wanted));
}

/// The op that makes the first output has the ONNX node's name; the others that came of it are named after it.
void Importer::nameOps(const Node &node, const Scope &scope, Value first, Operation *before) {
  std::string name = nodeNameIn(node, scope);
  Block *block = builder.getInsertionBlock();
  auto from = before ? std::next(Block::iterator(before)) : block->begin();
  Operation *main = first ? first.getDefiningOp() : nullptr;
  for (Operation &op : llvm::make_range(from, block->end())) {
    auto named = dyn_cast<NodeOp>(op);
    if (!named || named.getNodeIdentity().name)
      continue;
    if (&op == main)
      setName(&op, name);
    else
      setName(&op, name + "/" + op.getName().stripDialect().str());
  }
}

//===-- The end -------------------------------------------------------------------------------------------------===//

void Importer::finish(OwningOpRef<ModuleOp> &module) {
  auto function = *module->getOps<func::FuncOp>().begin();
  SmallVector<Value> results;
  for (const ValueInfo &output : model.graph->outputs)
    results.push_back(valueOf(entryOf(output.name, top)));
  func::ReturnOp::create(builder, UnknownLoc::get(&context), results);
  SmallVector<mlir::Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), types));
  for (auto [i, output] : llvm::enumerate(model.graph->outputs))
    function.setResultAttr(static_cast<unsigned>(i), "clika.name", builder.getStringAttr(ref(output.name)));
}

} // namespace clika::onnx
