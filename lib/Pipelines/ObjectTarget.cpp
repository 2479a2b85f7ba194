#include "Pipelines/ObjectTarget.h"
#include "llvm-c/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace clika {
namespace {

#define FEATURE(name, ...) name,
constexpr const char *kX86Features[] = {
#include "StaticRuntime/cpu_x86.def"
};
constexpr const char *kAArch64Features[] = {
#include "StaticRuntime/cpu_aarch64.def"
};
#undef FEATURE

void initializeTargets() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
  (void)done;
}

std::string hostFeatures() {
  SubtargetFeatures features;
  for (const auto &[name, present] : sys::getHostCPUFeatures())
    features.AddFeature(name, present);
  return features.getString();
}

} // namespace

Expected<ObjectTarget> makeObjectTarget(const std::string &given, const std::string &cpu) {
  initializeTargets();
  Triple host(sys::getProcessTriple()), triple(given.empty() ? host : Triple(Triple::normalize(given)));
  bool x86 = triple.getArch() == Triple::x86_64, arm = triple.getArch() == Triple::aarch64;
  if ((!x86 && !arm) || !triple.isOSBinFormatELF())
    return createStringError("target_triple is '" + (given.empty() ? triple.str() : given) +
                             "'; objects are made for 'x86_64-linux-gnu' and 'aarch64-linux-gnu'");
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return createStringError("this build of LLVM makes no code for " + triple.str());
  bool here = cpu.empty() && triple.getArch() == host.getArch();
  std::string plainest = x86 ? "x86-64" : "generic";
  std::string name = here ? sys::getHostCPUName().str() : cpu.empty() ? plainest : cpu;
  auto infoOf = [&](StringRef of, StringRef features) {
    return std::unique_ptr<MCSubtargetInfo>(target->createMCSubtargetInfo(triple, of, features));
  };
  std::unique_ptr<MCSubtargetInfo> none = infoOf("", "");
  // LLVM itself writes its list of CPUs to the standard output when it is asked for help.
  bool known = none && name != "help" && none->isCPUStringValid(name);
  std::unique_ptr<MCSubtargetInfo> info = known ? infoOf(name, here ? hostFeatures() : "") : nullptr;
  if (!info || (x86 && !info->checkFeatures("+64bit")))
    return createStringError("target_cpu is '" + name + "', which is no 64-bit CPU that LLVM knows for " +
                             triple.getArchName().str() + "; give one such as " +
                             (x86 ? "'x86-64', 'x86-64-v3' or 'x86-64-v4'" : "'generic' or 'neoverse-n1'"));
  ObjectTarget result;
  result.tuneCpu = name;
  for (StringRef feature : x86 ? ArrayRef(kX86Features) : ArrayRef(kAArch64Features))
    if (info->checkFeatures(("+" + feature).str()))
      result.features.push_back(feature.str());
  std::string features;
  for (const std::string &feature : result.features)
    features += (features.empty() ? "+" : ",+") + feature;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  result.machine.reset(target->createTargetMachine(triple, plainest, features, options, Reloc::PIC_, std::nullopt,
                                                   CodeGenOptLevel::Aggressive));
  if (!result.machine)
    return createStringError("LLVM makes no code for " + triple.str());
  return result;
}

} // namespace clika
