#include "API/GraphInventory.h"

#include "Dialect/CoreOps.h"

using namespace mlir;
using ClikaRT::graph::OpCode;

namespace clika {
namespace {

/// None where it is no operator's.
std::optional<OpCode> codeOf(OperationName name) {
  StringRef mnemonic = name.stripDialect();
  const OpInfo *info = name.getDialectNamespace() == "clika"
                           ? findOpByMnemonic(std::string_view(mnemonic.data(), mnemonic.size()))
                           : nullptr;
  bool isConstant = name.getStringRef() == ConstantOp::getOperationName();
  return info && !isConstant ? std::optional(static_cast<OpCode>(info->code)) : std::nullopt;
}

} // namespace

WalkedInventory &GraphInventory::walk() {
  if (!walked || walkedAt != core.changes) {
    walked.emplace(core.module());
    walkedAt = core.changes;
  }
  return *walked;
}

bool GraphInventory::holds(OperationName name) {
  if (name.getStringRef() == ConstantOp::getOperationName())
    return core.index.constantCount() > 0;
  std::optional<OpCode> code = codeOf(name);
  return code ? !index.operators(core, {*code}).empty() : walk().holds(name);
}

std::vector<Operation *> GraphInventory::of(llvm::ArrayRef<OperationName> names) {
  std::vector<OpCode> codes;
  for (OperationName name : names)
    if (std::optional<OpCode> code = codeOf(name))
      codes.push_back(*code);
  // Of a block and one inside, the index has all of one before the other.
  if (names.empty() || codes.size() != names.size() || core.index.hasRegions())
    return walk().of(names);
  return index.operators(core, codes);
}

} // namespace clika
