#include "Pipelines/MachinePeak.h"
#include "ClikaRT/error.h"
#include "Pipelines/Jit.h"
#include "Runtime/Arena.h"
#include "Runtime/CompiledCall.h"
#include "Runtime/ThreadPool.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

using namespace llvm;

namespace clika {
namespace {

constexpr unsigned kSums = 12, kLoads = 8;
constexpr int64_t kLeastSlice = 4096;
constexpr int64_t kSizes[] = {32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20};
constexpr int64_t kBytesRead = 64 << 20;
constexpr int64_t kSteps = 500'000;
constexpr int kTries = 5;

/// void loop(i64 steps, ptr memory): a loop, the body of which `step` makes of the sums and the number of the step.
class LoopBuilder {
public:
  LoopBuilder(TargetMachine &target, Type *(*element)(LLVMContext &), unsigned count)
      : target(target), module("peak", context), builder(context),
        vector(FixedVectorType::get(element(context), vectorBytes(target) / 4)) {
    auto *type = FunctionType::get(builder.getVoidTy(), {builder.getInt64Ty(), builder.getPtrTy()}, false);
    function = Function::Create(type, Function::ExternalLinkage, "peak", module);
    auto *entry = BasicBlock::Create(context, "entry", function);
    body = BasicBlock::Create(context, "body", function);
    builder.SetInsertPoint(entry);
    // What no compiler knows: nothing can be computed ahead.
    factor = builder.CreateLoad(vector, memory());
    builder.CreateBr(body);
    builder.SetInsertPoint(body);
    step = builder.CreatePHI(builder.getInt64Ty(), 2);
    step->addIncoming(builder.getInt64(0), entry);
    for (unsigned i = 0; i != count; ++i) {
      sums.push_back(builder.CreatePHI(vector, 2));
      sums.back()->addIncoming(factor, entry);
    }
  }

  Value *memory() { return function->getArg(1); }

  Expected<LoadedCode> finish(ArrayRef<Value *> next) {
    Value *following = builder.CreateAdd(step, builder.getInt64(1));
    step->addIncoming(following, body);
    for (auto [sum, value] : zip_equal(sums, next))
      sum->addIncoming(value, body);
    auto *end = BasicBlock::Create(context, "end", function);
    builder.CreateCondBr(builder.CreateICmpULT(following, function->getArg(0)), body, end);
    builder.SetInsertPoint(end);
    Value *all = next.front();
    for (Value *each : next.drop_front())
      all = vector->getElementType()->isFloatTy() ? builder.CreateFAdd(all, each) : builder.CreateXor(all, each);
    builder.CreateStore(all, memory());
    builder.CreateRetVoid();
    Expected<ObjectCode> object = generateObject(module, target);
    if (!object)
      return object.takeError();
    return loadObjects({StringRef(object->data(), object->size())}, "peak");
  }

  LLVMContext context;
  TargetMachine &target;
  Module module;
  IRBuilder<> builder;
  FixedVectorType *vector;
  Function *function;
  BasicBlock *body;
  Value *factor;
  PHINode *step;
  SmallVector<PHINode *> sums;
};

Expected<LoadedCode> multiplyAdds(TargetMachine &target) {
  LoopBuilder loop(target, &Type::getFloatTy, kSums);
  bool fused = hasFusedMultiplyAdd(target);
  SmallVector<Value *> next;
  for (PHINode *sum : loop.sums)
    next.push_back(fused ? loop.builder.CreateIntrinsic(Intrinsic::fma, {loop.vector}, {sum, loop.factor, loop.factor})
                         : loop.builder.CreateFAdd(loop.builder.CreateFMul(sum, loop.factor), loop.factor));
  return loop.finish(next);
}

Expected<LoadedCode> reads(TargetMachine &target) {
  LoopBuilder loop(target, [](LLVMContext &context) -> Type * { return Type::getInt32Ty(context); }, kLoads);
  SmallVector<Value *> next;
  for (auto [i, sum] : enumerate(loop.sums)) {
    Value *at = loop.builder.CreateAdd(loop.builder.CreateMul(loop.step, loop.builder.getInt64(kLoads)),
                                       loop.builder.getInt64(i));
    Value *from = loop.builder.CreateGEP(loop.vector, loop.memory(), at);
    next.push_back(loop.builder.CreateXor(sum, loop.builder.CreateLoad(loop.vector, from)));
  }
  return loop.finish(next);
}

/// `passes` calls of a loop in each of the threads, over memory of its own.
struct Job {
  void (*loop)(int64_t steps, void *memory);
  char *memory;
  int64_t slice, steps, passes;

  CLIKA_CALLS_COMPILED static void run(void *self, int64_t first, int64_t last, unsigned) {
    auto &job = *static_cast<Job *>(self);
    for (int64_t part = first; part != last; ++part)
      for (int64_t pass = 0; pass != job.passes; ++pass)
        job.loop(job.steps, job.memory + part * job.slice);
  }

  /// The least of several tries, the first of which warms up.
  double seconds(unsigned threads) {
    constexpr int64_t kLong = 1'000'000'000;
    double least = 0;
    for (int i = 0; i <= kTries; ++i) {
      auto start = std::chrono::steady_clock::now();
      ThreadPool::shared().run({&Job::run, this, threads, kLong}, threads);
      double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (i == 1 || (i > 1 && took < least))
        least = took;
    }
    return std::max(least, 1e-9);
  }
};

[[noreturn]] void refuse(ClikaRT::Status status, const std::string &why) {
  throw ClikaRT::Error(status, "profile: the machine's speed cannot be measured: " + why);
}

MachinePeak measure(unsigned threads) {
  auto target = makeTargetMachine("");
  if (!target)
    refuse(ClikaRT::Status::Internal, toString(target.takeError()));
  Expected<LoadedCode> compute = multiplyAdds(**target);
  if (!compute)
    refuse(ClikaRT::Status::Internal, toString(compute.takeError()));
  Expected<LoadedCode> read = reads(**target);
  if (!read)
    refuse(ClikaRT::Status::Internal, toString(read.takeError()));
  int64_t room = std::max(kSizes[std::size(kSizes) - 1], kLeastSlice * static_cast<int64_t>(threads));
  std::unique_ptr<char, decltype(&std::free)> memory(
      static_cast<char *>(std::aligned_alloc(kBufferAlignment, static_cast<size_t>(room))), &std::free);
  if (!memory)
    refuse(ClikaRT::Status::OutOfMemory, "there is no memory for " + std::to_string(room) + " bytes; free some");
  std::memset(memory.get(), 0, static_cast<size_t>(room));

  using Loop = void (*)(int64_t, void *);
  MachinePeak peak;
  unsigned width = vectorBytes(**target);
  Job adds{reinterpret_cast<Loop>(compute->entry), memory.get(), kLeastSlice, kSteps, 1};
  peak.flops = 2.0 * kSums * (width / 4) * kSteps * threads / adds.seconds(threads);
  for (int64_t size : kSizes) {
    int64_t slice = std::max(size / threads / kLeastSlice * kLeastSlice, kLeastSlice);
    int64_t passes = std::max<int64_t>(1, kBytesRead / (slice * threads)), steps = slice / (kLoads * width);
    Job job{reinterpret_cast<Loop>(read->entry), memory.get(), slice, steps, passes};
    double bytes = static_cast<double>(slice) * threads * static_cast<double>(passes);
    peak.bandwidths.push_back({size, bytes / job.seconds(threads)});
  }
  return peak;
}

} // namespace

double MachinePeak::bandwidthOf(std::int64_t bytes) const {
  auto larger = std::ranges::find_if(bandwidths, [&](const Bandwidth &each) { return bytes < each.bytes; });
  return larger == bandwidths.begin() ? larger->perSecond : std::prev(larger)->perSecond;
}

const MachinePeak &machinePeak(unsigned threads) {
  static auto *measured = new std::map<unsigned, MachinePeak>();
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto found = measured->find(threads);
  if (found == measured->end())
    found = measured->emplace(threads, measure(threads)).first;
  return found->second;
}

} // namespace clika
