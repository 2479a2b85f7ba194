#include "Pipelines/EmitObject.h"
#include "Pipelines/Passes.h"
#include "Pipelines/SplitBlocks.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace clika {
namespace {

/// Of the descriptor that lib/StaticRuntime/clika_static.c reads.
constexpr int64_t kVersion = 1;

uint64_t bytesOf(const BufferType &buffer) {
  uint64_t bytes = buffer.elementBytes;
  for (int64_t size : buffer.shape)
    bytes *= static_cast<uint64_t>(size);
  return bytes;
}

class LibraryBuilder {
public:
  LibraryBuilder(Module &module, const ObjectFunction &function, const ObjectParts &parts, StringRef plainestCpu)
      : module(module), context(module.getContext()), builder(context), function(function), parts(parts),
        plainestCpu(plainestCpu), pointer(PointerType::getUnqual(context)), i64(builder.getInt64Ty()),
        i32(builder.getInt32Ty()) {}

  void build(const std::string &features) {
    for (Function &each : module)
      if (!each.isDeclaration())
        each.setLinkage(GlobalValue::InternalLinkage);
    for (GlobalVariable &each : module.globals())
      if (!each.isDeclaration())
        each.setLinkage(GlobalValue::InternalLinkage);
    GlobalVariable *program = addProgram(features);
    addCall(program);
    addError();
  }

private:
  GlobalVariable *addGlobal(Constant *value, const Twine &name, bool constant = true) {
    auto *global =
        new GlobalVariable(module, value->getType(), constant, GlobalValue::InternalLinkage, value, "clika." + name);
    return global;
  }

  Constant *text(StringRef string, const Twine &name) {
    return addGlobal(ConstantDataArray::getString(context, string), name);
  }

  /// All that the static runtime knows of the function.
  GlobalVariable *addProgram(const std::string &features) {
    std::vector<Constant *> names;
    for (const std::vector<std::string> *ports : {&function.inputs, &function.results})
      for (const std::string &port : *ports)
        names.push_back(text(port, "port"));
    std::vector<uint64_t> bytes;
    for (const std::vector<BufferType> *buffers : {&parts.inputs, &parts.results})
      for (const BufferType &buffer : *buffers)
        bytes.push_back(bytesOf(buffer));
    auto *nameTable = ConstantArray::get(ArrayType::get(pointer, names.size()), names);
    auto number = [&](uint64_t value) { return ConstantInt::get(i64, value); };
    Constant *fields[] = {number(kVersion),
                          number(parts.inputs.size()),
                          number(parts.results.size()),
                          number(parts.plannedBytes),
                          module.getFunction(kEntry),
                          text(function.name, "name"),
                          text(features, "features"),
                          addGlobal(nameTable, "ports"),
                          addGlobal(ConstantDataArray::get(context, bytes), "bytes"),
                          ConstantPointerNull::get(pointer),
                          number(0)};
    return addGlobal(ConstantStruct::getAnon(context, fields), "program", /*constant=*/false);
  }

  Function *addFunction(const Twine &name, Type *result, ArrayRef<Type *> arguments) {
    auto *made =
        Function::Create(FunctionType::get(result, arguments, false), GlobalValue::ExternalLinkage, name, &module);
    // These run before the CPU is looked at: they may use what the plainest one has, and nothing else.
    made->addFnAttr("target-cpu", plainestCpu);
    made->addFnAttr("target-features", "");
    builder.SetInsertPoint(BasicBlock::Create(context, "", made));
    return made;
  }

  void store(Value *array, unsigned index, Value *value) {
    builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(pointer, array, index));
  }

  void addCall(GlobalVariable *program) {
    size_t inputs = parts.inputs.size(), results = parts.results.size();
    Function *call = addFunction(function.name, i32, SmallVector<Type *>(inputs + results, pointer));
    auto array = [&](size_t size) { return builder.CreateAlloca(ArrayType::get(pointer, std::max<size_t>(size, 1))); };
    Value *arguments = array(inputs + parts.constants.size()), *outputs = array(results), *moved = array(results);
    for (size_t i = 0; i != inputs; ++i)
      store(arguments, i, call->getArg(i));
    for (auto [index, data] : enumerate(parts.constants)) {
      Constant *constant = ConstantPointerNull::get(pointer);
      if (!data.empty()) {
        auto *bytes = ConstantDataArray::getRaw(data, data.size(), builder.getInt8Ty());
        GlobalVariable *global = addGlobal(bytes, "constant");
        global->setAlignment(Align(kBufferAlignment));
        constant = global;
      }
      store(arguments, inputs + index, constant);
    }
    for (size_t i = 0; i != results; ++i)
      store(outputs, i, call->getArg(inputs + i));
    FunctionCallee run = module.getOrInsertFunction(
        "clika_static_run", FunctionType::get(i32, {pointer, pointer, pointer, pointer}, false));
    builder.CreateRet(builder.CreateCall(run, {program, arguments, outputs, moved}));
  }

  void addError() {
    addFunction(function.name + "_error", pointer, {});
    FunctionCallee error = module.getOrInsertFunction("clika_static_error", FunctionType::get(pointer, false));
    builder.CreateRet(builder.CreateCall(error));
  }

  Module &module;
  LLVMContext &context;
  IRBuilder<> builder;
  const ObjectFunction &function;
  const ObjectParts &parts;
  StringRef plainestCpu;
  PointerType *pointer;
  Type *i64, *i32;
};

} // namespace

Expected<ObjectCode> generateLibraryObject(mlir::ModuleOp module, const ObjectTarget &target,
                                           const ObjectFunction &function, const ObjectParts &parts) {
  // Code reaches data by offsets of 32 bits.
  constexpr uint64_t kMost = uint64_t(2) << 30;
  uint64_t bytes = 0;
  for (StringRef constant : parts.constants)
    bytes += constant.size();
  if (bytes >= kMost - (kMost >> 6))
    return createStringError("its weights are " + std::to_string(bytes) +
                             " bytes, and an object holds less than 2 GiB");
  LLVMContext context;
  std::unique_ptr<Module> translated = translateModuleToLLVMIR(module, context);
  if (!translated)
    return createStringError("the module could not be translated to LLVM IR");
  translated->setPICLevel(PICLevel::BigPIC);
  for (const std::string &name : {function.name, function.name + "_error"})
    if (translated->getNamedValue(name))
      return createStringError("its code calls a function '" + name + "' of the C library; give another name");
  splitLongBlocks(*translated->getFunction(kEntry));
  for (Function &each : *translated)
    if (!each.isDeclaration())
      each.addFnAttr("tune-cpu", target.tuneCpu);
  // The target's own name: what its code may use beyond it are features.
  StringRef plainestCpu = target.machine->getTargetCPU();
  LibraryBuilder(*translated, function, parts, plainestCpu).build(join(target.features, ","));
  return generateObject(*translated, *target.machine);
}

} // namespace clika
