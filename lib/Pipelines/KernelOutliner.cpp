#include "Pipelines/KernelOutliner.h"
#include "Pipelines/BufferLifetimes.h"
#include "Pipelines/Passes.h"
#include "Runtime/Arena.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace clika {

void eraseUnused(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (op->getNumRegions() == 0)
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && (isOpTriviallyDead(op) || isa<memref::AllocOp>(op)))
      op->erase();
}

namespace {

SmallVector<Operation *> membersOf(const OpGroup &group) {
  SmallVector<Operation *> members;
  for (linalg::FillOp fill : group.fills)
    if (fill)
      members.push_back(fill);
  members.push_back(group.op);
  if (group.epilogue)
    members.push_back(group.epilogue);
  return members;
}

/// What the members read or write from outside, `intermediate` left out.
SmallVector<Value> operandsOf(ArrayRef<Operation *> members, Value intermediate) {
  llvm::SetVector<Value> operands;
  for (Operation *member : members)
    member->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (operand != intermediate && !member->isAncestor(operand.getParentBlock()->getParentOp()))
          operands.insert(operand);
    });
  return operands.takeVector();
}

bool isScalarConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>() && !isa<ShapedType>(value.getType());
}

/// Reads the sizes of what the epilogue reads, which has no memory in `kernel`, off what it writes.
void takeSizesFromResult(const OpGroup &group, ArrayRef<Value> operands, func::FuncOp kernel) {
  if (!group.epilogue)
    return;
  linalg::GenericOp epilogue = group.epilogue;
  Value written = epilogue.getDpsInits()[0];
  unsigned argument = 0;
  for (Value operand : operands) {
    if (operand == written)
      break;
    argument += !isScalarConstant(operand);
  }
  AffineMap from = epilogue.getIndexingMapsArray()[group.epilogueOperand];
  AffineMap to = epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
  SmallVector<memref::DimOp> dims;
  kernel.walk([&](memref::DimOp dim) {
    if (isa_and_nonnull<UnrealizedConversionCastOp>(dim.getSource().getDefiningOp()))
      dims.push_back(dim);
  });
  for (memref::DimOp dim : dims) {
    std::optional<int64_t> position = dim.getConstantIndex();
    std::optional<unsigned> result = position ? to.getResultPosition(from.getResult(*position)) : std::nullopt;
    if (!result)
      continue;
    OpBuilder at(dim);
    dim.replaceAllUsesWith(memref::DimOp::create(at, dim.getLoc(), kernel.getArgument(argument), *result).getResult());
    dim.erase();
  }
}

} // namespace

KernelOutliner::Kernel KernelOutliner::makeKernel(const OpGroup &group, ArrayRef<Value> operands, OpGroup &inside) {
  Location loc = module.getLoc();
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  for (Value operand : operands)
    if (!isScalarConstant(operand))
      types.push_back(operand.getType());
  auto function = func::FuncOp::create(builder, loc, "clika_kernel", builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(kKernelAttr, builder.getUnitAttr());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping map;
  unsigned argument = 0;
  for (Value operand : operands) {
    if (isScalarConstant(operand))
      map.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
    else
      map.map(operand, body->getArgument(argument++));
  }
  if (group.epilogue) {
    // Never touched once the group is emitted: it has no memory.
    Value between = group.epilogue->getOperand(group.epilogueOperand);
    map.map(between, UnrealizedConversionCastOp::create(builder, loc, between.getType(), ValueRange()).getResult(0));
  }
  inside = group;
  for (linalg::FillOp &fill : inside.fills)
    if (fill)
      fill = cast<linalg::FillOp>(builder.clone(*fill, map));
  linalg::LinalgOp op = group.op;
  inside.op = cast<linalg::LinalgOp>(builder.clone(*op, map));
  if (group.epilogue) {
    linalg::GenericOp epilogue = group.epilogue;
    inside.epilogue = cast<linalg::GenericOp>(builder.clone(*epilogue, map));
  }
  func::ReturnOp::create(builder, loc);
  return {function, "", {}};
}

/// Memory of a size known here is the caller's to give: it plans it with its other buffers.
SmallVector<MemRefType> KernelOutliner::passScratch(func::FuncOp function) {
  SmallVector<MemRefType> scratch;
  Block &body = function.getBody().front();
  for (auto alloc : llvm::make_early_inc_range(body.getOps<memref::AllocOp>())) {
    if (!alloc.getType().hasStaticShape())
      continue;
    scratch.push_back(alloc.getType());
    alloc.replaceAllUsesWith(Value(body.addArgument(alloc.getType(), alloc.getLoc())));
    alloc.erase();
  }
  function.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), {}));
  return scratch;
}

namespace {

/// The same value in another function, whose arguments stand for those of the first.
OpFoldResult cloneInto(OpBuilder &builder, OpFoldResult value, IRMapping &map) {
  auto wanted = dyn_cast<Value>(value);
  if (!wanted)
    return value;
  if (Value known = map.lookupOrNull(wanted))
    return known;
  Operation *op = wanted.getDefiningOp();
  for (Value operand : op->getOperands())
    map.map(operand, cast<Value>(cloneInto(builder, operand, map)));
  builder.clone(*op, map);
  return map.lookup(wanted);
}

/// Memory of `type` for each thread, in lines of its own.
MemRefType forThreads(MemRefType type, unsigned threads) {
  int64_t bytes = elementBytes(type), line = static_cast<int64_t>(kBufferAlignment);
  int64_t each = llvm::alignTo(type.getNumElements() * bytes, line) / bytes;
  return MemRefType::get({threads, each}, type.getElementType());
}

} // namespace

/// Makes the function that `main` calls in place of a kernel for ranges: it calls that for the whole range.
KernelOutliner::Kernel KernelOutliner::makeLauncher(func::FuncOp range, const WorkSplit &split) {
  Location loc = range.getLoc();
  builder.setInsertionPoint(range);
  SmallVector<Type> operands(range.getBody().front().getArgumentTypes());
  operands.truncate(operands.size() - WorkSplit::kArguments);
  auto launcher = func::FuncOp::create(builder, loc, range.getSymName(), builder.getFunctionType(operands, {}));
  launcher.setPrivate();
  launcher->setAttr(kKernelAttr, builder.getUnitAttr());
  Block *body = launcher.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping map;
  map.map(range.getArguments().take_front(operands.size()), body->getArguments());
  IndexBuilder index(builder, loc);
  SmallVector<Value> arguments(body->getArguments());
  arguments.push_back(index.value(index.constant(0)));
  arguments.push_back(index.value(cloneInto(builder, split.blocks(), map)));
  arguments.push_back(index.value(cloneInto(builder, split.blockCost(), map)));
  eraseUnused(range);
  SmallVector<MemRefType> scratch = passScratch(range);
  for (MemRefType type : scratch) {
    Value all = memref::AllocOp::create(builder, loc, forThreads(type, threads));
    arguments.push_back(memref::ReinterpretCastOp::create(builder, loc, type, all, /*offset=*/0, type.getShape(),
                                                          computeStrides(type.getShape())));
  }
  range.setName((range.getSymName() + "_range").str());
  auto call = func::CallOp::create(builder, loc, range, arguments);
  call->setAttr(kParallelAttr, builder.getI64IntegerAttr(static_cast<int64_t>(scratch.size())));
  func::ReturnOp::create(builder, loc);
  return {launcher, "", passScratch(launcher)};
}

/// Names a filled kernel and makes what its users call.
KernelOutliner::Kernel KernelOutliner::finish(func::FuncOp function, const WorkSplit &split) {
  function.setName(("clika_kernel_" + Twine(next++)).str());
  if (split.isSplit())
    return makeLauncher(function, split);
  eraseUnused(function);
  return {function, "", passScratch(function)};
}

std::string KernelOutliner::outline(OpGroup group, Emit emit) {
  SmallVector<Operation *> members = membersOf(group);
  Value intermediate = group.epilogue ? group.epilogue->getOperand(group.epilogueOperand) : Value();
  SmallVector<Value> operands = operandsOf(members, intermediate);
  OpGroup inside;
  Kernel made = makeKernel(group, operands, inside);
  std::string key;
  llvm::raw_string_ostream stream(key);
  made.function.print(stream, OpPrintingFlags().useLocalScope());
  auto [entry, isNew] = kernels.try_emplace(key);
  Kernel &kernel = entry->second;
  WorkSplit split(made.function, threads);
  std::string refusal = isNew ? emit(inside, split) : kernel.refusal;
  if (isNew && refusal.empty()) {
    takeSizesFromResult(group, operands, made.function);
    kernel = finish(made.function, split);
  } else {
    made.function.erase();
  }
  if (!refusal.empty())
    return kernel.refusal = refusal;

  builder.setInsertionPoint(group.last());
  SmallVector<Value> arguments;
  for (Value operand : operands)
    if (!isScalarConstant(operand))
      arguments.push_back(operand);
  for (MemRefType type : kernel.scratch)
    arguments.push_back(memref::AllocOp::create(builder, group.op.getLoc(), type));
  auto call = func::CallOp::create(builder, group.op.getLoc(), kernel.function, arguments);
  if (marks.isOn()) {
    builder.setInsertionPoint(call);
    SmallVector<Operation *> computing = {group.op};
    if (group.epilogue)
      computing.push_back(group.epilogue);
    marks.putAround(call, kernel.function.getSymName(), nodesOf(computing), countWork(builder, group));
  }
  for (Operation *member : llvm::reverse(members))
    member->erase();
  return "";
}

} // namespace clika
