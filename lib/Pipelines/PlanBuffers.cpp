#include "Pipelines/BufferLifetimes.h"
#include "Pipelines/KernelOutliner.h"
#include "Pipelines/Passes.h"
#include "Pipelines/Slots.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_PLANBUFFERS
#include "Pipelines/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kResultAttr = "clika.result";

/// The allocation that `value` is a view of all elements of, in their order.
memref::AllocOp wholeAllocation(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc;
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

SmallVector<Value> dynamicSizes(OpBuilder &builder, Location loc, Value buffer) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t dim = 0; dim != type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  return sizes;
}

/// Makes buffers of pointers.
class BufferBuilder {
public:
  explicit BufferBuilder(func::FuncOp function)
      : function(function), block(function.getBody().front()), builder(function.getContext()), loc(function.getLoc()),
        pointer(LLVM::LLVMPointerType::get(function.getContext())) {}

protected:
  Value address(Value base, Type element, int64_t index) {
    Value at = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(index));
    return LLVM::GEPOp::create(builder, loc, pointer, element, base, ArrayRef<LLVM::GEPArg>{at});
  }

  Value loadSize(Value sizes, int64_t dim) {
    Value size = LLVM::LoadOp::create(builder, loc, builder.getI64Type(), address(sizes, builder.getI64Type(), dim));
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), size);
  }

  /// A row-major buffer at `data`.
  Value bufferAt(Value data, MemRefType type, ValueRange dynamic) {
    auto fields = LLVM::LLVMStructType::getLiteral(function.getContext(), {pointer, pointer, builder.getI64Type()});
    Value descriptor = LLVM::PoisonOp::create(builder, loc, fields);
    descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, data, ArrayRef<int64_t>{0});
    descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, data, ArrayRef<int64_t>{1});
    Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(0));
    descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, zero, ArrayRef<int64_t>{2});
    auto scalarType = MemRefType::get({}, type.getElementType());
    Value scalar = UnrealizedConversionCastOp::create(builder, loc, scalarType, descriptor).getResult(0);
    if (type.getRank() == 0)
      return scalar;

    SmallVector<OpFoldResult> sizes = getMixedValues(type.getShape(), dynamic, builder);
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    for (int64_t dim = type.getRank() - 1; dim > 0; --dim)
      strides[dim - 1] = multiply(strides[dim], sizes[dim]);
    return memref::ReinterpretCastOp::create(builder, loc, type, scalar, OpFoldResult(builder.getIndexAttr(0)), sizes,
                                             strides);
  }

  OpFoldResult multiply(OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return builder.getIndexAttr(*x * *y);
    return arith::MulIOp::create(builder, loc, getValueOrCreateConstantIndexOp(builder, loc, a),
                                 getValueOrCreateConstantIndexOp(builder, loc, b))
        .getResult();
  }

  Value byteCount(MemRefType type, ValueRange dynamic) {
    OpFoldResult bytes = builder.getIndexAttr(elementBytes(type));
    for (OpFoldResult size : getMixedValues(type.getShape(), dynamic, builder))
      bytes = multiply(bytes, size);
    Value index = getValueOrCreateConstantIndexOp(builder, loc, bytes);
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  }

  LLVM::LLVMFuncOp runtimeFunction(StringRef name, Type result, ArrayRef<Type> parameters) {
    auto module = function->getParentOfType<ModuleOp>();
    if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return found;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    return LLVM::LLVMFuncOp::create(builder, loc, name, LLVM::LLVMFunctionType::get(result, parameters));
  }

  Value callRuntime(StringRef name, ArrayRef<Value> arguments) {
    SmallVector<Type> types(ValueRange(arguments).getTypes());
    LLVM::LLVMFuncOp function = runtimeFunction(name, pointer, types);
    return LLVM::CallOp::create(builder, loc, function, arguments).getResult();
  }

  void callRuntimeFor(StringRef name, ArrayRef<Value> arguments) {
    SmallVector<Type> types(ValueRange(arguments).getTypes());
    LLVM::CallOp::create(builder, loc, runtimeFunction(name, LLVM::LLVMVoidType::get(function.getContext()), types),
                         arguments);
  }

  void freeAfter(Operation *last, Value data) {
    OpBuilder::InsertionGuard guard(builder);
    if (last->hasTrait<OpTrait::IsTerminator>())
      builder.setInsertionPoint(last);
    else
      builder.setInsertionPointAfter(last);
    callRuntimeFor("clika_rt_free", {data});
  }

  func::FuncOp function;
  Block &block;
  OpBuilder builder;
  Location loc;
  LLVM::LLVMPointerType pointer;
};

/// Builds the entry function in place of `main`.
class EntryBuilder : BufferBuilder {
public:
  using BufferBuilder::BufferBuilder;

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitError("`main` has more than one block");
    results = cast<func::ReturnOp>(block.getTerminator());
    placeResults();
    BufferLifetimes lifetimes(function);
    bool separate = function->getParentOfType<ModuleOp>()->hasAttr(kSeparateBuffersAttr);
    int64_t planned = separate ? 0 : lifetimes.plan();
    addParameters();
    replaceAllocations(lifetimes);
    replaceSlots();
    replaceInputs();
    storeResultSizes();
    finish(planned);
    return success();
  }

private:
  void placeResults() {
    llvm::SmallPtrSet<Operation *, 8> taken;
    builder.setInsertionPoint(results);
    for (OpOperand &operand : results->getOpOperands()) {
      memref::AllocOp alloc = wholeAllocation(operand.get());
      if (!alloc || alloc->getBlock() != &block || !taken.insert(alloc).second) {
        auto type = cast<MemRefType>(operand.get().getType());
        alloc = memref::AllocOp::create(builder, loc, type, dynamicSizes(builder, loc, operand.get()));
        linalg::CopyOp::create(builder, operand.get().getLoc(), operand.get(), alloc.getResult());
        taken.insert(alloc);
        operand.set(alloc);
      }
      alloc->setAttr(kResultAttr, builder.getI64IntegerAttr(operand.getOperandNumber()));
    }
  }

  void addParameters() {
    inputs = block.getNumArguments();
    for (unsigned i = 0; i != 4; ++i)
      block.addArgument(pointer, loc);
    builder.setInsertionPointToStart(&block);
  }
  Value inputsParameter() { return block.getArgument(inputs); }
  Value sizesParameter() { return block.getArgument(inputs + 1); }
  Value plannedParameter() { return block.getArgument(inputs + 2); }
  Value resultSizesParameter() { return block.getArgument(inputs + 3); }

  void replaceAllocations(BufferLifetimes &lifetimes) {
    for (const BufferLifetimes::Buffer &buffer : lifetimes.buffers()) {
      memref::AllocOp alloc = buffer.alloc;
      MemRefType type = alloc.getType();
      Value data;
      if (buffer.offset >= 0) {
        // The top of the entry dominates every place that the buffer is used at, loops included.
        builder.setInsertionPointToStart(&block);
        data = address(plannedParameter(), builder.getI8Type(), buffer.offset);
      } else {
        builder.setInsertionPoint(alloc);
        Value bytes = byteCount(type, alloc.getDynamicSizes());
        if (auto result = alloc->getAttrOfType<IntegerAttr>(kResultAttr)) {
          Value index = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), result);
          data = callRuntime("clika_rt_result", {index, bytes});
        } else {
          data = callRuntime("clika_rt_alloc", {bytes});
          if (buffer.lastUse)
            freeAfter(buffer.lastUse, data);
        }
      }
      alloc.replaceAllUsesWith(bufferAt(data, type, alloc.getDynamicSizes()));
      alloc.erase();
    }
  }

  void replaceSlots() {
    SymbolTable symbols(function->getParentOfType<ModuleOp>());
    SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
    function.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (callee && isSlotFunction(callee))
        calls.emplace_back(call, callee);
    });
    for (auto [call, callee] : calls)
      replaceSlotCall(call, callee);
    for (auto callee : llvm::make_early_inc_range(function->getParentOfType<ModuleOp>().getOps<func::FuncOp>()))
      if (isSlotFunction(callee))
        callee.erase();
  }

  void replaceSlotCall(func::CallOp call, func::FuncOp callee) {
    builder.setInsertionPoint(call);
    StringRef what = callee->getAttrOfType<StringAttr>(kSlotAttr).getValue();
    Value slot = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                          callee->getAttrOfType<IntegerAttr>(kSlotNumberAttr));
    std::string name = ("clika_rt_slot_" + what).str();
    if (what == "load") {
      auto type = cast<MemRefType>(call.getResult(0).getType());
      call.getResult(0).replaceAllUsesWith(bufferAt(callRuntime(name, {slot}), type, call.getOperands()));
    } else if (what == "begin") {
      callRuntimeFor(name, {slot});
    } else {
      Value tensor = call.getOperand(0);
      Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, tensor);
      address = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
      callRuntimeFor(name, {slot, LLVM::IntToPtrOp::create(builder, loc, pointer, address),
                            byteCount(cast<MemRefType>(tensor.getType()), dynamicSizes(builder, loc, tensor))});
    }
    call.erase();
  }

  void replaceInputs() {
    builder.setInsertionPointToStart(&block);
    for (unsigned i = 0; i != inputs; ++i) {
      auto type = cast<MemRefType>(block.getArgument(i).getType());
      Value data = LLVM::LoadOp::create(builder, loc, pointer, address(inputsParameter(), pointer, i));
      SmallVector<Value> dynamic;
      if (!type.hasStaticShape()) {
        Value sizes = LLVM::LoadOp::create(builder, loc, pointer, address(sizesParameter(), pointer, i));
        for (int64_t dim = 0; dim != type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            dynamic.push_back(loadSize(sizes, dim));
      }
      block.getArgument(i).replaceAllUsesWith(bufferAt(data, type, dynamic));
    }
  }

  void storeResultSizes() {
    builder.setInsertionPoint(results);
    int64_t next = 0;
    for (Value result : results.getOperands())
      for (Value size : dynamicSizes(builder, loc, result)) {
        Value word = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), size);
        LLVM::StoreOp::create(builder, loc, word, address(resultSizesParameter(), builder.getI64Type(), next++));
      }
  }

  void finish(int64_t planned) {
    results->setOperands({});
    block.eraseArguments(0, inputs);
    function.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
    function.setName(kEntry);
    function->getParentOfType<ModuleOp>()->setAttr(kPlannedBytesAttr, builder.getI64IntegerAttr(planned));
  }

  func::ReturnOp results;
  unsigned inputs = 0;
};

/// Gives a kernel's own buffers, whose sizes only it knows, memory for the time of its call.
class ScratchBuilder : BufferBuilder {
public:
  using BufferBuilder::BufferBuilder;

  void run() {
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      builder.setInsertionPoint(alloc);
      Value data = callRuntime("clika_rt_alloc", {byteCount(alloc.getType(), alloc.getDynamicSizes())});
      alloc.replaceAllUsesWith(bufferAt(data, alloc.getType(), alloc.getDynamicSizes()));
      freeAfter(alloc->getBlock()->getTerminator(), data);
      alloc.erase();
    }
  }
};

struct PlanBuffersPass : impl::PlanBuffersBase<PlanBuffersPass> {
protected:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>(kMain);
    if (!main || main.isExternal()) {
      getOperation().emitError("no function `main` with a body");
      return signalPassFailure();
    }
    if (failed(EntryBuilder(main).run()))
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        ScratchBuilder(function).run();
  }
};

} // namespace
} // namespace clika
