// The machine that an object file is made for, which need not be this one.
#pragma once
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>
#include <vector>

namespace clika {

struct ObjectTarget {
  std::unique_ptr<llvm::TargetMachine> machine;
  /// The CPU that instructions are ordered for.
  std::string tuneCpu;
  /// What the code may use beyond the plainest CPU of its kind; the static runtime knows how to look for each.
  std::vector<std::string> features;
};

/// `triple` empty: this machine's. `cpu` empty: this machine's CPU, or the plainest of another kind of machine.
llvm::Expected<ObjectTarget> makeObjectTarget(const std::string &triple, const std::string &cpu);

} // namespace clika
