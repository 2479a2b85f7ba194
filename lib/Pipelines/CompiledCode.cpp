#include "Pipelines/CompiledCode.h"
#include "Pipelines/Passes.h"
#include "Pipelines/SplitBlocks.h"
#include "Runtime/Program.h"
#include "Runtime/ThreadPool.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace clika {
namespace {

/// Less is not worth a target machine of its own.
constexpr int64_t kOpsOfAGroup = 500;
constexpr int64_t kGroupsOfAThread = 4;

template <typename T>
void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <typename T>
bool take(llvm::StringRef &bytes, T &value) {
  if (bytes.size() < sizeof value)
    return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.drop_front(sizeof value);
  return true;
}

/// One part of the functions, in a module of its own where there are several, so that a thread of its own may work on
/// it.
struct Group {
  OwningOpRef<ModuleOp> module;
  std::optional<llvm::Expected<ObjectCode>> object;
  int64_t ops = 0;
};

int64_t opsOf(LLVM::LLVMFuncOp function) {
  int64_t ops = 0;
  function.walk([&](Operation *) { ++ops; });
  return ops;
}

/// Moves the functions of `module`: the largest goes to the group that has least, and so on. Every group declares the
/// functions of the others and has the constants.
void divide(ModuleOp module, std::vector<std::unique_ptr<Group>> &groups) {
  struct Sized {
    int64_t ops;
    size_t place;
    LLVM::LLVMFuncOp function;
  };
  SmallVector<Sized> functions;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      functions.push_back({opsOf(function), functions.size(), function});
  llvm::sort(functions, [](auto &a, auto &b) { return a.ops != b.ops ? a.ops > b.ops : a.place < b.place; });
  llvm::DenseMap<Operation *, Group *> groupOf;
  for (auto &[ops, place, function] : functions) {
    Group &least = **llvm::min_element(groups, [](auto &a, auto &b) { return a->ops < b->ops; });
    groupOf[function] = &least;
    least.ops += ops;
  }
  for (auto &group : groups) {
    group->module = ModuleOp::create(module.getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(group->module->getBody());
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (!function) {
        builder.clone(op);
        continue;
      }
      auto here = cast<LLVM::LLVMFuncOp>(builder.cloneWithoutRegions(op));
      if (groupOf.lookup(function) != group.get()) {
        here.setLinkage(LLVM::Linkage::External);
        continue;
      }
      here.getBody().takeBody(function.getBody());
    }
  }
}

/// `mlir` is held while the one MLIR context is used. What a group is made of goes as soon as it is not needed any
/// more: a model's kernels together take as much memory as its weights.
llvm::Expected<ObjectCode> generate(Group &group, ModuleOp whole, const std::string &cpu, std::mutex &mlir) {
  auto target = makeTargetMachine(cpu);
  if (!target)
    return target.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated;
  {
    std::lock_guard lock(mlir);
    translated = translateModuleToLLVMIR(group.module ? *group.module : whole, context);
    group.module = nullptr;
  }
  if (!translated)
    return llvm::createStringError("the module could not be translated to LLVM IR");
  // Kernels stay whole: their blocks are bounded, and hold values in registers.
  if (llvm::Function *entry = translated->getFunction(kEntry); entry && !entry->isDeclaration())
    splitLongBlocks(*entry);
  return generateObject(*translated, **target);
}

} // namespace

std::string CompiledCode::written() const {
  std::string bytes;
  append<uint64_t>(bytes, plannedBytes);
  append<uint64_t>(bytes, objects.size());
  for (const ObjectCode &object : objects) {
    append<uint64_t>(bytes, object.size());
    bytes.append(object.data(), object.size());
  }
  return bytes;
}

std::optional<CompiledCode> CompiledCode::read(llvm::StringRef bytes) {
  CompiledCode code;
  uint64_t count, size;
  if (!take(bytes, code.plannedBytes) || !take(bytes, count))
    return std::nullopt;
  for (uint64_t i = 0; i != count; ++i) {
    if (!take(bytes, size) || size > bytes.size())
      return std::nullopt;
    code.objects.emplace_back(bytes.begin(), bytes.begin() + size);
    bytes = bytes.drop_front(size);
  }
  return code;
}

llvm::Error loadCode(const CompiledCode &code, ProgramCode &program) {
  SmallVector<llvm::StringRef> objects;
  for (const ObjectCode &object : code.objects)
    objects.emplace_back(object.data(), object.size());
  llvm::Expected<LoadedCode> loaded = loadObjects(objects, kEntry);
  if (!loaded)
    return loaded.takeError();
  program.entry = reinterpret_cast<ProgramEntry>(loaded->entry);
  program.owners.push_back(std::move(loaded->owner));
  return llvm::Error::success();
}

llvm::Expected<std::vector<ObjectCode>> generateObjects(ModuleOp module, const std::string &cpu, unsigned threads) {
  int64_t ops = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    ops += opsOf(function);
  // More groups than threads, so that one who is late can be helped, and little is translated at a time.
  auto count =
      static_cast<unsigned>(std::clamp<int64_t>(ops / kOpsOfAGroup, 1, kGroupsOfAThread * std::max(threads, 1U)));
  std::vector<std::unique_ptr<Group>> groups;
  for (unsigned i = 0; i != count; ++i)
    groups.push_back(std::make_unique<Group>());
  if (count > 1)
    divide(module, groups);
  std::mutex mlir;
  struct Job {
    ModuleOp whole;
    ArrayRef<std::unique_ptr<Group>> groups;
    const std::string &cpu;
    std::mutex &mlir;
    static void run(void *context, int64_t first, int64_t last, unsigned) {
      auto &[whole, groups, cpu, mlir] = *static_cast<Job *>(context);
      for (auto &group : groups.slice(first, last - first))
        group->object.emplace(generate(*group, whole, cpu, mlir));
    }
  } job{module, groups, cpu, mlir};
  constexpr int64_t kNanosecondsOfAnOp = 10'000;
  ThreadPool::shared().run({&Job::run, &job, count, ops * kNanosecondsOfAnOp}, threads);
  std::vector<ObjectCode> objects;
  llvm::Error errors = llvm::Error::success();
  for (auto &group : groups) {
    if (*group->object)
      objects.push_back(std::move(**group->object));
    else
      errors = llvm::joinErrors(std::move(errors), group->object->takeError());
  }
  if (errors)
    return std::move(errors);
  return objects;
}

} // namespace clika
