#include "Pipelines/Compile.h"
#include "Pipelines/BufferLifetimes.h"
#include "Pipelines/ByteProducts.h"
#include "Pipelines/CompiledCode.h"
#include "Pipelines/EmitObject.h"
#include "Pipelines/Fallbacks.h"
#include "Pipelines/HoistConstants.h"
#include "Pipelines/Jit.h"
#include "Pipelines/ObjectCache.h"
#include "Pipelines/Passes.h"
#include "Pipelines/ProfileMarks.h"
#include "Runtime/Program.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace clika {
namespace {

/// Keeps the first error of the passes, for the message of the failed call.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && text.empty())
            text = diagnostic.str();
          return success();
        }) {}

  llvm::Error error(llvm::StringRef stage) const {
    return llvm::createStringError("the stage " + stage.str() + " failed" + (text.empty() ? "" : ": " + text));
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

llvm::Expected<std::vector<BufferType>> bufferTypes(TypeRange types, llvm::StringRef kind) {
  std::vector<BufferType> result;
  for (auto [index, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Type element = tensor ? tensor.getElementType() : Type();
    if (!element || !(element.isIntOrIndexOrFloat()))
      return llvm::createStringError(kind.str() + " " + std::to_string(index) +
                                     " of `main` is no ranked tensor of numbers");
    BufferType buffer;
    buffer.elementBytes = elementBytes(MemRefType::get({}, element));
    for (int64_t size : tensor.getShape())
      buffer.shape.push_back(ShapedType::isDynamic(size) ? kDynamicSize : size);
    result.push_back(std::move(buffer));
  }
  return result;
}

struct Stage {
  llvm::StringLiteral name;
  std::unique_ptr<Pass> (*create)();
  /// How much of the time has gone when it begins, that of conversion to linalg included, as measured on models.
  double done;
  bool onlyProfiled = false;
};

constexpr Stage kStages[] = {
    {"propagate-layout", createPropagateLayout, 0.01},
    {"byte-products", createByteProducts, 0.011},
    {"prepare-tensors", createPrepareTensors, 0.012},
    {"bufferize", createBufferizeMain, 0.03},
    {"tile-and-vectorize", createTileAndVectorize, 0.032},
    {"plan-buffers", createPlanBuffers, 0.052},
    {"mark-rest", createMarkRest, 0.054, /*onlyProfiled=*/true},
    {"launch-parallel", createLaunchParallel, 0.054},
    {"expand-conversions", createExpandConversions, 0.055},
    {"expand-math", createExpandMath, 0.056},
    {"lower-to-llvm", createLowerToLLVM, 0.06},
};
constexpr double kDoneBeforeCode = 0.22;

/// The stages before constants are taken out of the code, which follows from what they make.
constexpr size_t kTensorStages = 3;
/// The stage that has work to do on constants, too.
constexpr size_t kByteStage = 1;

/// Runs the stages [first, last).
llvm::Error runStages(ModuleOp module, const CompileOptions &options, size_t first, size_t last) {
  ErrorCollector errors(module.getContext());
  for (const Stage &stage : ArrayRef(kStages).slice(first, last - first)) {
    if (stage.onlyProfiled && !options.profile)
      continue;
    if (options.progress)
      options.progress(stage.name, stage.done);
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    manager.enableVerifier(false);
    manager.addPass(stage.create());
    if (failed(manager.run(module)))
      return errors.error(stage.name);
    if (options.fallbacks && stage.create == createTileAndVectorize)
      options.fallbacks(fallbacksIn(module));
  }
  return llvm::Error::success();
}

/// Makes `main` read each large constant as an argument, in the best order.
void takeOutConstants(ModuleOp module, const CompileOptions &options, std::vector<ConstantArgument> &constants) {
  auto main = module.lookupSymbol<func::FuncOp>(kMain);
  int64_t vectorBytes = module->getAttrOfType<IntegerAttr>(kVectorBytesAttr).getInt();
  hoistConstants(main, options.constantOwner != nullptr, constants);
  // Before copies are made of weights in the order that the sums read them in, only to be packed.
  if (!options.relaxed)
    packWeights(main, constants, vectorBytes);
  foldCopies(main, constants);
  if (options.relaxed)
    useWinograd(main, constants);
  packWeights(main, constants, vectorBytes);
}

/// What the code follows from: the module, which says what it needs of the options, the target and this compiler.
Digest digestOf(ModuleOp module, const llvm::TargetMachine &target, const CompileOptions &options) {
  DigestStream stream;
  stream << compilerIdentity() << '\n'
         << target.getTargetTriple().str() << '\n'
         << target.getTargetCPU() << '\n'
         << target.getTargetFeatureString() << '\n'
         << (options.relaxed ? "relaxed" : "full") << '\n';
  module->print(stream, OpPrintingFlags().useLocalScope());
  return stream.digest();
}

/// The code that the cache has for the module, or new code, which the cache then has.
llvm::Expected<CompiledCode> makeCode(ModuleOp module, const llvm::TargetMachine &target,
                                      const CompileOptions &options) {
  Digest key{};
  std::optional<CompiledCode> kept;
  if (options.cache) {
    key = digestOf(module, target, options);
    if (std::optional<std::string> bytes = options.cache->find(key))
      kept = CompiledCode::read(*bytes);
  }
  // The stages also tell what is profiled, and what they leave to plain loops.
  if (kept && !options.profile && !options.fallbacks)
    return std::move(*kept);
  if (llvm::Error error = runStages(module, options, kTensorStages, std::size(kStages)))
    return std::move(error);
  if (kept)
    return std::move(*kept);
  if (options.progress)
    options.progress("generate-code", kDoneBeforeCode);
  CompiledCode code;
  code.plannedBytes = module->getAttrOfType<IntegerAttr>(kPlannedBytesAttr).getInt();
  ErrorCollector errors(module.getContext());
  auto objects = generateObjects(module, options.targetCpu, options.compileThreads);
  if (!objects)
    return llvm::joinErrors(errors.error("generate-code"), objects.takeError());
  code.objects = std::move(*objects);
  if (options.cache)
    options.cache->keep(key, code.written());
  return code;
}

size_t constantBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto bytes = static_cast<size_t>(elementBytes(MemRefType::get({}, tensor.getElementType())));
  return bytes * static_cast<size_t>(tensor.getNumElements());
}

/// Takes the constants of `like` in the place of own copies of the same bytes.
void shareConstants(func::FuncOp main, std::shared_ptr<const Program> like, std::vector<ConstantArgument> &constants) {
  const std::vector<const void *> &theirs = like->parts().constants;
  if (theirs.size() != constants.size())
    return;
  TypeRange types = TypeRange(main.getArgumentTypes()).take_back(constants.size());
  auto owner = std::shared_ptr<void>(like, const_cast<Program *>(like.get()));
  for (auto [type, own, other] : llvm::zip_equal(types, constants, theirs))
    if (own.data && other && own.data != other && std::memcmp(own.data, other, constantBytes(type)) == 0)
      own = {other, owner};
}

/// All but the code. `main` has so many inputs before its constants.
std::shared_ptr<ProgramImage> imageOf(func::FuncOp main, size_t inputs, const llvm::TargetMachine &target) {
  auto image = std::make_shared<ProgramImage>();
  image->cpu = target.getTargetCPU().str();
  image->features = target.getTargetFeatureString().str();
  for (Type type : main.getArgumentTypes().drop_front(inputs))
    image->constantSizes.push_back(constantBytes(type));
  return image;
}

/// A module that went through the stages on tensors and reads its large constants as arguments.
struct Prepared {
  func::FuncOp main;
  std::vector<BufferType> inputs, results;
  std::vector<ConstantArgument> constants;
};

llvm::Expected<Prepared> prepare(ModuleOp module, const llvm::TargetMachine &target, const CompileOptions &options,
                                 unsigned threads) {
  MLIRContext *context = module.getContext();
  static const DialectRegistry *registry = [] {
    auto *all = new DialectRegistry();
    registerCodegenDialects(*all);
    return all;
  }();
  context->appendDialectRegistry(*registry);
  context->loadAllAvailableDialects();

  Prepared prepared;
  prepared.main = module.lookupSymbol<func::FuncOp>(kMain);
  if (!prepared.main || prepared.main.isExternal())
    return llvm::createStringError("the module has no function `main` with a body");
  llvm::Expected<std::vector<BufferType>> inputs =
      bufferTypes(prepared.main.getArgumentTypes().drop_back(options.constants.size()), "argument");
  if (!inputs)
    return inputs.takeError();
  prepared.inputs = std::move(*inputs);
  llvm::Expected<std::vector<BufferType>> results = bufferTypes(prepared.main.getResultTypes(), "result");
  if (!results)
    return results.takeError();
  prepared.results = std::move(*results);

  IntegerType number = IntegerType::get(context, 64);
  module->setAttr(kVectorBytesAttr, IntegerAttr::get(number, vectorBytes(target)));
  if (threads > 1)
    module->setAttr(kThreadsAttr, IntegerAttr::get(number, threads));
  if (options.profile)
    module->setAttr(kProfileAttr, UnitAttr::get(context));
  if (hasFusedMultiplyAdd(target))
    module->setAttr(kFusedMultiplyAddAttr, UnitAttr::get(context));
  if (std::string dot = byteDot(target); !dot.empty())
    module->setAttr(kByteDotAttr, StringAttr::get(context, dot));
  prepared.constants = options.constants;
  if (llvm::Error error = runStages(module, options, 0, kByteStage))
    return std::move(error);
  useByteProducts(prepared.main, prepared.constants, vectorBytes(target));
  if (llvm::Error error = runStages(module, options, kByteStage, kTensorStages))
    return std::move(error);
  takeOutConstants(module, options, prepared.constants);
  if (options.like)
    shareConstants(prepared.main, options.like, prepared.constants);
  return prepared;
}

} // namespace

void registerCodegenDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect, cf::ControlFlowDialect,
              func::FuncDialect, index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
              memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  func::registerInlinerExtension(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void buildCpuPipeline(OpPassManager &manager, const CompileOptions &) {
  for (const Stage &stage : kStages)
    manager.addPass(stage.create());
}

void registerCodegenPasses() {
  for (const Stage &stage : kStages)
    registerPass(stage.create);
  PassPipelineRegistration<>("clika-cpu", "Every stage of the CPU compiler, from linalg on tensors to the LLVM dialect",
                             [](OpPassManager &manager) { buildCpuPipeline(manager, {}); });
}

llvm::Expected<std::shared_ptr<Program>> compile(ModuleOp module, const CompileOptions &options) {
  auto target = makeTargetMachine(options.targetCpu);
  if (!target)
    return target.takeError();
  llvm::Expected<Prepared> prepared = prepare(module, **target, options, options.threads);
  if (!prepared)
    return prepared.takeError();
  ProgramCode code;
  code.threads = options.threads;
  code.inputs = std::move(prepared->inputs);
  code.results = std::move(prepared->results);
  std::shared_ptr<ProgramImage> image =
      options.keepImage ? imageOf(prepared->main, code.inputs.size(), **target) : nullptr;
  for (ConstantArgument &constant : prepared->constants) {
    code.constants.push_back(constant.data);
    code.owners.push_back(std::move(constant.owner));
  }
  code.owners.push_back(options.constantOwner);

  llvm::Expected<CompiledCode> compiled = makeCode(module, **target, options);
  if (!compiled)
    return compiled.takeError();
  code.plannedBytes = compiled->plannedBytes;
  code.kernels = profiledKernels(module);
  if (image)
    image->code = compiled->written();
  code.image = std::move(image);
  if (llvm::Error error = loadCode(*compiled, code))
    return std::move(error);
  return std::make_shared<Program>(std::move(code));
}

llvm::Expected<ObjectCode> compileObject(ModuleOp module, const CompileOptions &options, const ObjectTarget &target,
                                         const ObjectFunction &function) {
  llvm::Expected<Prepared> prepared = prepare(module, *target.machine, options, /*threads=*/1);
  if (!prepared)
    return prepared.takeError();
  ObjectParts parts;
  auto arguments = prepared->main.getArguments().drop_front(prepared->inputs.size());
  for (auto [argument, constant] : llvm::zip_equal(arguments, prepared->constants)) {
    size_t bytes = argument.use_empty() ? 0 : constantBytes(argument.getType());
    parts.constants.emplace_back(static_cast<const char *>(constant.data), bytes);
  }
  parts.inputs = std::move(prepared->inputs);
  parts.results = std::move(prepared->results);
  if (llvm::Error error = runStages(module, options, kTensorStages, std::size(kStages)))
    return std::move(error);
  parts.plannedBytes = module->getAttrOfType<IntegerAttr>(kPlannedBytesAttr).getInt();
  ErrorCollector errors(module.getContext());
  llvm::Expected<ObjectCode> object = generateLibraryObject(module, target, function, parts);
  if (!object)
    return llvm::joinErrors(errors.error("generate-code"), object.takeError());
  return object;
}

} // namespace clika
