#include "Pipelines/Jit.h"
#include "Runtime/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <atomic>
#include <cmath>
#include <cstring>

using namespace llvm;

// The compiler's own library: what LLVM calls for float16 on a CPU without conversions.
extern "C" float __extendhfsf2(_Float16);
extern "C" _Float16 __truncsfhf2(float);

namespace clika {
namespace {

template <typename Function>
RuntimeSymbol symbol(const char *name, Function *address) {
  return {name, reinterpret_cast<void *>(address)};
}

/// What LLVM may call on its own, and what math ops without code of ours become.
std::vector<RuntimeSymbol> librarySymbols() {
#define CLIKA_MATH1(name) symbol<double(double)>(#name, &::name), symbol<float(float)>(#name "f", &::name##f)
#define CLIKA_MATH2(name)                                                                                              \
  symbol<double(double, double)>(#name, &::name), symbol<float(float, float)>(#name "f", &::name##f)
  return {symbol<void *(void *, const void *, size_t)>("memcpy", &::memcpy),
          symbol<void *(void *, const void *, size_t)>("memmove", &::memmove),
          symbol<void *(void *, int, size_t)>("memset", &::memset),
          symbol<double(double, double, double)>("fma", &::fma),
          symbol<float(float, float, float)>("fmaf", &::fmaf),
          symbol<float(_Float16)>("__extendhfsf2", &::__extendhfsf2),
          symbol<_Float16(float)>("__truncsfhf2", &::__truncsfhf2),
          CLIKA_MATH1(exp),
          CLIKA_MATH1(exp2),
          CLIKA_MATH1(expm1),
          CLIKA_MATH1(log),
          CLIKA_MATH1(log2),
          CLIKA_MATH1(log10),
          CLIKA_MATH1(log1p),
          CLIKA_MATH1(sin),
          CLIKA_MATH1(cos),
          symbol<void(double, double *, double *)>("sincos", &::sincos),
          symbol<void(float, float *, float *)>("sincosf", &::sincosf),
          CLIKA_MATH1(tan),
          CLIKA_MATH1(asin),
          CLIKA_MATH1(acos),
          CLIKA_MATH1(atan),
          CLIKA_MATH1(sinh),
          CLIKA_MATH1(cosh),
          CLIKA_MATH1(tanh),
          CLIKA_MATH1(asinh),
          CLIKA_MATH1(acosh),
          CLIKA_MATH1(atanh),
          CLIKA_MATH1(erf),
          CLIKA_MATH1(erfc),
          CLIKA_MATH1(cbrt),
          CLIKA_MATH1(round),
          CLIKA_MATH1(roundeven),
          CLIKA_MATH1(trunc),
          CLIKA_MATH1(floor),
          CLIKA_MATH1(ceil),
          CLIKA_MATH1(rint),
          CLIKA_MATH1(nearbyint),
          CLIKA_MATH1(sqrt),
          CLIKA_MATH2(pow),
          CLIKA_MATH2(atan2),
          CLIKA_MATH2(fmod)};
#undef CLIKA_MATH1
#undef CLIKA_MATH2
}

/// One session for the process: every program is a library of its own in it.
class Session {
public:
  static Expected<Session *> get() {
    // Never destroyed: programs held by static objects may outlive any order of destruction.
    static Session *session = new Session();
    if (!session->layer)
      return createStringError("cannot set up the code loader: " + session->problem);
    return session;
  }

  Expected<LoadedCode> load(ArrayRef<StringRef> objects, StringRef entry) {
    std::string name = "program" + std::to_string(next++);
    orc::JITDylib &library = session->createBareJITDylib(name);
    std::shared_ptr<void> owner(&library, [this](void *pointer) {
      consumeError(session->removeJITDylib(*static_cast<orc::JITDylib *>(pointer)));
    });
    library.addToLinkOrder(*runtime);
    for (StringRef object : objects)
      if (Error error = layer->add(library, MemoryBuffer::getMemBufferCopy(object, name)))
        return std::move(error);
    Expected<orc::ExecutorSymbolDef> found =
        session->lookup({{&library, orc::JITDylibLookupFlags::MatchAllSymbols}}, session->intern(entry));
    if (!found)
      return found.takeError();
    return LoadedCode{found->getAddress().toPtr<void *>(), std::move(owner)};
  }

private:
  Session() {
    auto control = orc::SelfExecutorProcessControl::Create();
    if (!control) {
      problem = toString(control.takeError());
      return;
    }
    session = std::make_unique<orc::ExecutionSession>(std::move(*control));
    session->setErrorReporter([](Error error) { consumeError(std::move(error)); });
    runtime = &session->createBareJITDylib("runtime");
    orc::SymbolMap symbols;
    std::vector<RuntimeSymbol> all = librarySymbols();
    for (const RuntimeSymbol &own : runtimeSymbols())
      all.push_back(own);
    for (const RuntimeSymbol &entry : all)
      symbols[session->intern(entry.name)] = {orc::ExecutorAddr::fromPtr(entry.address), JITSymbolFlags::Exported};
    if (Error error = runtime->define(orc::absoluteSymbols(std::move(symbols)))) {
      problem = toString(std::move(error));
      return;
    }
    layer = std::make_unique<orc::ObjectLinkingLayer>(*session);
  }

  std::unique_ptr<orc::ExecutionSession> session;
  std::unique_ptr<orc::ObjectLinkingLayer> layer;
  orc::JITDylib *runtime = nullptr;
  std::string problem;
  std::atomic<unsigned> next{0};
};

} // namespace

namespace {

/// This machine: its CPU and all its features. Set once.
Expected<orc::JITTargetMachineBuilder> &hostBuilder() {
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  static auto *host = new Expected<orc::JITTargetMachineBuilder>(orc::JITTargetMachineBuilder::detectHost());
  return *host;
}

/// Features that `cpu` has and this machine lacks.
std::string missingFeatures(const MCSubtargetInfo &cpu) {
  std::vector<std::string> missing;
  for (const auto &[name, present] : sys::getHostCPUFeatures())
    if (!present && cpu.checkFeatures(("+" + name).str()))
      missing.push_back(name.str());
  llvm::sort(missing);
  return llvm::join(missing, ", ");
}

} // namespace

std::string targetCpuProblem(const std::string &cpu) {
  Expected<orc::JITTargetMachineBuilder> &host = hostBuilder();
  if (!host)
    return "this machine's CPU is not one that LLVM can generate code for";
  if (cpu.empty())
    return "";
  std::string given = "target_cpu is '" + cpu + "', ", problem;
  std::string choices =
      "; give 'host', or nothing, for this machine's (" + sys::getHostCPUName().str() + "), or one whose code it runs";
  const Triple &triple = host->getTargetTriple();
  if (triple.isX86())
    choices += ", such as 'x86-64', 'x86-64-v2' or 'x86-64-v3'";
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  auto infoOf = [&](StringRef name) {
    return std::unique_ptr<MCSubtargetInfo>(target ? target->createMCSubtargetInfo(triple, name, "") : nullptr);
  };
  std::unique_ptr<MCSubtargetInfo> none = infoOf("");
  // LLVM itself writes its list of CPUs to the standard output when it is asked for help.
  if (!none || cpu == "help" || !none->isCPUStringValid(cpu))
    return given + "which is no CPU that LLVM knows for " + triple.getArchName().str() + choices;
  // The 16- and 32-bit ones are known by the same list.
  std::unique_ptr<MCSubtargetInfo> info = infoOf(cpu);
  if (triple.getArch() == Triple::x86_64 && !info->checkFeatures("+64bit"))
    return given + "which has no 64-bit mode" + choices;
  std::string missing = missingFeatures(*info);
  return missing.empty() ? "" : given + "which has features that this machine's CPU lacks: " + missing + choices;
}

std::string codeProblem(const std::string &cpu, const std::string &features) {
  Expected<orc::JITTargetMachineBuilder> &host = hostBuilder();
  std::string problem;
  const Target *target = host ? TargetRegistry::lookupTarget(host->getTargetTriple(), problem) : nullptr;
  std::unique_ptr<MCSubtargetInfo> none, info;
  if (target) {
    none.reset(target->createMCSubtargetInfo(host->getTargetTriple(), "", ""));
    if (none && none->isCPUStringValid(cpu))
      info.reset(target->createMCSubtargetInfo(host->getTargetTriple(), cpu, features));
  }
  if (!info)
    return "its compiled code is for the CPU '" + cpu + "', which is none of this machine's kind";
  std::string missing = missingFeatures(*info);
  return missing.empty() ? "" : "its compiled code needs what this machine's CPU lacks: " + missing;
}

Expected<std::unique_ptr<TargetMachine>> makeTargetMachine(const std::string &cpu) {
  if (std::string problem = targetCpuProblem(cpu); !problem.empty())
    return createStringError(problem);
  orc::JITTargetMachineBuilder builder = *hostBuilder();
  if (!cpu.empty()) {
    builder.setCPU(cpu);
    builder.getFeatures() = SubtargetFeatures();
  }
  builder.setCodeGenOptLevel(CodeGenOptLevel::Aggressive);
  builder.setRelocationModel(Reloc::PIC_);
  builder.getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  return builder.createTargetMachine();
}

unsigned vectorBytes(const TargetMachine &target) {
  // NEON's. LLVM ends the process where it is asked for another machine's features.
  if (!target.getTargetTriple().isX86())
    return 16;
  const MCSubtargetInfo *info = target.getMCSubtargetInfo();
  if (info->checkFeatures("+avx512f"))
    return 64;
  return info->checkFeatures("+avx") ? 32 : 16;
}

bool hasFusedMultiplyAdd(const TargetMachine &target) {
  return !target.getTargetTriple().isX86() || target.getMCSubtargetInfo()->checkFeatures("+fma");
}

std::string byteDot(const TargetMachine &target) {
  if (!target.getTargetTriple().isX86())
    return "";
  const MCSubtargetInfo *info = target.getMCSubtargetInfo();
  unsigned bytes = vectorBytes(target);
  bool wide = info->checkFeatures("+avx512vnni,+avx512vl"), narrow = bytes < 64 && info->checkFeatures("+avxvnni");
  if (wide || narrow)
    return kByteDotInstruction.str();
  // AVX has 256 bits for floats alone.
  bool has = bytes == 64 ? info->checkFeatures("+avx512bw") : bytes < 32 || info->checkFeatures("+avx2");
  return has ? kByteDotPairs.str() : "";
}

Expected<ObjectCode> generateObject(Module &module, TargetMachine &target) {
  module.setDataLayout(target.createDataLayout());
  module.setTargetTriple(target.getTargetTriple());
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.setDoesNotThrow();
      if (function.hasFnAttribute("target-cpu"))
        continue;
      function.addFnAttr("target-cpu", target.getTargetCPU());
      function.addFnAttr("target-features", target.getTargetFeatureString());
    }
  ObjectCode object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  MCContext *context = nullptr;
  if (target.addPassesToEmitMC(passes, context, stream, /*DisableVerify=*/true))
    return createStringError("this target cannot emit object code");
  passes.run(module);
  return object;
}

Expected<LoadedCode> loadObjects(ArrayRef<StringRef> objects, StringRef entry) {
  Expected<Session *> session = Session::get();
  if (!session)
    return session.takeError();
  return (*session)->load(objects, entry);
}

} // namespace clika
