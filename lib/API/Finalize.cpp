// finalize: drop what nothing reads, compile, freeze.
#include "API/CompileModule.h"
#include "API/CompiledGraph.h"
#include "API/Core.h"
#include "API/Edits.h"
#include "API/Fail.h"
#include "API/Text.h"
#include "Dialect/ConstantData.h"
#include "Dialect/ConstantStore.h"
#include "Dialect/CoreOps.h"
#include "Dialect/Diagnostics.h"
#include "Dialect/Functions.h"
#include "Dialect/NodeFacts.h"
#include "Dialect/Shape.h"
#include "Dialect/ShapeOps.h"
#include "Pipelines/Evaluator.h"
#include "Pipelines/Fallbacks.h"
#include "Pipelines/Jit.h"
#include "Runtime/Aside.h"
#include "Runtime/Cpus.h"
#include "Runtime/ThreadPool.h"
#include "Transforms/InlineCalls.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <new>

using namespace mlir;
using namespace clika;

namespace clika {
namespace {

constexpr llvm::StringLiteral kConstantAttr = "clika.constant";

ProgramOptions checkedOptions(const ClikaRT::graph::FinalizeOptions &options) {
  ProgramOptions result;
  if (std::string problem = threadsProblem(options.threads.value_or(1)); !problem.empty())
    invalid("finalize", problem);
  if (options.precision != "full" && options.precision != "relaxed")
    invalid("finalize", "precision is " + quote(options.precision) + "; it takes 'full' or 'relaxed'");
  result.cacheDir = options.cache_dir;
  result.threads = options.threads ? static_cast<unsigned>(*options.threads) : std::min(kMaxThreads, availableCpus());
  if (options.target_cpu != "host")
    result.targetCpu = options.target_cpu;
  if (std::string problem = targetCpuProblem(result.targetCpu); !problem.empty())
    invalid("finalize", problem);
  result.relaxed = options.precision == "relaxed";
  result.keepImage = true;
  if (options.progress)
    result.progress = [progress = options.progress](const std::string &stage, double done) {
      progress(ClikaRT::graph::FinalizeStage(stage, done));
    };
  return result;
}

/// The operators and constants of `block` that nothing needs, readers first.
SmallVector<Operation *> unreadIn(Block &block) {
  SmallVector<Operation *> unread;
  llvm::DenseSet<Operation *> dropped;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool read = llvm::any_of(op.getUsers(), [&](Operation *user) {
      Operation *reader = block.findAncestorOpInBlock(*user);
      return !dropped.contains(reader);
    });
    if (!read && dropped.insert(&op).second)
      unread.push_back(&op);
  }
  return unread;
}

/// What the constant is the transposed of, where it has not been written.
ElementsAttr unreadSource(ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  return resource ? ConstantStore::of(op.getContext()).unreadTransposed(resource) : ElementsAttr();
}

/// An argument of `main` for the data of a constant.
Value addConstant(func::FuncOp main, ElementsAttr value, Location loc) {
  Builder builder(main.getContext());
  unsigned at = main.getNumArguments();
  auto marks = builder.getDictionaryAttr(builder.getNamedAttr(kConstantAttr, builder.getUnitAttr()));
  (void)main.insertArgument(at, value.getType(), marks, loc);
  return main.getArgument(at);
}

/// `source`, transposed, where all of `main` can read it.
Value transposed(func::FuncOp main, Value source, ConstantOp like) {
  OpBuilder builder = OpBuilder::atBlockBegin(&main.getBody().front());
  return TransposeOp::create(builder, like.getLoc(), like.getType(), source, builder.getDenseI64ArrayAttr({1, 0}));
}

/// Refuses a constant whose data is not at hand.
ConstantData dataOf(GraphCore &core, ConstantOp op, std::string_view call) {
  ConstantData data = constantData(op.getValue());
  if (!data.valid && isa<DenseElementsAttr>(op.getValue()))
    fail(Status::OutOfMemory, call,
         "no memory for the constant " + quote(core.nameOf(op.getOperation())) + ", " + describe(op.getType()));
  if (!data.valid)
    fail(Status::Internal, call,
         "the data of the constant " + quote(core.nameOf(op.getOperation())) + " is not at hand");
  return data;
}

/// Makes each constant that is not small an argument of `main`; returns their data in order.
std::vector<ClikaRT::Tensor> hoistConstants(GraphCore &core, func::FuncOp main, std::string_view call) {
  std::vector<ClikaRT::Tensor> constants;
  SmallVector<ConstantOp> ops;
  main.walk([&](ConstantOp op) { ops.push_back(op); });
  // A function that is called often brings its constants often.
  llvm::DenseMap<Attribute, Value> values;
  for (ConstantOp op : ops) {
    Value &value = values[op.getValue()];
    if (ElementsAttr source = value ? ElementsAttr() : unreadSource(op)) {
      // Packed weights are made of the source as it lies.
      value = transposed(main, addConstant(main, source, op.getLoc()), op);
      constants.push_back(core.context->codeTensorOf(source, call));
    } else if (!value) {
      ConstantData data = dataOf(core, op, call);
      if (data.bytes.size() <= kInlineConstantBytes) {
        op.setValueAttr(inlineConstant(cast<RankedTensorType>(op.getType()), data.bytes));
        continue;
      }
      value = addConstant(main, op.getValue(), op.getLoc());
      constants.push_back(core.context->codeTensorOf(op.getValue(), call));
    }
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }
  return constants;
}

OwningOpRef<ModuleOp> moveTo(ModuleOp module, MLIRContext *context, std::string_view call) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  DiagnosticCapture writing(module.getContext());
  if (failed(writeBytecodeToFile(module, stream)))
    fail(Status::Internal, call, writing.message("the graph cannot be copied"));
  DiagnosticCapture reading(context);
  OwningOpRef<ModuleOp> moved = parseSourceString<ModuleOp>(bytes, context);
  if (!moved)
    fail(Status::Internal, call, reading.message("the graph cannot be copied"));
  return moved;
}

/// Puts what private functions hold in the place of their calls.
void inlineAll(GraphCore &core, ModuleOp module, func::FuncOp main, std::string_view call) {
  SmallVector<func::FuncOp> functions = privateFunctions(module);
  if (functions.empty())
    return;
  if (std::string problem = problemOfCalls(module); !problem.empty())
    invalid(call, problem + "; call fewer functions, or loop");
  IRRewriter rewriter(module.getContext());
  inlineCalls(main, rewriter, freshDims(core));
  for (func::FuncOp function : functions)
    function.erase();
  DiagnosticCapture capture(module.getContext());
  if (failed(verify(module)))
    invalid(call, "a function does not suit the sizes of one of its calls: " + capture.message("it does not verify") +
                      "; call it with others, or inline_functions() to see");
}

/// Names the operators that were read for inspection: those that say why, else all of them.
void refuseOpaque(GraphCore &core, std::string_view call) {
  constexpr size_t most = 8;
  SmallVector<Operation *> unread = unreadIn(core.block());
  SmallVector<OpaqueOp> named;
  for (bool withReason : {true, false}) {
    core.module()->walk([&](OpaqueOp op) {
      if (op.getReason().has_value() == withReason && !llvm::is_contained(unread, op.getOperation()))
        named.push_back(op);
    });
    if (!named.empty())
      break;
  }
  if (named.empty())
    return;
  std::string text;
  for (OpaqueOp op : ArrayRef(named).take_front(most))
    text += (text.empty() ? "" : ", ") + kindText(op) + " (node " + quote(core.nameOf(op.getOperation())) +
            (op.getReason() ? ": " + op.getReason()->str() : std::string()) + ")";
  if (named.size() > most)
    text += " and " + std::to_string(named.size() - most) + " more";
  fail(Status::Unsupported, call,
       "operators that were read to be looked at cannot be compiled: " + text +
           "; replace each by the public ops that compute it (replace)");
}

/// Where an operator comes from is its node from here on, and so is it for all that it becomes: as in "relu_1", or in
/// "@f/relu_1" of the private function f.
void nameLocations(ModuleOp module) {
  MLIRContext *context = module.getContext();
  for (auto function : module.getOps<func::FuncOp>()) {
    std::string path = function.isPrivate() ? "@" + function.getSymName().str() + "/" : "";
    function.walk([&](Operation *op) {
      const NodeIdentity *identity = identityOf(op);
      bool isNode = identity && identity->name && !isa<ConstantOp>(op);
      op->setLoc(isNode ? Location(NameLoc::get(StringAttr::get(context, path + identity->name.str())))
                        : Location(UnknownLoc::get(context)));
    });
  }
}

/// Whether the buffers are what the ports take or give.
bool suits(const std::vector<BufferType> &buffers, const std::vector<GraphPort> &ports) {
  return std::ranges::equal(buffers, ports, [](const BufferType &buffer, const GraphPort &port) {
    return buffer.elementBytes == ClikaRT::item_size(port.dtype) &&
           std::ranges::equal(buffer.shape, port.dims, [](int64_t size, AffineExpr dim) {
             auto constant = dyn_cast_if_present<AffineConstantExpr>(dim);
             return size == (constant ? constant.getValue() : kDynamicSize);
           });
  });
}

} // namespace

ModuleToCompile moduleToCompile(GraphCore &core, std::string_view call, bool named) {
  refuseOpaque(core, call);
  OwningOpRef<ModuleOp> copy = core.module().clone();
  func::FuncOp main = graphFunction(*copy);
  for (Operation *op : unreadIn(main.getBody().front()))
    op->erase();
  if (named)
    nameLocations(*copy);
  inlineAll(core, *copy, main, call);
  ModuleToCompile result;
  result.constants = hoistConstants(core, main, call);
  result.context = makeCompileContext();
  result.module = moveTo(*copy, result.context.get(), call);
  return result;
}

void compileAside(ModuleToCompile module, const ProgramOptions &options, std::string_view call,
                  std::function<void(ModuleOp, const ProgramOptions &)> compile) {
  struct Work {
    ModuleToCompile module;
    ProgramOptions options;
    std::function<void(ModuleOp, const ProgramOptions &)> compile;
  };
  if (!canBeStopped())
    return compile(*module.module, options);
  auto work = std::make_shared<Work>(Work{std::move(module), options, std::move(compile)});
  // Not owned by the work: the callback runs and goes on the caller's thread alone.
  const auto *progress = options.progress ? &options.progress : nullptr;
  work->options.progress = nullptr;
  bool done = runAside([work, progress](const RunThere &runThere) {
    if (progress)
      work->options.progress = [&](const std::string &stage, double done) {
        runThere([&] { (*progress)(stage, done); });
      };
    work->compile(*work->module.module, work->options);
  });
  if (!done)
    interrupted(call, "the call was interrupted; the graph is as it was");
}

static std::shared_ptr<Program> compileProgram(ModuleToCompile module, ProgramOptions options, std::string_view call) {
  options.constants = module.constants;
  auto program = std::make_shared<std::shared_ptr<Program>>();
  compileAside(std::move(module), options, call,
               [program, name = std::string(call)](ModuleOp module, const ProgramOptions &options) {
                 *program = compileGraphModule(module, options, name);
               });
#ifdef __GLIBC__
  // What compiling has freed would stay with the process, as much as the weights of a small model.
  malloc_trim(0);
#endif
  return std::move(*program);
}

std::shared_ptr<CompiledGraph> CompiledGraph::over(GraphCore &core, std::shared_ptr<Program> program,
                                                   const ClikaRT::graph::FinalizeOptions &options,
                                                   std::string_view call) {
  auto result = std::make_shared<CompiledGraph>();
  result->context = core.context;
  result->inputPorts = inputPortsOf(core, call);
  result->outputPorts = outputPortsOf(core, call);
  for (const GraphPort &port : result->outputPorts)
    result->outputDtypes.push_back(port.dtype);
  if (!suits(program->inputs(), result->inputPorts) || !suits(program->results(), result->outputPorts))
    return nullptr;
  result->program = std::move(program);
  result->options = options;
  result->options.progress = nullptr;
  result->options.fallback = nullptr;
  return result;
}

std::shared_ptr<CompiledGraph> CompiledGraph::compile(GraphCore &core, const ClikaRT::graph::FinalizeOptions &options,
                                                      std::string_view call) {
  ProgramOptions how = checkedOptions(options);
  // Owned by the compilation too, which goes on alone where it is left behind.
  auto found = std::make_shared<std::vector<Fallback>>();
  if (options.fallback)
    how.fallbacks = [found](std::vector<Fallback> fallbacks) { *found = std::move(fallbacks); };
  ModuleToCompile module = moduleToCompile(core, call, /*named=*/options.fallback != nullptr);
  std::shared_ptr<Program> program = compileProgram(std::move(module), std::move(how), call);
  std::shared_ptr<CompiledGraph> result = over(core, std::move(program), options, call);
  if (!result)
    fail(Status::Internal, call, "the compiled code does not suit the graph");
  for (const Fallback &fallback : *found)
    options.fallback({fallback.nodes, fallback.reason});
  return result;
}

std::shared_ptr<const CompiledGraph> CompiledGraph::profiled(Query &query) const {
  {
    std::lock_guard lock(profiledMutex);
    if (profiledGraph)
      return profiledGraph;
  }
  ClikaRT::graph::FinalizeOptions same = options;
  same.threads = static_cast<int>(program->parts().threads);
  ProgramOptions how = checkedOptions(same);
  how.keepImage = false;
  how.profile = true;
  how.like = program;
  ModuleToCompile module = moduleToCompile(*query, query.call, /*named=*/true);
  std::shared_ptr<Program> marked;
  {
    Unlocked unlocked(query);
    marked = compileProgram(std::move(module), std::move(how), query.call);
  }
  std::shared_ptr<const CompiledGraph> made = over(*query, std::move(marked), same, query.call);
  if (!made)
    fail(Status::Internal, query.call, "the compiled code does not suit the graph");
  std::lock_guard lock(profiledMutex);
  if (!profiledGraph)
    profiledGraph = std::move(made);
  return profiledGraph;
}

} // namespace clika

namespace ClikaRT::graph {

void ModelGraph::finalize() { finalize(FinalizeOptions()); }

namespace {

/// `callback` with the lock free, since it may wait for threads that wait for that, and edits forbidden.
template <class Told>
std::function<void(const Told &)> unlocked(Edit &edit, std::function<void(const Told &)> callback, std::string who) {
  if (!callback)
    return nullptr;
  return [&edit, callback = std::move(callback), who = std::move(who)](const Told &told) {
    Unlocked unlocked(edit);
    ForbidEdits forbid(*edit, who);
    callback(told);
  };
}

std::shared_ptr<CompiledGraph> compile(Edit &edit, FinalizeOptions options) {
  options.progress = unlocked(edit, options.progress, "the `progress` of finalize()");
  options.fallback = unlocked(edit, options.fallback, "the `fallback` of finalize()");
  uint64_t before = edit->changes;
  std::shared_ptr<CompiledGraph> compiled = CompiledGraph::compile(*edit, options, edit.call);
  refuseFinalized(*edit, edit.call);
  refuseInsideOptimize(*edit, edit.call);
  if (edit->changes != before)
    precondition(edit.call, "the graph was edited while it was compiled; call finalize() again");
  return compiled;
}

} // namespace

void ModelGraph::finalize(const FinalizeOptions &options) {
  {
    Query query(core_, "finalize");
    refuseInsideOptimize(*query, query.call);
  }
  Edit edit(core_, "finalize");
  std::shared_ptr<CompiledGraph> compiled;
  try {
    compiled = compile(edit, options);
  } catch (const std::bad_alloc &) {
    fail(Status::OutOfMemory, edit.call, "there is not enough memory to compile the graph; free some");
  }
  for (mlir::Operation *op : unreadIn(edit->block()))
    eraseOp(*edit, op);
  edit->compiled = std::move(compiled);
}

void ModelGraph::to(const Device &device) {
  Query query(core_, "to");
  refuseInsideOptimize(*query, query.call);
  if (device != Device{})
    fail(Status::Unsupported, query.call, "the device " + quote(device.to_string()) + " is not served; 'cpu' is");
}

} // namespace ClikaRT::graph
