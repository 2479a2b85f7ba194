#include "Pipelines/BufferLifetimes.h"
#include "Pipelines/KernelOutliner.h"
#include "Pipelines/Passes.h"
#include "Pipelines/WorkSplit.h"
#include "Runtime/Arena.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace clika {
#define GEN_PASS_DEF_LAUNCHPARALLEL
#include "Pipelines/Passes.h.inc"

namespace {

class Launcher {
public:
  Launcher(ModuleOp module, func::CallOp call, const LLVMTypeConverter &types)
      : module(module), call(call), builder(module.getContext()), loc(call.getLoc()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())), word(builder.getI64Type()) {
    auto scratch = call->getAttrOfType<IntegerAttr>(kParallelAttr).getInt();
    rangeAt = call.getNumOperands() - scratch - WorkSplit::kArguments;
    for (unsigned i = 0; i != call.getNumOperands(); ++i)
      if (i < rangeAt || i >= rangeAt + WorkSplit::kArguments)
        captured.push_back(i);
    SmallVector<Type> fields;
    for (unsigned i : captured)
      fields.push_back(types.convertType(call.getOperand(i).getType()));
    record = LLVM::LLVMStructType::getLiteral(module.getContext(), fields);
  }

  void run() {
    func::FuncOp part = makePart();
    Block &entry = call->getParentOfType<func::FuncOp>().getBody().front();
    builder.setInsertionPointToStart(&entry);
    Value one = LLVM::ConstantOp::create(builder, loc, word, builder.getI64IntegerAttr(1));
    Value memory = LLVM::AllocaOp::create(builder, loc, pointer, record, one);
    builder.setInsertionPoint(call);
    for (auto [field, operand] : llvm::enumerate(captured))
      LLVM::StoreOp::create(builder, loc, cast(record.getBody()[field], call.getOperand(operand)),
                            address(memory, field));
    Value function = func::ConstantOp::create(builder, loc, part.getFunctionType(), part.getSymName());
    Value blocks = toWord(call.getOperand(rangeAt + 1)), cost = toWord(call.getOperand(rangeAt + 2));
    LLVM::CallOp::create(builder, loc, runtimeFunction(), ValueRange{cast(pointer, function), memory, blocks, cost});
    call.erase();
  }

private:
  Value cast(Type type, Value value) {
    if (value.getType() == type)
      return value;
    return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
  }
  Value toWord(Value index) { return arith::IndexCastOp::create(builder, loc, word, index); }
  Value toIndex(Value value) { return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value); }
  Value address(Value memory, int64_t field) {
    return LLVM::GEPOp::create(builder, loc, pointer, record, memory,
                               ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(field)});
  }

  LLVM::LLVMFuncOp runtimeFunction() {
    constexpr llvm::StringLiteral name = "clika_rt_parallel";
    if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return found;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), {pointer, pointer, word, word});
    return LLVM::LLVMFuncOp::create(builder, loc, name, type);
  }

  /// A buffer's descriptor, moved to the memory of thread `part`.
  Value ofThread(Value descriptor, MemRefType type, Value part) {
    int64_t bytes = llvm::alignTo(type.getNumElements() * elementBytes(type), kBufferAlignment);
    Value each = LLVM::ConstantOp::create(builder, loc, word, builder.getI64IntegerAttr(bytes));
    Value offset = LLVM::MulOp::create(builder, loc, part, each);
    Value base = LLVM::ExtractValueOp::create(builder, loc, descriptor, ArrayRef<int64_t>{1});
    Value own = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
    for (int64_t field : {0, 1})
      descriptor = LLVM::InsertValueOp::create(builder, loc, descriptor, own, ArrayRef<int64_t>{field});
    return descriptor;
  }

  /// void part(record, first, last, part): reads the arguments back and calls the kernel.
  func::FuncOp makePart() {
    auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee());
    builder.setInsertionPointAfter(kernel);
    auto function = func::FuncOp::create(builder, loc, (call.getCallee() + "_part").str(),
                                         builder.getFunctionType({pointer, word, word, word}, {}));
    function.setPrivate();
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    SmallVector<Value> arguments(call.getNumOperands());
    for (auto [field, operand] : llvm::enumerate(captured)) {
      Value value = LLVM::LoadOp::create(builder, loc, record.getBody()[field], address(body->getArgument(0), field));
      Type type = call.getOperand(operand).getType();
      if (operand >= rangeAt)
        value = ofThread(value, mlir::cast<MemRefType>(type), body->getArgument(3));
      arguments[operand] = cast(type, value);
    }
    arguments[rangeAt] = toIndex(body->getArgument(1));
    arguments[rangeAt + 1] = toIndex(body->getArgument(2));
    arguments[rangeAt + 2] = arith::ConstantIndexOp::create(builder, loc, 0);
    func::CallOp::create(builder, loc, kernel, arguments);
    func::ReturnOp::create(builder, loc);
    return function;
  }

  ModuleOp module;
  func::CallOp call;
  OpBuilder builder;
  Location loc;
  LLVM::LLVMPointerType pointer;
  Type word;
  unsigned rangeAt = 0;
  SmallVector<unsigned> captured; // operands that are not the range
  LLVM::LLVMStructType record;
};

struct LaunchParallelPass : impl::LaunchParallelBase<LaunchParallelPass> {
protected:
  void runOnOperation() override {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call->hasAttr(kParallelAttr))
        calls.push_back(call);
    });
    LLVMTypeConverter types(&getContext());
    for (func::CallOp call : calls)
      Launcher(getOperation(), call, types).run();
  }
};

} // namespace
} // namespace clika
