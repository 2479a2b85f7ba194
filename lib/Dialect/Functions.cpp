#include "Dialect/Functions.h"

#include "Dialect/ModuleAttributes.h"
#include "Runtime/Counted.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace clika {

func::FuncOp graphFunction(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  for (func::FuncOp function : functions)
    if (function.isPublic())
      return function;
  return functions.empty() ? func::FuncOp() : *functions.begin();
}

SmallVector<func::FuncOp> privateFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  func::FuncOp graph = graphFunction(module);
  llvm::erase(functions, graph);
  return functions;
}

func::FuncOp calleeOf(CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

func::FuncOp functionAround(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  return function ? function : op->getParentOfType<func::FuncOp>();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// `dim` with sizes for its names; null where one is not known.
Dim withSizes(Dim dim, const DimMap &sizes, llvm::function_ref<Dim(Dim)> other) {
  if (!dim)
    return dim;
  DimMap all;
  bool known = true;
  dim.walk([&](AffineExpr part) {
    if (!isa<AffineSymbolExpr>(part))
      return;
    auto at = sizes.find(part);
    Dim size = at != sizes.end() ? at->second : other(part);
    known &= size != nullptr;
    all[part] = size;
  });
  return known ? dim.replace(all) : Dim();
}

std::string argumentText(unsigned number, Type given, Type wanted) {
  return "input " + std::to_string(number) + " is " + describe(given) + ", and the function takes " + describe(wanted);
}

} // namespace

Type withSizes(Type type, const DimMap &sizes, llvm::function_ref<Dim(Dim)> other) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return type;
  Dims dims;
  for (Dim dim : dimsOf(tensor))
    dims.push_back(withSizes(dim, sizes, other));
  return tensorOf(dims, tensor.getElementType());
}

std::string fitArguments(func::FuncOp function, TypeRange given, DimMap &sizes) {
  TypeRange wanted = function.getArgumentTypes();
  if (given.size() != wanted.size())
    return "the call has " + counted(given.size(), "input") + ", and the function takes " +
           std::to_string(wanted.size());
  // Names first, wherever they stand alone; then what is made of them.
  llvm::DenseSet<AffineExpr> unknown;
  for (auto [i, types] : llvm::enumerate(llvm::zip_equal(given, wanted))) {
    auto [from, to] = types;
    auto tensor = dyn_cast<RankedTensorType>(from), parameter = dyn_cast<RankedTensorType>(to);
    if (!tensor || !parameter || tensor.getElementType() != parameter.getElementType() ||
        tensor.getRank() != parameter.getRank())
      return argumentText(static_cast<unsigned>(i), from, to);
    for (auto [size, name] : llvm::zip_equal(dimsOf(from), dimsOf(to))) {
      if (!isa_and_nonnull<AffineSymbolExpr>(name))
        continue;
      if (!size) {
        unknown.insert(name);
        continue;
      }
      auto [known, added] = sizes.try_emplace(name, size);
      if (!added && !sameDim(known->second, size))
        return argumentText(static_cast<unsigned>(i), from, to) + "; " + describe(name) + " is " +
               describe(known->second) + " in this call";
    }
  }
  auto none = [](Dim) { return Dim(); };
  for (auto [i, types] : llvm::enumerate(llvm::zip_equal(given, wanted)))
    for (auto [size, expression] : llvm::zip_equal(dimsOf(std::get<0>(types)), dimsOf(std::get<1>(types)))) {
      if (!expression)
        continue;
      bool isName = isa<AffineSymbolExpr>(expression);
      // Two sizes of which one is not known may differ when the graph runs.
      if (isName && unknown.contains(expression) && (sizes.contains(expression) || size))
        return argumentText(static_cast<unsigned>(i), std::get<0>(types), std::get<1>(types)) + "; the size " +
               describe(expression) + " is not known of every input";
      if (!isName && !sameDim(size, withSizes(expression, sizes, none)))
        return argumentText(static_cast<unsigned>(i), std::get<0>(types), std::get<1>(types));
    }
  return "";
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (auto module = (*this)->getParentOfType<ModuleOp>(); module && module->hasAttr(kLogVersionAttr))
    return success();
  // C1: the function is there, and is no graph.
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError() << "calls '" << getCallee() << "', and the module has no function of that name";
  if (function.isPublic())
    return emitOpError() << "calls '" << getCallee() << "', which is the graph itself; call a private function";
  // C2: the inputs are what it takes.
  DimMap sizes;
  std::string problem = fitArguments(function, getInputs().getTypes(), sizes);
  if (!problem.empty())
    return emitOpError() << "calls '" << getCallee() << "': " << problem;
  // C3: the results are what it returns.
  TypeRange returned = function.getResultTypes();
  if (returned.size() != getNumResults())
    return emitOpError() << "calls '" << getCallee() << "' for " << counted(getNumResults(), "result")
                         << ", and the function "
                         << "returns " << returned.size();
  for (auto [i, types] : llvm::enumerate(llvm::zip_equal(returned, getResultTypes()))) {
    Type type = withSizes(std::get<0>(types), sizes, [](Dim) { return Dim(); });
    if (!compatibleTypes(type, std::get<1>(types)))
      return emitOpError() << "calls '" << getCallee() << "', whose result " << i << " is " << describe(type)
                           << " in this call, and not " << describe(std::get<1>(types));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Who calls whom
//===----------------------------------------------------------------------===//

namespace {

SmallVector<func::FuncOp> calleesOf(func::FuncOp function) {
  llvm::SetVector<Operation *> found;
  function.walk([&](CallOp call) {
    if (func::FuncOp callee = calleeOf(call))
      found.insert(callee);
  });
  SmallVector<func::FuncOp> callees;
  for (Operation *op : found)
    callees.push_back(cast<func::FuncOp>(op));
  return callees;
}

/// Appends a function after those it calls. Chains of calls may be long, so that it keeps a stack of its own.
class Sorter {
public:
  explicit Sorter(ModuleOp module) : module(module) {}

  SmallVector<StringRef> run() {
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (SmallVector<StringRef> ring = visit(function); !ring.empty())
        return ring;
    return {};
  }

  std::vector<func::FuncOp> sorted;

private:
  struct Entry {
    func::FuncOp function;
    SmallVector<func::FuncOp> callees;
    size_t next = 0;
  };

  SmallVector<StringRef> visit(func::FuncOp first) {
    if (!seen.insert(first).second)
      return {};
    std::vector<Entry> stack;
    stack.push_back({first, calleesOf(first)});
    open.insert(first);
    while (!stack.empty()) {
      Entry &top = stack.back();
      if (top.next == top.callees.size()) {
        sorted.push_back(top.function);
        open.erase(top.function);
        stack.pop_back();
        continue;
      }
      func::FuncOp callee = top.callees[top.next++];
      if (open.contains(callee)) {
        SmallVector<StringRef> ring;
        for (auto at = llvm::find_if(stack, [&](const Entry &entry) { return entry.function == callee; });
             at != stack.end(); ++at)
          ring.push_back(at->function.getName());
        return ring;
      }
      if (seen.insert(callee).second) {
        stack.push_back({callee, calleesOf(callee)});
        open.insert(callee);
      }
    }
    return {};
  }

  ModuleOp module;
  /// Those that were met, and those whose callees are being visited.
  llvm::DenseSet<Operation *> seen, open;
};

} // namespace

SmallVector<StringRef> sortFunctions(ModuleOp module) {
  Sorter sorter(module);
  if (SmallVector<StringRef> ring = sorter.run(); !ring.empty())
    return ring;
  func::FuncOp graph = graphFunction(module);
  Block *body = module.getBody();
  for (func::FuncOp function : sorter.sorted)
    if (function != graph)
      function->moveBefore(body, body->end());
  if (graph)
    graph->moveBefore(body, body->end());
  return {};
}

std::string problemOfCalls(ModuleOp module) {
  constexpr uint64_t kMostOperators = 10'000'000, kMostDepth = 500;
  struct Size {
    uint64_t operators = 0, depth = 0;
  };
  llvm::DenseMap<Operation *, Size> sizes;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    Size size;
    function.walk([&](Operation *op) {
      ++size.operators;
      auto call = dyn_cast<CallOp>(op);
      if (!call)
        return;
      Size callee = sizes.lookup(calleeOf(call));
      size.operators = std::min(size.operators + callee.operators, kMostOperators + 1);
      size.depth = std::max(size.depth, callee.depth + 1);
    });
    std::string name = "'" + function.getName().str() + "'";
    if (size.operators > kMostOperators)
      return "what " + name + " calls comes to more than " + std::to_string(kMostOperators) + " operators";
    if (size.depth > kMostDepth)
      return "functions that call each other in a row lie more than " + std::to_string(kMostDepth) + " deep in " + name;
    sizes[function] = size;
  }
  return "";
}

bool reaches(func::FuncOp from, func::FuncOp to) {
  llvm::SetVector<Operation *> found;
  found.insert(from);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == to)
      return true;
    for (func::FuncOp callee : calleesOf(cast<func::FuncOp>(found[i])))
      found.insert(callee);
  }
  return false;
}

std::string ringText(llvm::ArrayRef<StringRef> ring) {
  std::string text;
  for (StringRef name : ring)
    text += "'" + name.str() + (text.empty() ? "' calls " : "', which calls ");
  return text + "'" + ring.front().str() + "'";
}

} // namespace clika
