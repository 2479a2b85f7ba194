#include "Pipelines/Evaluator.h"

#include "Conversion/ClikaToLinalg/ClikaToLinalg.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Dialect.h"
#include "Dialect/Shape.h"
#include "Pipelines/EmitObject.h"
#include "Pipelines/FailureReason.h"
#include "Pipelines/ObjectCache.h"
#include "Runtime/Aside.h"
#include "Runtime/Program.h"
#include "Runtime/TensorImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <ClikaRT/error.h>

using namespace mlir;
using ClikaRT::DataType;
using ClikaRT::Tensor;

namespace clika {
namespace {

/// Gives a program's results memory and makes tensors of them.
class TensorSink final : public ResultSink {
public:
  TensorSink(ArrayRef<DataType> dtypes, llvm::function_ref<std::string(size_t)> describe)
      : tensors(dtypes.size()), describe(describe), dtypes(dtypes), storages(dtypes.size()) {}

  void *allocate(size_t index, size_t bytes) override {
    try {
      storages[index] = ClikaRT::detail::allocateTensorStorage(bytes, "");
    } catch (const ClikaRT::Error &error) {
      throw ClikaRT::Error(error.status(), describe(index) + error.what());
    }
    return storages[index].get();
  }
  void shape(size_t index, const int64_t *sizes, size_t rank) override {
    ClikaRT::Shape shape(sizes, sizes + rank);
    auto elements = static_cast<size_t>(ClikaRT::element_count(shape, "run"));
    void *data = storages[index].get();
    tensors[index] = Tensor(std::make_shared<ClikaRT::detail::ConcreteTensor>(dtypes[index], std::move(shape), elements,
                                                                              std::move(storages[index]), data));
  }

  std::vector<Tensor> tensors;

private:
  llvm::function_ref<std::string(size_t)> describe;
  ArrayRef<DataType> dtypes;
  SmallVector<std::shared_ptr<void>, 8> storages;
};

/// The tensor type an operand has in the compiled operator: sizes of 1 are fixed, since broadcasting depends on them;
/// with `fixed` all are.
RankedTensorType argumentType(RankedTensorType type, const ClikaRT::Shape &shape, bool fixed) {
  SmallVector<int64_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(fixed || size == 1 ? size : ShapedType::kDynamic);
  return RankedTensorType::get(sizes, type.getElementType());
}

/// A module whose `main` is `op` alone, as text; empty where the op's inference refuses the types.
std::string singleOpModule(Operation *op, ArrayRef<Tensor> inputs, bool fixed) {
  MLIRContext *context = op->getContext();
  Location location = UnknownLoc::get(context);
  SmallVector<Type> arguments, results;
  for (auto [operand, input] : llvm::zip_equal(op->getOperands(), inputs))
    arguments.push_back(argumentType(cast<RankedTensorType>(operand.getType()), input.shape(), fixed));
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  auto main = func::FuncOp::create(builder, location, "main", builder.getFunctionType(arguments, {}));
  Block *block = main.addEntryBlock();
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return {};
  DiagnosticCapture silence(context);
  if (failed(inference.inferReturnTypes(context, location, block->getArguments(), op->getRawDictionaryAttrs(),
                                        op->getPropertiesStorage(), RegionRange(), results)))
    return {};
  for (Type &type : results)
    type = plainTensor(cast<RankedTensorType>(type));
  builder.setInsertionPointToEnd(block);
  Operation *copy = Operation::create(location, op->getName(), results, block->getArguments(), NamedAttrList(),
                                      op->getPropertiesStorage(), BlockRange(), 0u);
  if (auto node = dyn_cast<NodeOp>(copy))
    node.getNodeIdentity() = NodeIdentity();
  builder.insert(copy);
  func::ReturnOp::create(builder, location, copy->getResults());
  main.setFunctionType(builder.getFunctionType(arguments, results));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().printGenericOpForm());
  return text;
}

std::string keyOf(Operation *op, ArrayRef<Tensor> inputs) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << op->getName() << op->getAttrDictionary();
  for (const Tensor &input : inputs) {
    stream << ' ' << static_cast<int>(input.dtype()) << ':';
    for (int64_t size : input.shape())
      stream << (size == 1 ? '1' : '?');
  }
  return key;
}

std::shared_ptr<Program> compileText(const std::string &text, std::string_view call) {
  std::unique_ptr<MLIRContext> context = makeCompileContext();
  OwningOpRef<ModuleOp> module;
  {
    DiagnosticCapture capture(context.get());
    module = parseSourceString<ModuleOp>(text, context.get());
    if (!module)
      throw ClikaRT::Error(ClikaRT::Status::Internal,
                           std::string(call) + ": " + capture.message("its text form does not parse"));
  }
  return compileGraphModule(*module, {}, call);
}

std::string sizesOf(ArrayRef<Tensor> inputs) {
  std::string sizes;
  for (const Tensor &input : inputs) {
    for (int64_t size : input.shape())
      sizes += std::to_string(size) + ",";
    sizes += ";";
  }
  return sizes;
}

// From this many elements on, an operator may take long enough for someone to want to interrupt it.
constexpr int64_t kManyElements = 1 << 18;

bool mayTakeLong(Operation *op, ArrayRef<Tensor> inputs) {
  int64_t elements = 0;
  for (const Tensor &input : inputs)
    elements += static_cast<int64_t>(input.size());
  for (Type type : op->getResultTypes())
    if (auto tensor = cast<RankedTensorType>(type); tensor.hasStaticShape())
      elements += tensor.getNumElements();
  return elements >= kManyElements;
}

std::vector<Tensor> runOn(const Program &program, ArrayRef<Tensor> inputs, ArrayRef<DataType> dtypes,
                          const std::string &name) {
  SmallVector<ProgramInput, 8> arguments;
  for (const Tensor &input : inputs) {
    const auto &data = ClikaRT::detail::concrete(input, "evaluate");
    arguments.push_back({data.data, data.sizes.data()});
  }
  return runProgram(program, arguments, dtypes, [&](size_t) { return name; });
}

} // namespace

std::optional<DataType> dtypeOfElement(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return DataType::Bool;
    case 8:
      return isUnsigned ? DataType::UInt8 : DataType::Int8;
    case 16:
      return isUnsigned ? DataType::UInt16 : DataType::Int16;
    case 32:
      return isUnsigned ? DataType::UInt32 : DataType::Int32;
    case 64:
      return isUnsigned ? DataType::UInt64 : DataType::Int64;
    default:
      return std::nullopt;
    }
  }
  if (element.isF16())
    return DataType::Float16;
  if (element.isBF16())
    return DataType::BFloat16;
  if (element.isF32())
    return DataType::Float32;
  if (element.isF64())
    return DataType::Float64;
  return std::nullopt;
}

std::vector<Tensor> runProgram(const Program &program, ArrayRef<ProgramInput> inputs, ArrayRef<DataType> dtypes,
                               llvm::function_ref<std::string(size_t)> describe) {
  TensorSink sink(dtypes, describe);
  program.invoke(inputs.data(), sink);
  return std::move(sink.tensors);
}

std::unique_ptr<MLIRContext> makeCompileContext() {
  auto context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<ClikaDialect, func::FuncDialect>();
  return context;
}

[[noreturn]] static void refuse(std::string_view call, const std::string &why) {
  throw ClikaRT::Error(ClikaRT::Status::Unsupported, std::string(call) + ": " + why);
}

/// Lowers the module to what the compiler takes, and says how to compile it.
static CompileOptions lowered(ModuleOp module, const ProgramOptions &options, std::string_view call) {
  if (options.progress)
    options.progress("convert-clika-to-linalg", 0.0);
  DiagnosticCapture capture(module.getContext());
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  manager.addPass(createConvertClikaToLinalgPass());
  if (failed(manager.run(module)))
    refuse(call, capture.message("the graph cannot be lowered"));
  CompileOptions compileOptions;
  compileOptions.threads = compileOptions.compileThreads = options.threads;
  compileOptions.targetCpu = options.targetCpu;
  compileOptions.relaxed = options.relaxed;
  compileOptions.keepImage = options.keepImage;
  compileOptions.profile = options.profile;
  compileOptions.like = options.like;
  compileOptions.fallbacks = options.fallbacks;
  for (const Tensor &constant : options.constants)
    compileOptions.constants.push_back({ClikaRT::detail::concrete(constant, call).data, constant.impl()});
  if (options.progress)
    compileOptions.progress = [&progress = options.progress](StringRef stage, double done) {
      progress(stage.str(), done);
    };
  return compileOptions;
}

std::shared_ptr<Program> compileGraphModule(ModuleOp module, const ProgramOptions &options, std::string_view call) {
  CompileOptions compileOptions = lowered(module, options, call);
  std::optional<ObjectCache> cache;
  if (!options.cacheDir.empty())
    cache.emplace(options.cacheDir, std::string(call));
  compileOptions.cache = cache ? &*cache : nullptr;
  llvm::Expected<std::shared_ptr<Program>> program = compile(module, compileOptions);
  if (!program)
    refuse(call, llvm::toString(program.takeError()));
  return *program;
}

ObjectCode compileGraphObject(ModuleOp module, const ProgramOptions &options, const ObjectTarget &target,
                              const ObjectFunction &function, std::string_view call) {
  llvm::Expected<ObjectCode> object = compileObject(module, lowered(module, options, call), target, function);
  if (!object)
    refuse(call, llvm::toString(object.takeError()));
  return std::move(*object);
}

Evaluator &Evaluator::shared() {
  // Never destroyed: tensors and graphs of static lifetime may use it until the process ends.
  static auto *evaluator = new Evaluator;
  return *evaluator;
}

std::shared_ptr<Program> Evaluator::programFor(Operation *op, ArrayRef<Tensor> inputs) {
  std::string key = keyOf(op, inputs), call = op->getName().stripDialect().str();
  auto find = [&]() -> const Entry * {
    auto found = entries.find(key);
    if (found == entries.end())
      return nullptr;
    order.splice(order.begin(), order, found->second.place);
    return &found->second;
  };
  bool fixed = false;
  {
    std::lock_guard lock(mutex);
    const Entry *entry = find();
    // An op that was found to need all sizes has code for each.
    if (entry && !entry->program) {
      fixed = true;
      key += sizesOf(inputs);
      entry = find();
    }
    if (entry)
      return entry->program;
  }
  // Without the lock: two threads may compile the same operator, and the first to finish is kept.
  std::string text = fixed ? std::string() : singleOpModule(op, inputs, /*fixed=*/false);
  if (text.empty()) {
    text = singleOpModule(op, inputs, /*fixed=*/true);
    if (text.empty())
      throw ClikaRT::Error(ClikaRT::Status::Unsupported, call + ": the operator cannot be computed by itself");
    if (!fixed) {
      std::lock_guard lock(mutex);
      keep(key, nullptr);
      key += sizesOf(inputs);
    }
  }
  std::shared_ptr<Program> program = compileText(text, call);
  std::lock_guard lock(mutex);
  ++compiled;
  return keep(key, program);
}

std::shared_ptr<Program> Evaluator::keep(const std::string &key, std::shared_ptr<Program> program) {
  auto [entry, added] = entries.try_emplace(key);
  if (!added)
    return entry->second.program;
  order.push_front(key);
  entry->second = {program, order.begin()};
  if (entries.size() > kCapacity) {
    entries.erase(order.back());
    order.pop_back();
  }
  return program;
}

std::vector<Tensor> Evaluator::evaluate(Operation *op, ArrayRef<Tensor> inputs) {
  try {
    return compute(op, inputs);
  } catch (const ClikaRT::Error &error) {
    std::string name = op->getName().stripDialect().str(), reason;
    if (error.status() == ClikaRT::Status::InvalidArgument)
      reason = failureReason(op, inputs);
    else if (error.status() == ClikaRT::Status::OutOfMemory && !llvm::StringRef(error.what()).starts_with(name))
      reason = error.what();
    if (reason.empty())
      throw;
    throw ClikaRT::Error(error.status(), name + ": " + reason);
  }
}

std::vector<Tensor> Evaluator::compute(Operation *op, ArrayRef<Tensor> inputs) {
  std::shared_ptr<Program> program = programFor(op, inputs);
  std::vector<DataType> dtypes;
  for (Type type : op->getResultTypes())
    dtypes.push_back(*dtypeOfElement(cast<RankedTensorType>(type).getElementType()));
  std::string name = op->getName().stripDialect().str();
  if (!canBeStopped() || !mayTakeLong(op, inputs))
    return runOn(*program, inputs, dtypes, name);
  // Copies: what the caller's tensors are over may go when the work is left behind.
  std::vector<Tensor> own;
  for (const Tensor &input : inputs)
    own.push_back(Tensor::from_data(input.raw_data(), input.shape(), input.dtype()));
  auto results = std::make_shared<std::vector<Tensor>>();
  if (!runAside([=](const RunThere &) { *results = runOn(*program, own, dtypes, name); }))
    interrupted("evaluate", "the call was interrupted");
  return *results;
}

size_t Evaluator::compilations() const {
  std::lock_guard lock(mutex);
  return compiled;
}

size_t Evaluator::kept() const {
  std::lock_guard lock(mutex);
  return entries.size();
}

} // namespace clika
