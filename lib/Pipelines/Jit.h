// Machine code from LLVM IR, and loading it into this process.
#pragma once
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace clika {

/// Why code for `cpu` cannot be made, or not run here; empty when it can.
std::string targetCpuProblem(const std::string &cpu);

/// Why code that was made for `cpu` with `features`, as of a target machine, cannot run here; empty when it can.
std::string codeProblem(const std::string &cpu, const std::string &features);

/// `cpu` empty: this machine's CPU with all its features.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const std::string &cpu);

/// The width of the widest vector registers the target has.
unsigned vectorBytes(const llvm::TargetMachine &target);

/// Whether the target has a fused multiply-add; without one LLVM calls the C library for it.
bool hasFusedMultiplyAdd(const llvm::TargetMachine &target);

/// The target has an instruction that adds four products of bytes to each word of a vector.
inline constexpr llvm::StringLiteral kByteDotInstruction = "vpdpbusd";
/// The target has one that multiplies pairs of 16-bit numbers and sums them up in 32 bits.
inline constexpr llvm::StringLiteral kByteDotPairs = "pmaddwd";
/// Which of those it has for its widest vectors; empty: neither.
std::string byteDot(const llvm::TargetMachine &target);

/// An ELF object.
using ObjectCode = llvm::SmallVector<char, 0>;

/// Runs no optimization of the middle end. A function that names a CPU of its own keeps it.
llvm::Expected<ObjectCode> generateObject(llvm::Module &module, llvm::TargetMachine &target);

struct LoadedCode {
  void *entry = nullptr;
  std::shared_ptr<void> owner; // the code is unloaded with it
};

/// Links objects with each other, the runtime's functions and the C math library.
llvm::Expected<LoadedCode> loadObjects(llvm::ArrayRef<llvm::StringRef> objects, llvm::StringRef entry);

} // namespace clika
